"""The doctor's report of another machine: made over there by the same code, and read again."""

import argparse
from typing import Any

from gpuexplorer.commands.checkup.finding import Subject, Topic, Verdict
from gpuexplorer.commands.checkup.report import Report
from gpuexplorer.commands.far_source import connected
from gpuexplorer.core.harmless import json_of
from gpuexplorer.core.records import UNREADABLE, reader
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message
from gpuexplorer.remote.wire import CheckedUp, CheckUp
from gpuexplorer.telemetry.looked_for import Looked

_PATIENCE, _DEEP_PATIENCE = 60.0, 180.0


def examined(host: str, arguments: argparse.Namespace) -> Report:
    """Raises Trouble where there is no connection, or no report that can be read."""
    far = connected(host, arguments.host_python)
    try:
        patience = _DEEP_PATIENCE if arguments.deep else _PATIENCE
        told = far.asking.ask(CheckUp(0, arguments.deep), CheckedUp, patience)
    finally:
        far.stop(1.0)
    try:
        return _report(json_of(told.report), far.stream.computer)
    except UNREADABLE:
        raise Trouble("What {host} said of itself cannot be read.", host=host) from None


# Any: JSON that is checked field by field; facts are whatever JSON there is, for programs.
def _report(told: Any, computer: str) -> Report:
    topics = [
        Topic(
            Subject(each["topic"]),
            reader(tuple[str, ...])(each["details"]),
            dict(each["facts"]),
            Verdict(each["verdict"]),
            reader(Message)(each["sentence"]),
            reader(Message)(each["do"]),
        )
        for each in told["topics"]
    ]
    looked_for = reader(tuple[Looked, ...])(told["looked_for"])
    return Report(reader(str)(told["taken_at"]), topics, looked_for, computer)
