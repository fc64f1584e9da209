"""From pixels to lines of text."""
