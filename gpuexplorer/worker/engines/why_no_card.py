"""Why a PyTorch that is built for cards finds none, by its own words, and what to do."""

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import mark

_DOCTOR = mark("`gpuexplorer doctor` looks for the cause.")
# CUDA's words for an error that PyTorch passes on unexplained.
_UNEXPECTED = (
    (
        "system not yet initialized",
        mark("CUDA waits for the NVSwitches of this computer to be set up (error 802)."),
        mark("Start NVIDIA's Fabric Manager: `sudo systemctl start nvidia-fabricmanager`."),
    ),
    (
        "unsupported display driver",
        mark("The driver's library and its kernel module are of two versions (error 803)."),
        mark("Restart the computer, so that the kernel module of the new driver is loaded."),
    ),
    (
        "forward compatibility was attempted",
        mark("CUDA's compatibility library does not work with these cards (error 804)."),
        mark("Take its folder out of LD_LIBRARY_PATH, and update the driver instead."),
    ),
)


def why_no_card(said: str, cuda: "str | None", visible: "str | None") -> Trouble:
    """`said`: by PyTorch when it was asked to begin. `cuda`: for which it is built, None where
    it is for cards of another maker. `visible`: CUDA_VISIBLE_DEVICES, where it is set.
    """
    first = said.strip().partition("\n")[0]
    if cuda is None:
        return Trouble("This PyTorch finds none of its cards: {said}", _DOCTOR, said=first)
    if "is too old" in said:
        return Trouble(
            "The NVIDIA driver is too old for this PyTorch, which is built for CUDA {cuda}.",
            "Update the driver, or take a PyTorch built for an older CUDA: `gpuexplorer doctor`"
            " says which.",
            cuda=cuda,
        )
    if "no NVIDIA driver" in said:
        return Trouble(
            "PyTorch finds no CUDA library of an NVIDIA driver (libcuda).",
            "Install the driver. A container has to be started with its cards and with the "
            "driver capability “compute”. `gpuexplorer doctor` looks for the cause.",
        )
    if "unknown error" in said:
        return Trouble(
            "CUDA cannot be started: the driver reports an unknown error (999), as it often "
            "does after the computer was suspended.",
            "Reload the kernel module: `sudo modprobe -r nvidia_uvm && sudo modprobe "
            "nvidia_uvm`, or restart the computer. Then release the cards in the lab, or run"
            " the command again.",
        )
    if "driver initialization failed" in said:
        return Trouble("CUDA cannot be started: the driver fails to initialize.", _DOCTOR)
    if "No CUDA GPUs are available" in said:
        return _none_allowed(visible)
    for words, sentence, hint in _UNEXPECTED:
        if words in said:
            return Trouble(sentence, hint)
    return Trouble("PyTorch finds no card. It says: {said}", _DOCTOR, said=first)


def _none_allowed(visible: "str | None") -> Trouble:
    if visible is not None:
        return Trouble(
            "Under CUDA_VISIBLE_DEVICES=“{visible}” CUDA finds no card.",
            "Unset it where GPU Explorer is started, or choose other visible cards in the lab. "
            "If that does not help, `gpuexplorer doctor` looks for the cause.",
            visible=visible,
        )
    return Trouble(
        "CUDA finds no card that this program may use.",
        "Look at the rights to /dev/nvidia* (groups `video` and `render`), or at the "
        "container's `--gpus`. `gpuexplorer doctor` looks for the cause.",
    )
