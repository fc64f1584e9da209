"""Sample labels with known truth, drawn from a seed: for the demo, for tests, for trying a recipe."""
