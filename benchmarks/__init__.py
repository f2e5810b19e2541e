"""Programs that each measure one thing and print one table. They are no tests; README.md lists them."""
