"""A recording as a page or as a table, written for somebody else; for a thread of its own."""

from pathlib import Path

from gpuexplorer.recording.opening import open_recording
from gpuexplorer.recording.report import report_html
from gpuexplorer.telemetry.whole_file import write_whole


def write_report(recording: Path, target: Path) -> None:
    """Raises Trouble where one cannot be read, or the other not be written."""
    opened = open_recording(recording)
    try:
        write_whole(target, (part.encode("utf-8") for part in report_html(opened)))
    finally:
        opened.close()


def write_export(recording: Path, target: Path) -> None:
    """In the form that the target's ending names; a table where it names none."""
    raise NotImplementedError
