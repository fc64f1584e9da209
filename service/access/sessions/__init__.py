"""Log-ins of users, and the sessions that follow."""
