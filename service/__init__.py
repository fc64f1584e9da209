"""PrintProof: label inspection service."""

__version__ = "0.1.0"
