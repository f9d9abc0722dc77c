"""What forms that create something have in common: where, from which seed, and if it fits."""

from collections.abc import Sequence

from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.lab.forms.form import (
    Around,
    Control,
    Entered,
    Field,
    Plan,
    Values,
    devices_offered,
    first_card,
    replaced,
)
from gpuexplorer.gui.lab.forms.words import fit

CREATE = mark("Create")
DEVICE = Field(
    "device",
    mark("Device"),
    Control.DEVICES,
    first_card,
    offer=lambda values, around: devices_offered(around),
    missing=mark("Choose a device that can be used."),
    remark=lambda values, around: tr("free"),
)


def create_on(values: Values) -> str:
    return tr("Create on {device}", device=values["device"])


def creation(
    code: str, needed: int, entered: Entered, around: Around, facts: Sequence[str] = ()
) -> Plan:
    """`needed`: bytes on the device."""
    if entered["seed"]:
        code = f"torch.manual_seed({entered.whole('seed')})\n{code}"
    taken, short = fit(needed, entered["device"], around)
    warnings = [*replaced(entered["name"], around.taken), *short]
    return Plan(code, [*facts, *taken], warnings)
