"""Which recipe a station runs."""
