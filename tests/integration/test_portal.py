"""``scrapy portal`` as a user types it: it starts, sees new records, stops, or says why it cannot."""

from __future__ import annotations

import json
import signal
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import httpx
import pytest

from tests.portal.records import OTHER, bare, full, withdrawn
from tests.utils.command import run_scrapy, start_forked
from tests.utils.portals import START, running_portal
from tests.utils.waiting import STUCK, wait_until

pytestmark = pytest.mark.integration

Ask = Callable[[str], httpx.Response]


def write(path: Path, *records: Any) -> None:
    path.parent.mkdir(exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(record) + "\n" for record in records)


@contextmanager
def portal(cwd: Path, *args: str, stop: signal.Signals = signal.SIGTERM, **settings: Any) -> Iterator[Ask]:
    """Run a portal until the end of the block; give what asks it."""
    with running_portal(cwd, *args, stop=stop, **settings) as address:
        yield lambda path: httpx.get(urljoin(address, path), trust_env=False, timeout=STUCK)


def found(ask: Ask, question: str) -> str:
    """The heading above the hits of a search."""
    page = ask(f"/?q={question}").text
    return page.partition('id="gevonden">')[2].partition("<")[0]


@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGINT])
def test_it_searches_what_runs_wrote_and_stops_well(tmp_path: Path, stop: signal.Signals) -> None:
    write(tmp_path / "records" / "woo-1.jsonl", full(), bare(), withdrawn())
    with portal(tmp_path, stop=stop) as ask:
        assert "Zoek in 2 documenten van 1 organisatie." in ask("/").text
        assert found(ask, "stikstof") == "1 document"
        assert found(ask, "ontbrekend") == "0 documenten"
        assert ask(f"/document/{full()['id']}").status_code == 200
        assert ask(f"/document/{withdrawn()['id']}").status_code == 410
        assert ask("/gezond").text == "gezond\n"


def test_new_records_are_found_while_it_runs_and_by_the_next_start(tmp_path: Path) -> None:
    write(tmp_path / "records" / "woo-1.jsonl", full())
    with portal(tmp_path) as ask:
        assert found(ask, "kaart") == "0 documenten"
        write(tmp_path / "records" / "woo-1.jsonl", bare())
        write(tmp_path / "records" / "woo-2.jsonl", bare("https://a.nl/2.pdf", "Nog een kaart"))
        wait_until(lambda: found(ask, "kaart") == "2 documenten", "new lines and files are found")
    (tmp_path / "records" / "woo-1.jsonl").unlink()
    with portal(tmp_path, "--no-watch") as ask:
        assert found(ask, "stikstof") == "1 document"
    with portal(tmp_path, "--rebuild", "--no-watch") as ask:
        assert found(ask, "stikstof") == "0 documenten"


def test_a_portal_whose_index_is_gone_says_so_and_makes_it_anew(tmp_path: Path) -> None:
    write(tmp_path / "records" / "woo-1.jsonl", full())
    process = start_forked(["portal", "--port", "0"], tmp_path)
    wait_until(lambda: "\n" in process.stdout or process.ended, "the portal says where it is")
    address = process.stdout.removeprefix(START).split()[0]

    def status(path: str) -> int:
        return httpx.get(address + path, trust_env=False, timeout=STUCK).status_code

    assert status("gezond") == 200
    (index,) = tmp_path.glob("**/portal/index-*")
    index.rename(tmp_path / "gone")
    wait_until(lambda: "made anew" in process.stderr, "the line")
    wait_until(lambda: status("gezond") == 200, "it is well again")
    assert status("?q=stikstof") == 200
    process.send(signal.SIGTERM)
    done = process.done(STUCK)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("made anew") == 1


def test_sigterm_while_it_fills_its_index_is_no_fault(tmp_path: Path) -> None:
    records = [bare(f"https://a.nl/{number}.pdf") for number in range(200)]
    for number in range(100):
        write(tmp_path / "records" / f"woo-{number}.jsonl", *records)
    process = start_forked(["portal", "--port", "0"], tmp_path)
    wait_until(lambda: any(tmp_path.glob("**/portal/index-*/*.lock")) or process.ended, "the fill")
    process.send(signal.SIGTERM)
    done = process.done(STUCK)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert "Traceback" not in done.stderr


def test_a_copy_follows_a_portal_that_is_stopped_and_made_anew(tmp_path: Path) -> None:
    records = tmp_path / "records" / "woo-2.jsonl"
    write(records, full())
    address, copied = "/wijzigingen.jsonl", dict[str, str]()

    def follow(ask: Ask, address: str) -> str:
        while lines := (answer := ask(address)).text.splitlines():
            copied.update(
                (record["id"], record["versies"][0]["oorzaak"]) for record in map(json.loads, lines)
            )
            address = answer.links["next"]["url"].partition(answer.request.url.netloc.decode())[2]
        return address

    with portal(tmp_path) as ask:
        address = follow(ask, address)
        write(records, bare())
        wait_until(lambda: ask("/wijzigingen.jsonl").text.count("\n") == 2, "the new line is read")
        address = follow(ask, address)
    late = withdrawn()  # of a day before, in a file before the other
    late["herkomst"]["opgehaald"] = (datetime.now(UTC) - timedelta(days=1)).isoformat()
    write(tmp_path / "records" / "woo-1.jsonl", late)
    with portal(tmp_path, "--rebuild", "--no-watch") as ask:
        address = follow(ask, address)
        assert ask(address).text == ""
    gone = withdrawn(OTHER)
    gone["herkomst"]["opgehaald"] = "2099-01-01T00:00:00+01:00"
    write(records, gone)
    with portal(tmp_path, "--no-watch") as ask:
        follow(ask, address)
    assert copied == {full()["id"]: "wijziging", gone["id"]: "intrekking", withdrawn()["id"]: "intrekking"}


