"""Reads the same images with PrintProof and its peers, side by side, and counts time and mistakes."""
