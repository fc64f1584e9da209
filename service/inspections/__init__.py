"""Inspections: carried out, stored and found again."""
