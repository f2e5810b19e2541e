"""``python -m woo_harvester``: the same as the command ``woo-harvester``."""

from woo_harvester.running.console import main

if __name__ == "__main__":
    main()
