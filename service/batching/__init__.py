"""Sharing one accelerator between many callers."""
