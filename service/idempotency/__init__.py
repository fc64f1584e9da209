"""One request, one result: what was sent again is answered with what came of it the first time."""
