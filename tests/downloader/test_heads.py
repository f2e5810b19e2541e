from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from woo_harvester.downloader.heads import HEAD_MAXSIZE, HeadError, check_head, rewritten

OK = b"HTTP/1.1 200"

#: Heads, without the empty line at their end, and what aiohttp reads in their place.
READ: dict[bytes, bytes] = {
    b"HTTP/1.1 200 OK\r\nA: b\r\nETag:  x \t": b"HTTP/1.1 200\r\nA: b\r\nETag: x \t",
    b"HTTP/1.0 404 Niet gevonden\nA: b": b"HTTP/1.0 404\r\nA: b",
    b"HTTP/2 200": OK,
    b"HTTP/2.0 200 OK": OK,
    b"http/1.1  200  ok": OK,
    b"HTTP/1.1 103 Early\r\nLink: <a>": b"HTTP/1.1 103\r\nLink: <a>",
    # Lines that are no headers, and what a header may not have in it.
    OK + b"\r\nHTTP/1.1 200 OK\r\nX=1;\r\n: x\r\nX Y: z\r\nA: b": OK + b"\r\nA: b",
    OK + b"\r\nA: b\rc\r\nD: e\0f\r\nG : h": OK + b"\r\nA: b c\r\nD: e f\r\nG: h",
    OK + b"\r\n X: y\r\nA: b\r\n\tc\r\n Content-Length: 3": OK + b"\r\nA: b c Content-Length: 3",
    # Where the body ends.
    OK + b"\r\nContent-Length: 5\r\nA: b\r\ncontent-length: 5": OK + b"\r\nA: b\r\nContent-Length: 5",
    OK + b"\r\nContent-Length: 5, 5": OK + b"\r\nContent-Length: 5",
    OK + b"\r\nTransfer-Encoding:\r\nContent-Length: 5": OK + b"\r\nContent-Length: 5",
    OK + b"\r\nTransfer-Encoding: Identity\r\nContent-Length: 5": OK + b"\r\nContent-Length: 5",
    OK + b"\r\nContent-Length: 5\r\nTransfer-Encoding: Chunked": OK + b"\r\nTransfer-Encoding: chunked",
    OK + b"\r\nTransfer-Encoding: identity, chunked": OK + b"\r\nTransfer-Encoding: chunked",
}

#: Heads that cannot be read, and the line that is named.
REFUSED: dict[bytes, str] = {
    b"HTTP/1.1 2000 OK": "HTTP/1.1 2000 OK",
    b"HTTP/1.1 OK": "HTTP/1.1 OK",
    b"220 mail.example ESMTP\r\n": "220 mail.example ESMTP",
    b"\x00\x12": r"\x00\x12",
    OK + b"\r\nContent-Length: 5\r\nContent-Length: 6": "Content-Length: 5, 6",
    OK + b"\r\nContent-Length: vijf": "Content-Length: vijf",
    OK + b"\r\nContent-Length: -1": "Content-Length: -1",
    OK + b"\r\nContent-Length:": "Content-Length: ",
    OK + b"\r\nContent-Length: " + b"9" * 19: f"Content-Length: {'9' * 19}",
    OK + b"\r\nTransfer-Encoding: gzip, chunked": "Transfer-Encoding: gzip, chunked",
    OK + b"\r\nA: b\r\nX: " + b"y" * HEAD_MAXSIZE: f"{HEAD_MAXSIZE + 27} bytes: X: {'y' * 83}",
}


def test_an_answer_is_read_where_it_can_mean_one_thing_only() -> None:
    for head, read in READ.items():
        assert check_and_rewrite(head + b"\r\n\r\n") == read + b"\r\n\r\n", head


def test_a_head_that_cannot_be_read_is_refused_with_its_line() -> None:
    for head, line in REFUSED.items():
        with pytest.raises(HeadError) as caught:
            check_and_rewrite(head + b"\r\n\r\n")
        assert caught.value.message == line


@given(
    st.lists(st.sampled_from([b"HTTP/1.1 200", b"\r\n", b"\n", b"\r", b" ", b"Content-Length", b":", b"5"]))
)
@example([b"HTTP/1.1 200", b" ", b"\r\n"])
def test_what_was_rewritten_stays_as_it_is(parts: list[bytes]) -> None:
    try:
        once = check_and_rewrite(b"".join(parts) + b"\r\n\r\n")
    except HeadError:
        return
    assert check_and_rewrite(once) == once


def check_and_rewrite(head: bytes) -> bytes:
    check_head(bytearray(head))
    return rewritten(bytearray(head))
