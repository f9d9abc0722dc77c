"""Exporters: who tells a Prometheus of cards, what they call our metrics, and which of their
series are meant, as PromQL writes it.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple

from gpuexplorer.core.metrics import METRICS, MetricId
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.telemetry.exporter_names import (
    EXPORTER_NAMES,
    XID,
    XID_COUNT,
    Name,
    Names,
    own_name,
)

STATE = "gpuexplorer_card_state"
_LABEL = r"[a-zA-Z_][a-zA-Z0-9_]*"
_TEXT = r'"(?:[^"\\\n]|\\.)*"' + r"|'(?:[^'\\\n]|\\.)*'" + r"|`[^`]*`"
_ONE = rf"\s*(?!__name__\b){_LABEL}\s*(?:=~|!~|!=|=)\s*(?:{_TEXT})\s*"
_SELECTOR = re.compile(rf"{_ONE}(?:,{_ONE})*,?", re.ASCII)
_SPECIAL = re.compile(r"([\\.+*?()|\[\]{}^$])")
_FORM = 'Such as: --match \'cluster="a",node=~"gpu-.*"\''
_USUAL = tuple(
    MetricId(each)
    for each in ("gpu_utilization", "memory_used", "temperature", "power_draw", "clock_sm")
)


class Exporter(NamedTuple):
    """One that is there, and what it tells there. `anchor`: a metric that each card has."""

    title: str
    told: Mapping[MetricId, Name]
    anchor: str = ""
    xid: str = ""  # its name for Xid errors
    xid_label: str = ""  # that has the number, where it is not the figure
    keys: Sequence[str] = ()  # its labels that say which card

    def series(self, matched: str) -> str:
        """One of each card."""
        return selector(self.anchor, {}, matched)


def exporters(names: Collection[str]) -> Sequence[Exporter]:
    """Of all names of metrics in a Prometheus. The one that is believed first comes first."""
    names, found = frozenset(names), []
    for each in _KNOWN:
        told = {metric: name for metric, name in each.told.items() if name.name in names}
        anchors = [told[metric].name for metric in _USUAL if metric in told]
        if each.anchor:
            anchors = [each.anchor] if each.anchor in names else []
        if anchors:
            xid = each.xid if each.xid in names else ""
            found.append(each._replace(told=told, anchor=anchors[0], xid=xid))
    return found


def _told(name_of: Callable[[Names], Name | None]) -> Mapping[MetricId, Name]:
    # What has a unit of which its versions disagree is left out, rather than be wrong.
    return {
        metric: name
        for metric, each in EXPORTER_NAMES.items()
        if (name := name_of(each)) is not None and not name.doubtful
    }


_KNOWN = (
    # `gpuexplorer serve` speaks so too, for what this exporter has names for.
    Exporter("DCGM exporter", _told(lambda each: each.dcgm), xid=XID),
    Exporter(
        "gpuexplorer serve",
        {each.id: own_name(each) for each in METRICS.values()},
        STATE,  # told of each card, also of one that gives no figure
    ),
    Exporter(
        "nvidia_gpu_exporter",
        _told(lambda each: each.smi),
        "nvidia_smi_gpu_info",
        xid=XID_COUNT,
        xid_label="xid",
    ),
    Exporter("nvitop-exporter", _told(lambda each: each.nvitop)),
)


def is_label(text: str) -> bool:
    return re.fullmatch(_LABEL, text, re.ASCII) is not None


def match(text: str) -> str:
    """What a person typed behind --match, without braces. Raises Trouble for anything but
    labels and what they are to be; so nothing but that comes into a question.
    """
    inside = text.strip()
    if inside.startswith("{") and inside.endswith("}"):
        inside = inside[1:-1]
    if not _SELECTOR.fullmatch(inside):
        raise Trouble("The selector {text!r} cannot be read.", _FORM, text=text)
    return inside.strip().removesuffix(",")


def quoted(value: str) -> str:
    """As PromQL writes a text, whatever is in it."""
    value = value.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + value.replace("\n", "\\n").replace("\r", "\\r") + '"'


def one_of(label: str, values: Collection[str]) -> str:
    """A matcher for any of these values."""
    told = "|".join(_SPECIAL.sub(r"\\\1", each) for each in sorted(values))
    return f"{label}=~{quoted(told)}"


def selector(metric: str, labels: Mapping[str, str], matched: str) -> str:
    """Of one metric, always."""
    own = [f"{name}={quoted(value)}" for name, value in labels.items()]
    return f"{metric}{{{','.join(filter(None, (*own, matched)))}}}"


def grouped(by: Collection[str], what: str, how: str = "max") -> str:
    """One value of what has the same labels."""
    return f"{how} by ({','.join(by)}) ({what})"


def aged(by: Collection[str], what: str) -> str:
    """How many seconds ago the newest of them came."""
    return f"time() - {grouped(by, f'timestamp({what})')}"
