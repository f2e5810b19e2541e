"""What a publisher and an operator see of a run: made from findings, statistics and accounts of hosts."""
