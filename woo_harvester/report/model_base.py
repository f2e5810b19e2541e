"""What all models of ``report.json`` share."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class ReportModel(BaseModel):
    """A part of the report. Its JSON Schema has the texts below the fields as descriptions."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)


class OrganisationRef(ReportModel):
    """An organisation of the government."""

    id: str
    """Its TOOI URI, or its systeemId in the register if it has no TOOI URI."""
    name: str
