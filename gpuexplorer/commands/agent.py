"""The agent's way in, over there: no verb, since no person starts it."""

import os
import sys

from gpuexplorer.telemetry.system import processor_time

# Over there Linux's own files are read, whatever psutil somebody installed.
if __name__ == "__main__" and sys.platform == "linux":
    sys.modules["psutil"] = None  # type: ignore[assignment]  # so that importing it fails


def main() -> None:
    # A share of the processor takes two looks, and importing the rest lies between them.
    before = processor_time()
    # What is started from here leaves no file either.
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    from gpuexplorer.remote.agent import serve  # noqa: PLC0415 - after what is said above
    from gpuexplorer.remote.wire import settings_of  # noqa: PLC0415

    serve(settings_of(os.environ), check_up, before)


def check_up(deep: bool) -> str:
    """What the doctor says here, but for what concerns windows and our own parts."""
    from gpuexplorer.commands.checkup.probe import Probe  # noqa: PLC0415 - seldom
    from gpuexplorer.commands.checkup.report import EXAMINATIONS, examine  # noqa: PLC0415

    there = EXAMINATIONS.keys() - {"display", "parts"}
    return examine(Probe(deep=deep), there).as_json()


if __name__ == "__main__":
    main()
