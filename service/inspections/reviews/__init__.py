"""What people made of verdicts."""
