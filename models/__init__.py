"""Weight bundles: the catalogue, and the offline tools that fetch and convert them. Never used while serving."""
