"""``python -m woo_harvester``: the same as the command ``woo-harvester``."""

import gc

#: The exit status of a command that Ctrl-C has ended, as a shell gives it: 128 and the number of SIGINT.
_INTERRUPTED = 130


def main() -> None:
    """Run the command in ``sys.argv``. Ctrl-C ends it without a traceback, also while it is being imported.

    A run of a spider does not end here: Scrapy stops it in order.
    """
    gc.set_threshold(50_000)  # the imports make no garbage, and looking for it takes a tenth of the start
    try:
        from woo_harvester.running.console import main as run  # noqa: PLC0415 -- takes a second

        run()
    except KeyboardInterrupt:
        raise SystemExit(_INTERRUPTED) from None


if __name__ == "__main__":
    main()
