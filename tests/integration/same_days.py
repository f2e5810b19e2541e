"""The days that stories of several modules share; tests/conftest.py has one process play these modules."""

from __future__ import annotations

from tests.utils.calendar import Calendar
from tests.utils.daily import Harvester
from tests.utils.vergunningen import Towns

#: Nothing is asked of the documents. A host that is tried again is tried at once.
days = Calendar(Harvester, WOO_RETRY_BACKOFF=0.01)
permit_days = Calendar(Towns)
