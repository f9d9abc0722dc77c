"""A recording as a page or as a table, written for somebody else; for a thread of its own."""

from pathlib import Path

from gpuexplorer.recording.recording import open_recording
from gpuexplorer.telemetry.whole_file import write_whole


def write_report(recording: Path, target: Path) -> None:
    """Raises Trouble where one cannot be read, or the other not be written."""
    from gpuexplorer.recording.export.choosing import chosen  # noqa: PLC0415 - rarely asked for
    from gpuexplorer.recording.report import page  # noqa: PLC0415 - as above

    opened = open_recording(recording)
    try:
        page.write_report(chosen(opened), target)
    finally:
        opened.close()


def write_export(recording: Path, target: Path) -> None:
    """In the form that the target's ending names; a table where it names none."""
    from gpuexplorer.recording.export.choosing import chosen  # noqa: PLC0415
    from gpuexplorer.recording.export.exporting import Form, pieces  # noqa: PLC0415

    forms = {".jsonl": Form.JSONL, ".json": Form.PERFETTO}
    form = forms.get(target.suffix.lower(), Form.CSV)
    opened = open_recording(recording)
    try:
        write_whole(target, pieces(chosen(opened), form))
    finally:
        opened.close()
