"""The window, on an X server as on a desk: every screen of it, and where it is hard to open."""

import shutil
from collections.abc import Mapping
from typing import Any

from gpuexplorer.commands.window_arguments import SCREENS
from trial.display import Display, display
from trial.program import Program, as_json, expect
from trial.report import Step, StepError
from trial.root import HOME, Done, Inside, Running
from trial.xwd import Shown

_SIMULATED = ("--simulate", "2xTitanRTX")
_SIZE = ("--size", "1400x900")
_PATIENCE = 120.0  # for a window, on a machine that has other things to do


class Windows:
    """`name` stands before the names of its pictures."""

    def __init__(self, program: Program, name: str = "") -> None:
        self._program = program
        self._name = name

    def steps(self) -> "list[Step]":
        return [
            Step("pictures of every screen", self.pictures, ("install",)),
            Step("a window under Xvfb", self.window, ("install",)),
            Step("from the menu", self.from_menu, ("install",)),
            Step("started twice", self.twice, ("install",)),
            Step("a read-only home", self.read_only_home, ("install",)),
            Step("no home at all", self.no_home, ("install",)),
            Step("without a display", self.no_display, ("install",)),
            Step("a display that does not answer", self.dead_display, ("install",)),
            Step("over a remote X connection", self.remote, ("install",)),
        ]

    def pictures(self) -> str:
        folder = f"{HOME}/pictures"
        with display() as screen:
            self._program.run(
                *(*_SIMULATED, "--screenshot", folder, "--view", "all", "--theme", "both"),
                inside=screen.open_to(self._program.root),
            )
        found = sorted(self._program.root.at(folder).glob("*.png"))
        missing = [
            f"{screen_name}-{theme}"
            for screen_name in SCREENS
            for theme in ("dark", "light")
            if not any(screen_name in each.name and theme in each.name for each in found)
        ]
        expect(not missing, f"No picture of: {', '.join(missing)}")
        for each in found:
            self._program.pictures.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(each, self._program.pictures / each.name)
        return f"{len(found)} pictures, in {self._program.pictures}."

    def window(self) -> str:
        with display() as screen:
            told, where = self._seen(screen, "window")
        return f"{_in_words(told)} Its picture: {where}"

    def from_menu(self) -> str:
        """As it is the first time, on a computer without a card."""
        entries = self._program.root.at("/usr/share/applications")
        lines = [
            line.removeprefix("Exec=")
            for entry in sorted(entries.glob("*gpuexplorer*.desktop"))
            for line in entry.read_text("utf-8").splitlines()
            if line.startswith("Exec=")
        ]
        expect(lines, "There is no entry for the menu.")
        words = ["sh", "-c", f"exec {lines[0]} --quit-after 8"]
        with display() as screen:
            window = self._program.root.start(words, screen.open_to(self._program.root))
            shown, done = self._shown(screen, window, ("--quit-after", "8"))
        expect(not done.err, f"It complained: {done.err[:400]}")
        where = self._program.keep(f"{self._name}first-start", shown.as_png())
        return f"`{lines[0]}` opens the window as it is without cards: {where}"

    def remote(self) -> str:
        """No ssh is needed for that: a network connection without shared memory is all that
        `ssh -X` gives a program.
        """
        with display(remote=True) as screen:
            told, where = self._seen(screen, "remote")
        return (
            f"Through the network, with a cookie and without shared memory. {_in_words(told)} "
            f"Its picture: {where}"
        )

    def twice(self) -> str:
        words = (*_SIMULATED, *_SIZE, "--quit-after", "6")
        with display() as screen:
            inside = screen.open_to(self._program.root)
            both = [
                self._program.root.start([self._program.path, *words], inside) for _ in "12"
            ]
            for each in both:
                done = self._program.judged(each.wait(), words)
                expect(not done.err, f"One of the two said: {done.err[:300]}")
        return "Two windows at once, both to their end."

    def read_only_home(self) -> str:
        with display() as screen:
            opened = screen.open_to(self._program.root)
            inside = Inside(opened.environment, shown=opened.shown, read_only=(HOME,))
            said = self._opens(inside)
            told = self._program.told("snapshot", "--json", inside=inside)
        expect(told["schema"] >= 1, "No snapshot either.")
        return f"{said} And a snapshot is told."

    def no_home(self) -> str:
        with display() as screen:
            opened = screen.open_to(self._program.root)
            inside = Inside(
                {**opened.environment, "HOME": "/nonexistent"}, shown=opened.shown, folder="/"
            )
            return self._opens(inside)

    def no_display(self) -> str:
        done = self._program.run(*_SIMULATED)
        expect("display" in done.err.lower(), f"It does not say why: {done.err[:300]}")
        expect("TITAN" in done.out, f"There is no table instead: {done.out[:300]}")
        return f"It says: {' '.join(done.err.split())}"

    def dead_display(self) -> str:
        inside = Inside({"DISPLAY": "127.0.0.1:1234"})
        done = self._program.run(*_SIMULATED, inside=inside)
        expect("display" in done.err.lower(), f"It does not say why: {done.err[:300]}")
        return f"It says: {' '.join(done.err.split())}"

    def _opens(self, inside: Inside) -> str:
        """What it says of itself at its end shows that it was a window."""
        words = (*_SIMULATED, *_SIZE, "--quit-after", "4", "--diagnostics", "-")
        done = self._program.run(*words, inside=inside)
        told = as_json(done.out, "gpuexplorer --diagnostics -")
        return f"The window opens: {_in_words(told)} {_aside(done.err)}"

    def _shown(
        self, screen: Display, window: Running, words: "tuple[str, ...]"
    ) -> "tuple[Shown, Done]":
        try:
            shown = screen.drawn(_PATIENCE, lambda: window.ended)
        except StepError:
            self._program.judged(window.wait(), words)  # its own words say more
            raise
        return shown, self._program.judged(window.wait(), words)

    # Any: whatever JSON holds.
    def _seen(self, screen: Display, name: str) -> "tuple[Mapping[str, Any], str]":
        told = f"{HOME}/{name}.json"
        ending = ("--quit-after", "8", "--diagnostics", told)
        words = (*_SIMULATED, *_SIZE, "--view", "overview", *ending)
        inside = screen.open_to(self._program.root)
        window = self._program.root.start([self._program.path, *words], inside)
        shown, done = self._shown(screen, window, words)
        where = self._program.keep(f"{self._name}{name}", shown.as_png())
        expect(not done.err, f"It complained: {done.err[:400]}")
        text = self._program.root.at(told).read_text("utf-8")
        return as_json(text, "gpuexplorer --diagnostics"), where


def _in_words(told: "Mapping[str, Any]") -> str:
    expect(told["window_system"] == "xcb", f"It drew through {told['window_system']}, not X11.")
    return (
        f"{told['frames']['drawn']} frames on {told['window_system']}, the first reading after "
        f"{told['first_reading_seconds']:.2f} s."
    )


def _aside(said: str) -> str:
    words = " ".join(said.split())
    return f"It says: {words}" if words else "It says nothing of it in the terminal."
