"""What must be printed on a label."""
