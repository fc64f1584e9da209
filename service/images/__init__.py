"""Inspected images, kept exactly as they were sent: in a folder or in an S3 bucket."""
