"""Threads: several things asked for at the same time, where each keeps its asker waiting."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")


def at_once(tasks: "Sequence[Callable[[], T]]") -> "list[T]":
    """Each in a thread of its own. They begin when all threads are there, and have ended when
    this returns or raises.
    """
    ready = threading.Event()

    def run(task: "Callable[[], T]") -> T:
        ready.wait()
        return task()

    with ThreadPoolExecutor(len(tasks)) as pool:
        try:
            asked = [pool.submit(run, task) for task in tasks]
        finally:
            ready.set()
        return [each.result() for each in asked]
