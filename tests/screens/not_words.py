"""What is the same in every language: names, units, keys and code. All else is translated.

In the language for tests no template keeps a plain vowel, so that a word which has one was not
translated; it may also be a value that was put into a translated sentence.
"""

import calendar
import csv
import html
import re
import sys
from collections.abc import Iterator

from PySide6.QtCore import QSysInfo

from gpuexplorer.core.resources import resource
from gpuexplorer.gui.lab.forms.compute import OF_TENSORS
from gpuexplorer.gui.lab.forms.train import TASKS
from gpuexplorer.gui.lab.switches import MEMORY_CAP, TURNED, VISIBLE
from gpuexplorer.gui.widgets.bars.top_bar import host_name
from gpuexplorer.telemetry.backends.host import HostReader

_A_WORD = re.compile(r"[^\W\d_]{3,}")
_PLAIN = re.compile("[aceinorsuy]", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]+>")
# Translated, and then once more.
_TWICE = re.compile("⟦⟦[^⟦⟧]*⟧~*⟧")

_KEY = (
    r"(?:Ctrl|Alt|Shift|Tab|Esc|Enter|Return|Space|Del|Home|End|PgUp|PgDown"
    r"|Arrows?|Left|Right|Up|Down|F\d+)"
)


def is_wrong(text: str) -> bool:
    """Whether it has a word that was not translated, or one that was translated twice."""
    rest = _DATA.sub(" ", html.unescape(_TAG.sub(" ", text)))
    left = any(_PLAIN.search(word) for word in _A_WORD.findall(rest))
    return left or _TWICE.search(rest) is not None


def _names() -> Iterator[str]:
    """Of this computer, of cards and their makers, and of where their figures are from."""
    yield from (host_name(), HostReader().card.name, QSysInfo.prettyProductName())
    yield sys.prefix  # a folder that may have a space in its name
    for file, columns in (
        ("cards.csv", ("name", "driver_name", "vendor", "architecture")),
        ("card-sources.csv", ("title",)),
    ):
        with resource(file).open(encoding="utf-8", newline="") as lines:
            for line in csv.DictReader(lines):
                yield from (line[column] for column in columns)


def _code() -> Iterator[str]:
    for switch in (MEMORY_CAP, VISIBLE, *TURNED.values()):
        yield from (switch.torch, switch.tensorflow)


def _any_of(texts: Iterator[str]) -> str:
    return "|".join(re.escape(each) for each in sorted({*texts} - {""}, key=len, reverse=True))


_DATA = re.compile(
    "|".join(
        (
            rf"(?<![^\W\d_])({_any_of(_names())})(?![^\W\d_])",
            _any_of(_code()),
            r"H100 80GB HBM3|TITAN RTX|TITAN [RTX ]*…|CDNA \d",
            r"GPU Explorer|NVIDIA|NVLink|NVSwitch|PCIe|PyTorch|TensorFlow|Qt|CUDA|GeForce",
            # In reports: system, window system, and the name by which a screen is remembered
            r"\b(Python|Linux|Windows|macOS) \d|\b(offscreen|overview)\b",
            r"\b(SIM|GPU)-\d[\w-]*",  # made-up UUIDs
            r"\b(SYS|NODE|PIX|PXB|PHB)\b",  # what nvidia-smi calls paths
            # Units
            r"(?<![^\W\d_])([KMGT]iB|[kMGT]?Hz|[kMGT]B/s|TFLOP/s|rpm|min|ms)(?![^\W\d_])",
            # A day, as the system writes it
            rf"\d ({_any_of(iter(calendar.month_abbr))})\b",
            # Keys, which come last: alone, in brackets, or after what they do
            rf"(?:\b{_KEY}(?:\+[^\w\s]|[+ ]\w\b)?[+ ]?)+(?=$|\)|~)",
            # Programs, files and settings, as others named them
            r"\b(algbw|busbw|gloo|NCCL|TCP)\b",
            r"nvidia-smi(: [\w.-]+( -?[\w.]+)*)?|libnvidia-ml\.so\.1|nvbandwidth",
            r"python3?\b[^⟦⟧,;\n(]*|\w+\.py\b|ipykernel_launcher|Xorg|/[\w./-]+( :0)?",
            r"\b(ada|alan|api|grace|root)\b",  # users that do not exist
            # Code, and what PyTorch calls things
            r"\b(from [\w.]+ )?import \w+( as \w+)?",
            r"\b[\w.]+\([^⟦⟧]*\)|\w+ ?= ?(?=\w)|\b\w+(\.\w+)+\b|torch \d[\w.+]*",
            r"\bcuda(:\d)?|\bcpu\b|\bmeta\b|requires_grad",
            r"\b(arange|eye|full|linspace|ones|rand|randint|randn|tensor|zeros)(?=$|, )",
            rf"^({_any_of(each.face for each in OF_TENSORS.values())})(?=$|: )",
            rf"^({_any_of(iter(TASKS))})(?=$|: )",
            r"\b(Adam|AdamW|RMSprop|SGD|\w+_entropy|\w+_loss)\b",
            r"\b(u?int|b?float|complex)\d+\b|\bbool\b",
            r"^net$|RuntimeError: [^⟦⟧]*",
        )
    )
)
