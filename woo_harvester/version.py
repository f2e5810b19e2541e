"""Which version of the program this is; also in a checkout and in an egg, which have no metadata to ask."""

VERSION = "0.1.0"
"""By https://semver.org; ``pyproject.toml`` takes it from here."""
