"""Download handlers: how bytes come from a publisher's server."""
