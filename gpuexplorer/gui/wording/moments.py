"""Moments and spans of time, as the frame of the window says them."""

from datetime import datetime, timedelta

from gpuexplorer.core.words import tr


def span_words(seconds: float) -> str:
    """ "12 min", "1 h 30 min", "45 s": two parts at most."""
    whole = max(1, round(seconds))
    if whole >= 600:
        whole = round(whole / 60) * 60
    parts = []
    for size, unit in ((3600, "h"), (60, "min"), (1, "s")):
        count, whole = divmod(whole, size)
        if count:
            parts.append(f"{count} {unit}")
    return " ".join(parts[:2])


def moment_words(wall: float, now: float) -> str:
    """The time of day, with the day where it is not today's."""
    moment, today = _local(wall), _local(now)
    words = f"{moment:%H:%M:%S}"
    if moment.date() == today.date():
        return words
    if moment.date() == (today - timedelta(days=1)).date():
        return tr("yesterday {time}", time=words)
    return f"{moment:%Y-%m-%d} {words}"


def _local(wall: float) -> datetime:
    return datetime.fromtimestamp(wall).astimezone()
