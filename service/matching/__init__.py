"""What was read against what should be printed. Pure functions: no I/O, no images."""
