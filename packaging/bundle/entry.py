"""The packaged program's way in: the surroundings of its own are given back, then it begins."""

import os
import sys
from collections.abc import MutableMapping

from gpuexplorer.__main__ import main
from gpuexplorer.lab.packaged import folder

_ORIGINAL = "_ORIG"
_STARTERS = "_PYI_"
_SEARCHED = ("LD_LIBRARY_PATH", "LIBPATH", "DYLD_LIBRARY_PATH")


def give_back(environment: "MutableMapping[str, str]") -> None:
    """Undo what the packaged program's starter set for itself, before anybody else is started.

    The libraries that lie beside us are not made for the browser, the desktop's tools or the
    Pythons that are started from here. Ours were found by then.
    """
    for name in _SEARCHED:
        original = environment.pop(f"{name}{_ORIGINAL}", None)
        if original is not None:
            environment[name] = original
        elif environment.get(name) == str(folder()):
            del environment[name]
    for name in [each for each in environment if each.startswith(_STARTERS)]:
        del environment[name]


if __name__ == "__main__":
    give_back(os.environ)
    sys.exit(main())
