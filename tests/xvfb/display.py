"""An X server without a screen, for as long as it is needed."""

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

WIDE, HIGH = 1920, 1200


def there_is_one() -> bool:
    return shutil.which("Xvfb") is not None


@contextmanager
def x_server() -> Iterator[Mapping[str, str]]:
    """What has to stand in the environment of a program that is to show its window there."""
    told, tells = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(tells), "-screen", "0", f"{WIDE}x{HIGH}x24"],
        pass_fds=[tells],
        stderr=subprocess.DEVNULL,
    )
    os.close(tells)
    try:
        with os.fdopen(told) as pipe:
            number = pipe.readline().strip()
        yield {"DISPLAY": f":{number}", "QT_QPA_PLATFORM": "xcb"}
    finally:
        server.terminate()
        server.wait()
