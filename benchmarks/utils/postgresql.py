"""The PostgreSQL server of the benchmarks."""

from __future__ import annotations

OPTIONS = ("max_connections=40", "shared_buffers=128MB")
