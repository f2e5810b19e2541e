"""The version of the project. A checkout and an egg have no metadata with it, so it is in the code."""

VERSION = "1.0.0"
"""Version number by https://semver.org; ``pyproject.toml`` reads it."""
