"""Who may do what: API keys, users, sessions, roles."""
