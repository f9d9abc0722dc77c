"""The commands, typed by somebody without a display: what they tell can be read on."""

from trial.display import display
from trial.program import Program, expect
from trial.report import Step

_SIMULATED = ("--simulate", "2xTitanRTX")
_WIDE = 78


class Commands:
    """One step for each."""

    def __init__(self, program: Program) -> None:
        self._program = program

    def steps(self) -> "list[Step]":
        return [
            Step("--version, --help", self.version, ("install",)),
            Step("snapshot --json", self.snapshot, ("install",)),
            Step("topology", self.topology, ("install",)),
            Step("doctor", self.doctor, ("install",)),
            Step("copies --simulate 2xTitanRTX --json", self.copies, ("install",)),
            Step("manual, completions, menu entry", self.beside, ("install",)),
        ]

    def version(self) -> str:
        version = self._program.run("--version").out.strip()
        expect(version[:1].isdigit(), f"It called itself {version!r}.")
        helped = self._program.run("--help").out
        expect("doctor" in helped, f"The help names no doctor: {helped[:200]}")
        return f"It is {version}."

    def snapshot(self) -> str:
        bare = self._program.told("snapshot", "--json")
        expect(bare["simulated"] is False, "It says of itself that it is simulated.")
        memory = bare["host"]["values"]["memory_used"]["value"]
        expect(memory > 0, "It tells no memory of the computer.")
        told = self._program.told("snapshot", "--json", *_SIMULATED)
        expect(len(told["cards"]) == 2, f"It tells of {len(told['cards'])} cards, not of two.")
        expect(told["simulated"] is True, "It does not say that they are simulated.")
        return (
            f"Without cards it tells of the computer alone, {memory / 1e9:.1f} GB in use; with "
            "two simulated ones it tells of both."
        )

    def topology(self) -> str:
        said = self._program.run("topology", "--simulate", "8xH100+nvlink").out
        expect("NV" in said, f"No NVLink is named: {said[:200]}")
        return "Eight simulated cards and their NVLinks."

    def doctor(self) -> str:
        said = self._program.run("doctor").out
        for word in ("Display", "Python", "driver"):
            expect(word.lower() in said.lower(), f"Nothing is said of {word}: {said[:300]}")
        widest = max(len(line) for line in said.splitlines())
        told = self._program.told("doctor", "--json")
        missing = [each for each in _sentences(told) if "not installed" in each]
        expect(not missing, f"It misses a part of its own: {' '.join(missing)}")
        with display() as screen:
            opened = self._program.run("doctor", inside=screen.open_to(self._program.root)).out
        expect("A window can open" in opened, f"It sees no way to a window: {opened[:600]}")
        return f"It looks at everything, in {len(said.splitlines())} lines of at most {widest}."

    def copies(self) -> str:
        told = self._program.told("copies", *_SIMULATED, "--json")
        expect(told["complete"] is True, "It did not get to its end.")
        expect(told["simulated"] is True, "It does not say that the cards are simulated.")
        return f"{len(told['results'])} results, each said to be simulated."

    def beside(self) -> str:
        wanted = (
            "/usr/share/man/man1/gpuexplorer.1.gz",
            "/usr/share/bash-completion/completions/gpuexplorer",
            f"/usr/share/doc/{self._program.size.package}/copyright",
        )
        absent = [path for path in wanted if not self._program.root.at(path).exists()]
        absent += [
            pattern
            for pattern in (
                "usr/share/applications/*.desktop",
                "usr/share/metainfo/*.xml",
                "usr/share/icons/hicolor/*/apps/*gpu*",
            )
            if not list(self._program.root.folder.glob(pattern))
        ]
        expect(not absent, f"The package brings none of these: {' '.join(absent)}")
        return "They lie where the system looks for them."


def _sentences(told: object) -> "list[str]":
    if isinstance(told, dict):
        return [each for value in told.values() for each in _sentences(value)]
    if isinstance(told, list):
        return [each for value in told for each in _sentences(value)]
    return [told] if isinstance(told, str) else []
