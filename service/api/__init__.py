"""HTTP: `docs/api.md` and `docs/openapi.json` are its contract."""
