#: URL of a database in memory, for a run that keeps no state.
NOWHERE = "sqlite://"
