"""The register of public bodies (ROO): hosts to visit, and whose a document is."""

from woo_harvester.register.intake import RegisterCopy
from woo_harvester.register.organisations import Location, Match, Organisation
from woo_harvester.register.reader import RegisterError, read_export
from woo_harvester.register.register import Register

__all__ = ["Location", "Match", "Organisation", "Register", "RegisterCopy", "RegisterError", "read_export"]
