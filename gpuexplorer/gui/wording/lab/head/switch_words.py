"""What each switch of the lab does, its PyTorch line, and what TensorFlow calls the same."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from gpuexplorer.core.words import mark, tr


@dataclass(frozen=True, slots=True)
class SwitchWords:
    """Every course explains these by TensorFlow's names; the lab writes PyTorch.

    Title, sentence and what `differs` are marked: whoever shows them translates them.
    """

    title: str
    sentence: str
    torch: str
    tensorflow: str
    differs: str = ""

    def tooltip(self, family: str, mono: str) -> str:
        """In these letters, and `mono` for code."""
        code = f"<code style=\"font-family:'{mono}'\">"
        rows = (
            f"<b>{escape(tr(self.title))}</b>",
            escape(tr(self.sentence)),
            f"<br>PyTorch: {code}{escape(self.torch)}</code>",
            f"TensorFlow: {code}{escape(self.tensorflow)}</code>",
            escape(tr(self.differs)),
        )
        body = "<br>".join(row for row in rows if row)
        return (
            f"<div style=\"width:340px; font-family:'{family}'; font-size:13px\">{body}</div>"
        )


FALL_BACK = SwitchWords(
    mark("Fall back to cpu"),
    mark(
        "Forms write try_gpu(1) in place of cuda:1, so that a line also runs where that card "
        "is missing: then on the host."
    ),
    "X = torch.ones(2, 3, device=try_gpu(1))",
    "allow_soft_placement=True",
    mark("In PyTorch it is a function of three lines that the course writes itself."),
)
PLACEMENT = SwitchWords(
    mark("Print placement"),
    mark("Every operation says on which device it ran, below its line."),
    "log_placement(True)",
    "log_device_placement=True",
    mark(
        "PyTorch has no such option; a TorchDispatchMode of a few lines does it, and a saved "
        "script brings it along."
    ),
)
MEMORY_CAP = SwitchWords(
    mark("Memory cap"),
    mark(
        "At most this share of a card's memory for the lab: the safe way to meet an out of "
        "memory."
    ),
    "torch.cuda.set_per_process_memory_fraction(0.4, 0)",
    "per_process_gpu_memory_fraction=0.4",
)
GROWTH = SwitchWords(
    mark("Growing segments"),
    mark(
        "Stretches of memory grow where they are, which leaves fewer holes. Told to the worker "
        "when it starts."
    ),
    "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True",
    "allow_growth=True",
    mark(
        "TensorFlow takes nearly all memory at its start unless it is told this. PyTorch "
        "always takes memory as it is needed; this only changes how."
    ),
)
VISIBLE = SwitchWords(
    mark("Visible cards"),
    mark(
        "Which cards the worker sees, and in which order it numbers them from 0. Told to it "
        "when it starts."
    ),
    "CUDA_VISIBLE_DEVICES=1,0",
    "tf.config.set_visible_devices(gpus, 'GPU')",
)
PLACE = SwitchWords(
    mark("One device for a stretch of code"),
    mark("What is created in the block lies on that device where nothing else is said."),
    'with torch.device("cpu"):',
    "with tf.device('/cpu:0'):",
    mark("The lab takes single lines: it writes the device into each."),
)
ALL_SWITCHES: Sequence[SwitchWords] = (
    FALL_BACK,
    PLACEMENT,
    MEMORY_CAP,
    GROWTH,
    VISIBLE,
    PLACE,
)
