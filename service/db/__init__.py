"""The database: connections and schema."""
