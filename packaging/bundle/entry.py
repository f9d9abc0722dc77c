"""The packaged program's way in: the surroundings of its own are given back, then it begins."""

import os
import sys

from gpuexplorer.__main__ import main
from gpuexplorer.lab.packaged import give_back

if __name__ == "__main__":
    give_back(os.environ)
    sys.exit(main())
