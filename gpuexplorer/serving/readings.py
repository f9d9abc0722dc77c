"""Readings: what Prometheus gets of a session, put together anew for each scrape.

Under the names of NVIDIA's DCGM exporter where it has one, else as `gpuexplorer_…` in SI units.
A figure that is missing is not there; why, is in `gpuexplorer_missing_info`.
"""

from collections.abc import Collection, Iterator, Mapping
from operator import itemgetter
from typing import NamedTuple

from prometheus_client import Metric as Family

import gpuexplorer
from gpuexplorer.core.cards import HOST_ID, Card, CardId, CardKind, CardState
from gpuexplorer.core.metrics import METRICS, Metric, MetricId
from gpuexplorer.telemetry.exporter_names import EXPORTER_NAMES, XID, own_name
from gpuexplorer.telemetry.happenings import Kind
from gpuexplorer.telemetry.latest import Reading
from gpuexplorer.telemetry.session import Session, card_numbers

Labels = dict[str, str]

_LONGEST = 200  # letters of a label


class _Told(NamedTuple):
    """How one metric is told: its family, and what goes with each of its samples."""

    family: str
    type: str
    about: str
    sample: str
    part: Labels  # the label that says of which part it is; mostly none
    factor: float = 1.0
    as_dcgm: bool = False  # with the labels that go with its name


class _Whose(NamedTuple):
    """The labels of one card."""

    ours: Labels
    dcgm: Labels


class Readings:
    """A collector of the Prometheus client. Reads no driver: it tells the newest there is."""

    def __init__(
        self, session: Session, cards: Collection[CardId] | None = None, port: int = 0
    ) -> None:
        """`port`: where it is told, which with the computer's name tells simulated cards of
        several apart.
        """
        self._session = session
        self._chosen = cards
        self._host: Labels = {"hostname": _plain(session.computer)}
        self._of_simulated = f"-{session.computer}-{port}"

    def collect(self) -> Iterator[Family]:
        cards = [
            card
            for card in self._session.cards()
            if self._chosen is None or card.id in self._chosen
        ]
        numbers = card_numbers(self._session.cards())
        labels = {card.id: self._labels(card, numbers) for card in cards}
        families = _Families()
        self._tell_source(families)
        for card, whose in labels.items():
            reading = self._session.reading(card)
            if reading is not None:
                self._tell_state(families, whose, reading)
                _tell_figures(families, whose, reading, _OF_CARDS)
        host = self._session.reading(HOST_ID)
        if host is not None:
            _tell_figures(families, _Whose(self._host, {}), host, _OF_HOST)
        self._tell_faults(families, labels)
        yield from families.values()

    def _labels(self, card: Card, numbers: Mapping[CardId, str]) -> _Whose:
        """Those of the DCGM exporter. A MIG instance has a UUID of its own, and `mig`."""
        number, _, instance = numbers[card.id].partition(".")
        domain, _, rest = (card.bus_id or "").partition(":")
        uuid = card.id + self._of_simulated if card.simulated else card.id
        ours = {"gpu": number, "UUID": _plain(uuid), **self._host}
        if card.kind is CardKind.MIG:
            ours["mig"] = instance
        if card.simulated:
            ours["simulated"] = "true"
        dcgm = {
            "pci_bus_id": f"{domain:0>8}:{rest}".upper() if rest else "",
            "device": f"nvidia{number}",
            "modelName": _plain(card.name),
        }
        return _Whose(ours, ours | dcgm)

    def _tell_source(self, families: "_Families") -> None:
        source = self._session.source
        families.add(
            "gpuexplorer_info",
            "Who tells this. Where `simulated` is true, every figure is made up.",
            self._host
            | {
                "version": gpuexplorer.__version__,
                "source": source.name,
                "driver_version": _plain(source.driver_version or ""),
                "simulated": str(source.simulated).lower(),
            },
            1,
        )

    def _tell_state(self, families: "_Families", whose: _Whose, reading: Reading) -> None:
        families.add(
            "gpuexplorer_reading_age_seconds",
            "How long ago the card was read last, or was found not to answer.",
            whose.ours,
            max(0.0, self._session.clock.now() - reading.at),
        )
        for state in CardState:
            families.add(
                "gpuexplorer_card_state",
                "1 for the state in which the card is, 0 for the others.",
                whose.ours | {"state": state.value},
                int(state is reading.state),
            )

    def _tell_faults(self, families: "_Families", labels: Mapping[CardId, _Whose]) -> None:
        newest: dict[CardId, tuple[float, object]] = {}
        for each in self._session.happenings():
            if each.kind is Kind.XID and each.card in labels and each.card is not None:
                told = (each.at, each.sentence.values.get("code"))
                newest[each.card] = max(told, newest.get(each.card, told), key=itemgetter(0))
        for card, (_, code) in newest.items():
            if isinstance(code, int):
                about = "Number of the newest Xid error since this exporter was started."
                families.add(XID, about, labels[card].dcgm, code)


class _Families(dict[str, Family]):
    """By their names: the page has each family in one piece."""

    def add(
        self,
        name: str,
        about: str,
        labels: Labels,
        value: float,
        kind: str = "gauge",
        sample: str = "",
    ) -> None:
        if name not in self:
            self[name] = Family(name, about, kind)
        self[name].add_sample(sample or name, labels, value)


def _tell_figures(
    families: _Families, whose: _Whose, reading: Reading, named: Mapping[MetricId, _Told]
) -> None:
    for metric, value in reading.values.items():
        told = named[metric]
        labels = whose.dcgm if told.as_dcgm else whose.ours
        if told.part:
            labels = labels | told.part
        # Rounded, as 0.55 is no 55.00000000000001 %.
        figure = value if told.factor == 1.0 else float(f"{value * told.factor:.15g}")
        families.add(told.family, told.about, labels, figure, told.type, told.sample)
    for metric, absence in reading.missing.items():
        told = named[metric]
        families.add(
            "gpuexplorer_missing_info",
            "A figure that is not there, and why.",
            whose.ours | told.part | {"metric": told.sample, "reason": absence.value},
            1,
        )


def _told(metric: Metric) -> _Told:
    dcgm = EXPORTER_NAMES[metric.id].dcgm if metric.id in EXPORTER_NAMES else None
    if dcgm is None or dcgm.doubtful:
        return _told_as_ours(metric, metric.id)
    # The client would add `_total` to the name of a counter, and it would be DCGM's no more.
    kind = "unknown" if dcgm.counter else "gauge"
    return _Told(dcgm.name, kind, metric.meaning, dcgm.name, {}, dcgm.factor, as_dcgm=True)


def _told_as_ours(metric: Metric, name: str) -> _Told:
    about = metric.meaning.template
    if metric.part is not None:
        about = about.format_map(dict.fromkeys(metric.meaning.values, "N"))
    own = own_name(metric, name)
    kind = "counter" if own.counts else "gauge"
    return _Told(own.family, kind, about, own.sample, dict(own.part))


_OF_CARDS = {metric.id: _told(metric) for metric in METRICS.values()}
_OF_HOST = {
    metric.id: _told_as_ours(metric, f"host_{metric.id}") for metric in METRICS.values()
}


def _plain(text: str) -> str:
    """Without what is no letter: names may hold anything, and half letters end a page."""
    text = text[:_LONGEST]
    return "".join(letter if letter.isprintable() else " " for letter in text)
