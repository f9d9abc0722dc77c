"""The program through which the session bus is called, where there is one of both."""

import os
import shutil
import sys
from pathlib import Path


def bus_caller() -> str:
    """The path of `busctl`, which systemd brings; empty where nothing could be called by it.

    Qt's own D-Bus module cannot say an unsigned number from Python, and a call in a process of
    its own never keeps the window waiting.
    """
    if sys.platform in ("win32", "darwin"):
        return ""
    address = os.environ.get("DBUS_SESSION_BUS_ADDRESS", "")
    folder = os.environ.get("XDG_RUNTIME_DIR", "")
    if not address and not (folder and Path(folder, "bus").exists()):
        return ""
    return shutil.which("busctl") or ""
