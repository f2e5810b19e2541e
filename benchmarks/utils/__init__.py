"""Parts that several benchmarks share: publishers on loopback, measured runs, sample data, peers."""
