"""Alerts that fire in a Prometheus, the worst first, and whose they are."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from gpuexplorer.core.cards import CardId
from gpuexplorer.fleet.identity import Chosen, FleetCard, card_id, host_of, key_of
from gpuexplorer.fleet.refusals import plain

_MOST = 2000
_GRAVITY = ("critical", "page", "emergency", "error", "high", "major", "warning", "minor")
_LONGEST = 300


class Alert(NamedTuple):
    """In the words of whoever wrote its rule."""

    name: str
    text: str
    severity: str
    host: str
    card: CardId | None
    since: float | None  # wall clock

    @property
    def urgent(self) -> bool:
        """It would wake somebody."""
        return _rank(self.severity) < _GRAVITY.index("error")


# Any: rows of JSON, looked at here.
def firing(
    rows: Sequence[Mapping[str, Any]], cards: Mapping[CardId, FleetCard], chosen: Chosen
) -> Sequence[Alert]:
    """Those of these cards and of their hosts."""
    hosts = {card.host for card in cards.values()}
    found = []
    for row in rows[:_MOST]:
        labels, notes = _texts(row.get("labels")), _texts(row.get("annotations"))
        if row.get("state") != "firing":
            continue
        card = cards.get(card_id(key_of(labels)))
        host = card.host if card is not None else host_of(labels, chosen)
        if host not in hosts:
            continue
        name = plain(labels.get("alertname", ""), _LONGEST)
        text = notes.get("summary") or notes.get("description") or notes.get("message") or ""
        severity = plain(labels.get("severity", ""), _LONGEST)
        found.append(
            Alert(
                name,
                plain(text, _LONGEST) or name,
                severity,
                host,
                None if card is None else card.id,
                _when(row.get("activeAt")),
            )
        )
    return sorted(found, key=lambda each: (_rank(each.severity), each.since or 0.0, each.name))


def _rank(severity: str) -> int:
    low = severity.lower()
    return _GRAVITY.index(low) if low in _GRAVITY else len(_GRAVITY)


def _texts(value: Any) -> Mapping[str, str]:
    if not isinstance(value, dict):
        return {}
    return {name: text for name, text in value.items() if isinstance(text, str)}


def _when(value: Any) -> float | None:
    try:
        return datetime.fromisoformat(str(value)).timestamp()
    except (ValueError, OverflowError):
        return None
