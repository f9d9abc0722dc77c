"""Look: dark or light, which colours, and whether anything moves."""

from PySide6.QtWidgets import QWidget

from gpuexplorer.gui.settings.palette_sample import PaletteSample
from gpuexplorer.gui.settings.section import Section
from gpuexplorer.gui.state.choices import Choices
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.theme.look import Look, Motion
from gpuexplorer.gui.theme.palette import Palette, Scheme
from gpuexplorer.gui.widgets.controls.segmented import Segmented
from gpuexplorer.gui.widgets.rows.setting_row import SettingRow


class LookSection(Section):
    """The sample below shows what the choice of colours comes to."""

    def __init__(self, look: Look, settings: Settings, parent: QWidget | None = None) -> None:
        super().__init__(look, settings, "Look", ("scheme", "palette", "motion"), parent)
        schemes = (
            (Scheme.SYSTEM, "As the system"),
            (Scheme.DARK, "Dark"),
            (Scheme.LIGHT, "Light"),
        )
        palettes = ((Palette.STANDARD, "Standard"), (Palette.SAFE, "Colour-blind safe"))
        motions = (
            (Motion.SYSTEM, "As the system"),
            (Motion.FULL, "On"),
            (Motion.REDUCED, "Off"),
        )
        self._scheme = Segmented(look, "Theme", schemes)
        self._scheme.chosen.connect(self._on_scheme_chosen)
        self._palette = Segmented(look, "Colours", palettes)
        self._palette.chosen.connect(self._on_palette_chosen)
        self._motion = Segmented(look, "Motion", motions)
        self._motion.chosen.connect(self._on_motion_chosen)
        self.add(
            SettingRow(
                look, "Theme", "Dark on the desk, light on the projector.", self._scheme
            ),
            SettingRow(
                look,
                "Colours",
                "The safe ones are told apart by people who are blind to red, green or blue; "
                "so are warnings, faults and what is well.",
                self._palette,
            ),
        )
        self.body.addWidget(PaletteSample(look))
        self.add(
            SettingRow(
                look,
                "Motion",
                "A short movement shows where something went. Nothing is told by it alone.",
                self._motion,
            )
        )
        self.begin()

    def show_choices(self, choices: Choices) -> None:
        self._scheme.show_choice(choices.scheme)
        self._palette.show_choice(choices.palette)
        self._motion.show_choice(choices.motion)

    def _on_scheme_chosen(self, scheme: Scheme) -> None:
        self.choose(scheme=scheme)

    def _on_palette_chosen(self, palette: Palette) -> None:
        self.choose(palette=palette)

    def _on_motion_chosen(self, motion: Motion) -> None:
        self.choose(motion=motion)
