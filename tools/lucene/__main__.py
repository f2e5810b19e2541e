"""Write the tables of the Python analysis, taken from the Lucene of the Elasticsearch that the tests use.

    python -m tools.lucene

``Tables.java`` asks Lucene: the class of each character in its standard tokenizer, what its ASCII folding
makes of each character, and its Dutch stop words. Lucene is © The Apache Software Foundation, Apache License
2.0; the stop words are those of Snowball, revised BSD licence.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import woo_portal
from tests.utils.elasticsearch import java_home, unpacked

_OUTPUT = Path(str(woo_portal.__path__[0])) / "lucene.json"


def main() -> None:
    """Run the Java program, and replace the file with its output."""
    source = Path(__file__).with_name("Tables.java")
    java = [
        str(java_home() / "bin/java"),
        "-Dstdout.encoding=UTF-8",
        "-cp",
        f"{unpacked()}/lib/*",
        str(source),
    ]
    made = subprocess.run(java, check=True, capture_output=True)  # noqa: S603  # our own program
    _OUTPUT.write_bytes(made.stdout)


if __name__ == "__main__":
    main()
