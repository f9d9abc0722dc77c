"""The lab's worker: asked to measure a copy, and to run lines typed into the lab."""

import os
import re
import shutil
import subprocess
import time
from contextlib import suppress

from trial.display import Display, display
from trial.program import Program, expect
from trial.refusal import CannotTryError
from trial.report import Step, StepError
from trial.root import HOME, Inside

_ON_PROCESSOR = ("copies", "--devices", "cpu,cpu", "--sizes", "64MiB", "--json")
_SAVED = f"{HOME}/typed.pt"
_LINES = ("a = torch.ones(3, device='cuda:0')", f"torch.save(a, '{_SAVED}')")
_STARTING = 60.0  # PyTorch takes its time when it is read from the disk for the first time
_OPENING = 120.0
_GLANCE = 0.5
_LAB = ("--simulate", "2xTitanRTX", "--view", "lab", "--size", "1500x950")
_MEASURED_BY = re.compile(r"Measured by .*?\)\.")
_OPEN = "100"  # seconds for which the window stays


def steps(program: Program, needs: "tuple[str, ...]") -> "list[Step]":
    return [
        Step("the worker measures a copy", lambda: measured(program), needs),
        Step("a line typed into the lab", lambda: typed(program), needs),
    ]


def measured(program: Program, *, python: str = "", inside: "Inside | None" = None) -> str:
    """Only a worker with PyTorch can tell; without a path the program finds one itself."""
    chosen = ("--python", python) if python else ()
    told = program.told(*_ON_PROCESSOR, *chosen, inside=inside)
    first = told["results"][0]
    expect(not told["simulated"] and not told["modelled"], "It was not measured.")
    expect(first["intact"] is True and first["median_s"] > 0, f"It did not arrive: {first}")
    by = program.run(
        "copies", "--devices", "cpu,cpu", "--sizes", "64MiB", *chosen, inside=inside
    )
    whose = _MEASURED_BY.search(" ".join(by.out.split()))
    expect(whose, f"It does not say which Python measured: {by.out[:300]}")
    return f"64 MiB at {first['rate_gbs']:.1f} GB/s, intact. {whose and whose[0]}"


def typed(program: Program) -> str:
    """Real keys to a real window; the file that the second line saves is the proof."""
    if shutil.which("xdotool") is None:
        raise CannotTryError("Nobody can type here. Type: apt-get install xdotool")
    saved = program.root.at(_SAVED)
    saved.unlink(missing_ok=True)
    words = (*_LAB, "--quit-after", _OPEN)
    with display() as screen:
        window = program.root.start([program.path, *words], screen.open_to(program.root))
        try:
            screen.drawn(_OPENING, lambda: window.ended)
            # There is no desktop here that would give the keyboard to a new window.
            visible = ("search", "--sync", "--onlyvisible", "--name", "GPU Explorer")
            _press(screen, *visible, "windowfocus", "--sync")
            _press(screen, "key", "ctrl+l")
            for line in _LINES:
                _press(screen, "type", "--delay", "20", line)
                _press(screen, "key", "Return")
            until = time.monotonic() + _STARTING
            while not saved.exists():
                if window.ended or time.monotonic() > until:
                    where = program.keep("lab-typed", screen.shows().as_png())
                    raise StepError(f"The lines were not carried out; see {where}")
                time.sleep(_GLANCE)
            shown = screen.drawn(_OPENING, lambda: window.ended)
        finally:
            _press(screen, "key", "ctrl+q")
            done = window.wait()
    program.judged(done, words)
    where = program.keep("lab-typed", shown.as_png())
    expect(not done.err, f"It complained: {done.err[:400]}")
    return f"Both lines ran on a simulated card, and the second wrote its file. See {where}"


def _press(screen: Display, *words: str) -> None:
    """What it does not do is missed by whoever waits for it."""
    with suppress(subprocess.TimeoutExpired):
        subprocess.run(
            ["xdotool", *words],
            env={**os.environ, "DISPLAY": screen.name, "XAUTHORITY": str(screen.cookies)},
            stdout=subprocess.DEVNULL,
            check=False,
            timeout=_OPENING,
        )
