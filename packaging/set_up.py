"""Makes .venv ready for what `make` was asked for; does nothing where it is.

Standard library only, since it runs before anything is installed. Called by set_up.sh.
"""

import argparse
import os
import subprocess
import sys

import system_parts
from environment import ROOT, CannotGoOnError, Environment, run

# The extras of pyproject.toml that are installed, and what the system has to have.
EXTRAS: dict[str, set[str]] = {
    "run": set(),
    "check": {"dev"},
    "test": {"dev"},
    "bench": {"dev", "bench"},
    "trial": {"dev"},
}
PARTS = {
    "check": [system_parts.TESTS],
    "test": [system_parts.TESTS],
    "trial": [system_parts.TRIAL],
}
WITHOUT = """\
GPU Explorer opens without PyTorch: until there is one, cells of the lab wait, and so do real
copies and lessons that need it."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("purpose", choices=EXTRAS)
    purpose: str = parser.parse_args().purpose
    environment = Environment(ROOT / ".venv")
    try:
        environment.make_ready(EXTRAS[purpose])
        # What was missing is looked for, and named, again each time until it is there.
        stamp = environment.folder / f".parts-{purpose}"
        wanted = [system_parts.WINDOW, *PARTS.get(purpose, [])]
        if not stamp.exists() and system_parts.provide(*wanted):
            stamp.touch()
        if purpose in {"run", "test"}:
            get_pytorch(environment, for_tests=purpose == "test")
    except CannotGoOnError as trouble:
        print(trouble, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nStopped. The next make begins the set-up again.", file=sys.stderr)
        return 130
    return 0


def get_pytorch(environment: Environment, *, for_tests: bool) -> None:
    """The program itself knows which build suits, and whether a Python here has it already. Its
    window opens without one too; tests want exactly the version they were written with.
    """
    stamp = environment.folder / ".pytorch"
    found = environment.folder.glob("lib/python3*/site-packages/torch-*.dist-info")
    there = {path.stem.partition("+")[0].replace("-", "==") for path in found}
    tested = there <= set((ROOT / "constraints.txt").read_text("utf-8").split())
    if stamp.exists() and (not for_tests or (there and tested)):
        return
    if os.environ.get("PYTORCH") == "no":
        if not for_tests:
            print(f"{WITHOUT} `make run` fetches it.", flush=True)
        return
    python = str(environment.python)
    if for_tests and not tested:
        uninstall = [python, "-I", "-m", "pip", "uninstall", "--yes", "torch"]
        run(uninstall, "pip could not remove the PyTorch that is there.")
    get = [python, "-m", "gpuexplorer", "doctor", "--get-pytorch", "--into"]
    get.append(str(environment.folder))
    if not for_tests:
        get.append("--unless-found")
    settings = {"PIP_CONSTRAINT": "constraints.txt"} if for_tests else {}
    done = subprocess.run(get, cwd=ROOT, env=os.environ | settings, check=False)
    if done.returncode == 0:
        stamp.touch()
    elif for_tests:
        raise CannotGoOnError("To leave out the tests that need PyTorch: PYTORCH=no make test")
    else:
        print(f"{WITHOUT} The next `make run` tries again.", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