def test_copies_of_documents_are_served_if_the_operator_says_so(tmp_path: Path) -> None:
    record, content = full(), b"%PDF-1.7\n" + b"x" * 3_000_000
    digest = sha256(content).hexdigest()
    record["versies"][0]["bestanden"][0]["pad"] = f"{digest[:2]}/{digest}"
    write(tmp_path / "records" / "woo-1.jsonl", record)
    (tmp_path / "documenten" / digest[:2]).mkdir(parents=True)
    (tmp_path / "documenten" / digest[:2] / digest).write_bytes(content)
    path = f"/document/{record['id']}/kopie/1"
    with portal(tmp_path, FILES_STORE="documenten") as ask:
        assert ask(path).status_code == 404
    with portal(tmp_path, FILES_STORE="documenten", WOO_PORTAL_FILES=True) as ask:
        assert ask(path).content == content
        assert ask(f"/documenten/{record['id']}").headers["content-type"] == "application/pdf"
        assert f'href="{path}"' in ask(f"/document/{record['id']}").text


def test_below_the_path_of_a_proxy(tmp_path: Path) -> None:
    write(tmp_path / "mijn.jsonl", full())
    with portal(tmp_path, "mijn.jsonl", WOO_PORTAL_PATH="/woo", WOO_PORTAL_TITLE="Zoek <hier>") as ask:
        page = ask("/?q=stikstof").text  # the proxy has taken its path away
    assert f'href="/woo/document/{full()["id"]}"' in page
    assert "Zoek &lt;hier&gt;" in page
    assert 'href="/document' not in page


def test_a_second_portal_on_the_same_index_says_so(tmp_path: Path) -> None:
    write(tmp_path / "records" / "woo-1.jsonl", full())
    with portal(tmp_path):
        done = run_scrapy(["portal", "--port", "0"], tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert one_line(done.stderr).startswith("scrapy portal: error: another portal uses ")


def test_a_port_that_is_taken_costs_no_filling(tmp_path: Path) -> None:
    write(tmp_path / "records" / "woo-1.jsonl", full())
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = run_scrapy(["portal", "--port", port], tmp_path)
    assert done.returncode == 1
    assert one_line(done.stderr) == (
        f"scrapy portal: error: cannot listen at 127.0.0.1 port {port} (Address already in use): "
        "choose another with --port"
    )
    assert not (tmp_path / ".scrapy" / "portal").exists()


@pytest.mark.parametrize(
    ("args", "settings", "status", "line"),
    [
        ([], {}, 1, "no records in records/*.jsonl: scrapy crawl woo makes them, and scrapy demo --portal"),
        (["niet.jsonl"], {}, 1, "niet.jsonl: no such file of records"),
        (["."], {}, 2, ". is a folder: name the files of records in it, such as ./*.jsonl"),
        (["--port", "x"], {}, 2, "argument --port: invalid int value: 'x'"),
        (["--port", "70000"], {}, 2, "--port: expected a number from 0 to 65535, got 70000"),
        (["--hots", "a"], {}, 2, "unknown option --hots: scrapy portal -h"),
        (["--host", "nergens.invalid"], {}, 1, "cannot listen at nergens.invalid port 0"),
        (
            ["--host", "192.0.2.1"],
            {},
            1,
            "cannot listen at 192.0.2.1 port 0 (Cannot assign requested address): choose another with --host",
        ),
        ([], {"WOO_ELASTICSEARCH_URL": "http://127.0.0.1:1"}, 1, "Elasticsearch cannot be reached"),
        (["a.jsonl"], {"WOO_ELASTICSEARCH_URL": "http://127.0.0.1:1"}, 2, "the portal asks WOO_ELASTIC"),
        ([], {"WOO_PORTAL_TILES": "javascript:alert(1)"}, 2, "WOO_PORTAL_TILES: expected URL"),
        ([], {"WOO_PORTAL_FILES": True}, 2, "WOO_PORTAL_FILES: FILES_STORE is not set"),
        (
            [],
            {"WOO_PORTAL_FILES": True, "FILES_STORE": "s3://x/"},
            2,
            "WOO_PORTAL_FILES: FILES_STORE names a",
        ),
        (
            [],
            {"WOO_PORTAL_FILES": True, "FILES_STORE": "/dev/null"},
            2,
            "WOO_PORTAL_FILES: FILES_STORE is no folder: /dev/null",
        ),
        ([], {"WOO_PORTAL_FILES": "soms"}, 2, "WOO_PORTAL_FILES: expected boolean"),
        ([], {"WOO_PORTAL_PROCESSES": 0}, 2, "WOO_PORTAL_PROCESSES: expected processes from 1"),
        ([], {"WOO_DATA_DIR": "/proc/nergens"}, 1, "/proc/nergens"),
    ],
)
def test_what_keeps_it_from_starting_is_one_line(
    tmp_path: Path, args: Sequence[str], settings: dict[str, object], status: int, line: str
) -> None:
    port = [] if "--port" in args else ["--port", "0"]
    done = run_scrapy(["portal", *args, *port], tmp_path, settings=settings)
    assert (done.returncode, done.stdout) == (status, "")
    assert one_line(done.stderr).startswith(f"scrapy portal: error: {line}")


def one_line(text: str) -> str:
    """The only line of a text."""
    assert text.count("\n") == 1, text
    return text.rstrip("\n")
