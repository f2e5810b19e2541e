"""The download handler that streams responses, with its parts."""
