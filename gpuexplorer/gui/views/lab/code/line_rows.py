"""LineRows: which line stands how far down; only what changed is laid out anew."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from gpuexplorer.gui.theme.letters import Letterings
from gpuexplorer.gui.views.lab.code.line_layout import (
    RELEASED,
    Frame,
    LineLayout,
    chip_width,
    line_layout,
)
from gpuexplorer.gui.wording.lab.code.line_face import LineFace


@dataclass(frozen=True, slots=True)
class Row:
    """A line, and how far it is from the top of the list."""

    face: LineFace
    layout: LineLayout
    top: float


class LineRows:
    """`released` lines stand above the hairline; `panel_height` is room below one line."""

    def __init__(self, letters: Letterings) -> None:
        self._letters = letters
        self._faces: Sequence[LineFace] = ()
        self._layouts: list[LineLayout] = []
        self._tops: list[float] = [0.0]
        self._frame = Frame(0, 0)
        self._opened: set[int] = set()
        self._panel: tuple[int, float] = (-1, 0.0)

    @property
    def frame(self) -> Frame:
        return self._frame

    @property
    def height(self) -> float:
        return self._tops[-1]

    @property
    def faces(self) -> Sequence[LineFace]:
        return self._faces

    def show(self, faces: Sequence[LineFace], width: float) -> bool:
        """Whether anything is another now."""
        frame = Frame(width, chip_width(self._letters, len(faces)))
        before, self._faces = self._faces, faces
        if frame != self._frame:
            self._frame = frame
            self._layouts = [self._laid_out(each) for each in faces]
            self._stack()
            return True
        layouts = self._layouts
        changed = [
            at
            for at, (one, other) in enumerate(zip(before, faces, strict=False))
            if one is not other
        ]
        for at in changed:
            layouts[at] = self._laid_out(faces[at])
        first = min([*changed, len(layouts)])
        layouts += [self._laid_out(each) for each in faces[len(layouts) :]]
        if first == len(layouts):
            return False
        # Whether the hairline follows a line is decided by the next one.
        self._stack(max(0, first - 1))
        return True

    def show_panel(self, line: int, height: float) -> None:
        """Below the line of this command; -1 where there is none."""
        if (line, height) != self._panel:
            self._panel = (line, height)
            self._stack()

    def toggle(self, at: int) -> None:
        """All of what a line printed, or the beginning."""
        line = self._faces[at].id
        self._opened ^= {line}
        self._layouts[at] = self._laid_out(self._faces[at])
        self._stack()

    def row(self, at: int) -> Row:
        return Row(self._faces[at], self._layouts[at], self._tops[at])

    def index_of(self, line: int | None) -> int:
        """-1 where it is not here."""
        for at in range(len(self._faces) - 1, -1, -1):
            if self._faces[at].id == line:
                return at
        return -1

    def index_at(self, y: float) -> int:
        """-1 below the last, and above the first."""
        at = bisect_right(self._tops, y) - 1
        return at if 0 <= at < len(self._faces) else -1

    def between(self, top: float, bottom: float) -> range:
        """Those of which something lies there."""
        first = max(0, bisect_right(self._tops, top) - 1)
        last = min(len(self._faces), bisect_right(self._tops, bottom))
        return range(first, last)

    def released_after(self, at: int) -> bool:
        """Whether the hairline follows."""
        last = at + 1 == len(self._faces)
        return self._faces[at].released and (last or not self._faces[at + 1].released)

    def _laid_out(self, face: LineFace) -> LineLayout:
        opened = face.id in self._opened
        return line_layout(face, self._frame, self._letters, opened=opened)

    def _stack(self, first: int = 0) -> None:
        """Anew from that line on."""
        tops = self._tops[: first + 1]
        y = tops[-1]
        faces, (panel, panel_height) = self._faces, self._panel
        for at in range(first, len(faces)):
            face = faces[at]
            y += self._layouts[at].height
            if face.id == panel:
                y += panel_height
            if face.released and self.released_after(at):
                y += RELEASED
            tops.append(y)
        self._tops = tops
