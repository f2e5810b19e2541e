"""For tools that build an egg through setup.py, such as scrapyd-deploy; all metadata is in pyproject.toml."""

from setuptools import setup

setup()
