"""The live display at the bottom of a terminal, with the log above it."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import ClassVar, TextIO, cast

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.text import Text

from woo_harvester.running.streams import write_stderr

_Draw = Callable[[], RenderableType]


class _AboveDisplay:
    """A stream for a log handler, which writes complete lines above the display."""

    def __init__(self, stream: TextIO, console: Console) -> None:
        self.stream = stream
        self._console = console
        self._rest = ""

    def write(self, text: str) -> int:
        """Print the complete lines; the terminal wraps long ones."""
        *lines, self._rest = (self._rest + text).split("\n")
        if lines:
            self._console.print(Text.from_ansi("\n".join(lines)), soft_wrap=True, highlight=False)
        return len(text)

    def flush(self) -> None:
        """Do nothing: only an incomplete line is kept."""


class Screen:
    """The display of all crawls in the process, since they share one terminal.

    Each crawl joins with a function that draws its part, and leaves at its end. The display is removed when
    the last crawl leaves. It has no thread: it is redrawn only by :meth:`refresh`.
    """

    _shared: ClassVar[Screen | None] = None

    def __init__(self, stream: TextIO) -> None:
        self._parts: list[_Draw] = []
        self._console = Console(file=stream, highlight=False)
        self._live = Live(
            console=self._console,
            auto_refresh=False,
            transient=True,  # the summary takes its place
            get_renderable=lambda: Group(*(draw() for draw in self._parts)),
            # What is printed to the terminal meanwhile is printed on purpose.
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._handlers: list[tuple[logging.StreamHandler[TextIO], _AboveDisplay]] = []

    @classmethod
    def join(cls, draw: _Draw, stream: TextIO) -> Screen:
        """Add a part to the display on *stream*, a terminal; make the display if there is none."""
        if cls._shared is None:
            cls._shared = cls(stream)
            cls._shared._start()
        cls._shared._parts.append(draw)
        return cls._shared

    @classmethod
    def write_lines(cls, text: str) -> None:
        """Write lines to stderr, above the display if there is one."""
        if cls._shared is None:
            write_stderr(text)
        else:
            cls._shared._console.print(Text(text), soft_wrap=True, highlight=False)

    def leave(self, draw: _Draw) -> None:
        """Remove a part; with the last part, remove the display."""
        self._parts.remove(draw)
        self.refresh()
        if not self._parts:
            type(self)._shared = None
            self._stop()

    def refresh(self) -> None:
        """Draw all parts again."""
        self._live.refresh()

    def _start(self) -> None:
        self._live.start()
        # A killed process would leave it hidden.
        self._console.show_cursor(True)
        for handler in logging.root.handlers:
            if isinstance(handler, logging.StreamHandler) and _is_terminal(handler.stream):
                above = _AboveDisplay(handler.stream, self._console)
                handler.setStream(cast("TextIO", above))
                self._handlers.append((handler, above))

    def _stop(self) -> None:
        self._live.stop()
        for handler, above in self._handlers:
            if cast("object", handler.stream) is above:
                handler.setStream(above.stream)


def can_show(stream: TextIO) -> bool:
    """Return whether *stream* is a terminal on which a display can be drawn."""
    return _is_terminal(stream) and Console(file=stream).is_interactive


def _is_terminal(stream: object) -> bool:
    isatty = getattr(stream, "isatty", None)
    return isatty is not None and bool(isatty())
