"""Makes .venv ready for what `make` was asked for; does nothing where it is.

Standard library only, since it runs before anything is installed. Called by set_up.sh.
"""

import argparse
import sys

import system_parts
from environment import Environment
from installing import ROOT, CannotGoOnError

# The extras of pyproject.toml that are installed, and what the system has to have.
EXTRAS: dict[str, set[str]] = {
    "run": set(),
    "check": {"dev"},
    "test": {"dev", "lab"},
    "bench": {"dev", "bench"},
    "trial": {"dev"},
}
PARTS = {
    "check": [system_parts.TESTS],
    "test": [system_parts.TESTS],
    "trial": [system_parts.TRIAL],
}


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
    except CannotGoOnError as trouble:
        print(trouble, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nStopped. The next make begins the set-up again.", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
