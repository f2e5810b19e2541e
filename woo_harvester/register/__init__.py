"""The Register van Overheidsorganisaties (ROO): hosts to visit, and the organisation of a document."""

from woo_harvester.register.reader import RegisterError, read_export
from woo_harvester.register.register import Location, Match, Organisation, Register
from woo_harvester.register.stored_copy import RegisterCopy

__all__ = ["Location", "Match", "Organisation", "Register", "RegisterCopy", "RegisterError", "read_export"]
