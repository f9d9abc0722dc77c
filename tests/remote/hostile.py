"""A host that means harm, or is broken. Run over there instead of our agent, by `sh -c`.

`hostile.py MANNER [FILE]` reads where our mark stands in what it is sent, says it, and then
whatever its manner is.
"""

import re
import sys
import time


def main(manner: str, path: str) -> None:
    out = sys.stdout.buffer
    stage = sys.stdin.buffer.readline().decode("ascii", "replace")
    found = re.search(r"MARK = \W*([0-9a-f]{32})", stage)
    assert found
    out.write(b"\n" + found.group(1)[::-1].encode() + b"\n")
    out.flush()
    lines = open(path, "rb").read()  # noqa: PTH123, SIM115 - runs in a bare Python
    if manner == "flood":
        while True:
            out.write(lines)
    out.write(lines)
    out.flush()
    if manner == "gigabytes":
        for _ in range(1 << 14):
            out.write(b'{"is":"Knocked","id":' + b"1" * 65_536)
    while sys.stdin.buffer.readline():
        time.sleep(0)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
