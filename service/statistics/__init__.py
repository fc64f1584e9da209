"""What is counted of inspections, and what the counts say."""
