"""The first lines that run over there, in whatever Python that is, and take in the rest.

Any Python from 2.7 on has to understand them. Before them stand the names in capitals, and `i`,
which is the input without a buffer: what follows on it is for whoever runs then.
"""

STAGE = r"""
import os
import sys

# Nothing that lies in the folder we start in.
sys.path[:] = [each for each in sys.path if each]
OLDEST = (3, 10)
NEWEST = 14
PLACES = ["/usr/local/bin", "/opt/conda/bin", "~/.local/bin"]
PLACES += ["~/%s/bin" % each for each in ("miniconda3", "anaconda3", "miniforge3")]


def newer():
    import subprocess

    places = os.environ.get("PATH", "").split(os.pathsep) + PLACES
    with open(os.devnull, "r+b") as nothing:
        for number in range(NEWEST, OLDEST[1] - 1, -1):
            for place in places:
                path = os.path.join(os.path.expanduser(place), "python3.%d" % number)
                if os.path.isfile(path) and os.access(path, os.X_OK):
                    # It may be a script that finds none behind it.
                    if not subprocess.call(
                        [path, "-c", ""], stdin=nothing, stdout=nothing, stderr=nothing
                    ):
                        return path
    return None


if sys.version_info[:2] < OLDEST:
    found = newer() if ANY and len(sys.argv) == 1 else None
    if found is None:
        sys.exit("too old: %d.%d.%d" % sys.version_info[:3])
    # Through a pipe: everybody over there may read the words of a command line.
    told, tell = os.pipe()
    os.write(tell, s.encode("ascii"))
    os.close(tell)
    if hasattr(os, "set_inheritable"):
        os.set_inheritable(told, True)
    again = "import os;i=os.fdopen(0,'rb',0);s=os.fdopen(%d).read();exec(s)" % told
    os.execv(found, [found, "-u", "-c", again, "again"])
os.write(1, ("\n" + MARK[::-1] + "\n").encode("ascii"))
sys.argv[1:] = []
sys.dont_write_bytecode = True
os.environ.update(ENVIRONMENT)
# From here on it is 3.10 or newer.
import importlib.abc
import importlib.util
import io
import runpy
import threading
import traceback
import zipfile


def taken(size):
    pieces = []
    while size:
        piece = i.read(min(size, 1 << 16))
        if not piece:
            sys.exit("The program that was sent is not whole.")
        pieces.append(piece)
        size -= len(piece)
    return zipfile.ZipFile(io.BytesIO(b"".join(pieces)))


class Sent(importlib.abc.ExecutionLoader):
    files = taken(SIZE)
    names = set(files.namelist())

    def find_spec(self, name, path=None, target=None):
        for end, folders in (("/__init__.py", [name]), (".py", None)):
            file = name.replace(".", "/") + end
            if file in self.names:
                return importlib.util.spec_from_file_location(
                    name, PLACE + file, loader=self, submodule_search_locations=folders
                )
        return None

    def get_filename(self, name):
        spec = self.find_spec(name)
        if spec is None:
            raise ImportError(name)
        return spec.origin

    def get_data(self, path):
        return self.files.read(path[len(PLACE) :])

    def get_source(self, name):
        return self.get_data(self.get_filename(name)).decode("utf-8")

    def is_package(self, name):
        return self.find_spec(name).submodule_search_locations is not None


def threads_hook(told):
    if told.exc_type is not SystemExit:
        traceback.print_exception(told.exc_type, told.exc_value, told.exc_traceback)


sys.meta_path.insert(0, Sent())
# By themselves they look for the lines in files.
sys.excepthook = traceback.print_exception
threading.excepthook = threads_hook
runpy.run_module(MODULE, run_name="__main__")
"""
