"""Who did what, when and why: a trail that can only grow, and shows if it was changed."""
