"""What to type so that one Python gets a PyTorch that fits, by the way that Python is kept."""

import re

from gpuexplorer.commands.checkup.interpreters import Interpreter
from gpuexplorer.commands.checkup.probe import Probe
from gpuexplorer.core.words import Message, told
from gpuexplorer.telemetry.place import is_there

_INDEX = "https://download.pytorch.org/whl/cu{tag}"
# They are built for one PyTorch, so they are replaced with it.
_COMPANIONS = ("torchvision", "torchaudio")


def install_torch(probe: Probe, python: Interpreter, cuda: str) -> Message:
    """Steps that replace its PyTorch, or bring the first one, by the build for this CUDA."""
    if probe.exists(f"{python.prefix}/conda-meta"):
        command = f"conda install -p {_quoted(python.prefix)} -c conda-forge pytorch-gpu"
        run = Message("Run: `{command}`", command=command)
        return told(run, Message("conda chooses the CUDA that the driver can run."))
    index = _INDEX.format(tag=cuda.replace(".", ""))
    if _kept_by_the_system(probe, python):
        return Message(
            "This Python belongs to the system, so make one of your own: `{make}`, then"
            " `{install}`.",
            make=f"{_program(probe, python)} -m venv ~/torch",
            install=f"~/torch/bin/pip install torch --index-url {index}",
        )
    packages = " ".join(["torch", *(name for name in _COMPANIONS if _has(python, name))])
    if not _has(python, "torch"):
        command = f"{pip(probe, python, 'install')} torch --index-url {index}"
        return Message("Run: `{command}`", command=command)
    return Message(
        "Run `{remove}`, then `{install}`.",
        remove=f"{pip(probe, python, 'uninstall')} {packages}",
        install=f"{pip(probe, python, 'install')} {packages} --index-url {index}",
    )


def pip(probe: Probe, python: Interpreter, verb: str) -> str:
    """The beginning of a command that installs into, or uninstalls from, just this Python."""
    program = _program(probe, python)
    settings = probe.read(f"{python.prefix}/pyvenv.cfg") or ""
    if not _has(python, "pip") and re.search(r"^uv\s*=", settings, re.MULTILINE):
        return f"uv pip {verb} --python {program}"
    return f"{program} -m pip {verb}{' --yes' if verb == 'uninstall' else ''}"


def _kept_by_the_system(probe: Probe, python: Interpreter) -> bool:
    return probe.exists(f"{python.prefix}/lib/python{python.version}/EXTERNALLY-MANAGED")


def _has(python: Interpreter, package: str) -> bool:
    return any(is_there(folder / package) for folder in python.packages)


def _program(probe: Probe, python: Interpreter) -> str:
    return _quoted(probe.shown(python.program(probe)))


def _quoted(path: str) -> str:
    return f'"{path}"' if " " in path else path
