"""What forms are about to do, by what stands in their fields."""

import ast

from gpuexplorer.core.cards import CardId
from gpuexplorer.gui.lab.forms.form import Around, LabForm, Plan
from gpuexplorer.gui.state.lab.devices import BenchDevice
from gpuexplorer.lab.events import Placed
from tests.gui.lab.conftest import GIB, MIB, tensor

HOST = BenchDevice("cpu", "Ryzen", "H", total_bytes=64 * GIB, free_bytes=50 * GIB)
CARD = BenchDevice(
    "cuda:0",
    "TITAN RTX",
    "0",
    0,
    CardId("a"),
    total_bytes=24 * GIB,
    free_bytes=22 * GIB,
    context_bytes=334 * MIB,
    cache_bytes=2 * MIB,
    tensor_bytes=MIB,
)
OTHER = BenchDevice("cuda:1", "TITAN RTX", "1", 1, CardId("b"), free_bytes=22 * GIB)
NET = Placed(3, "net", "model", "cuda:0", "Linear(3, 1)", None, "float32", 16)
THINGS = {
    "X": tensor("X"),
    "Y": tensor("Y", "cuda:1"),
    "W": tensor("W", shape=(3, 4), requires_grad=True),
    "s": tensor("s", "cpu", ()),
    "loss": tensor("loss", shape=(), requires_grad=True),
    "labels": tensor("labels", shape=(2,), dtype="int64"),
    "net": NET,
}
EMPTY = Around(devices=(HOST, CARD, OTHER, BenchDevice("meta", "", "")))
AROUND = Around(THINGS, devices=EMPTY.devices)


def plan(form: LabForm, around: Around = AROUND, /, **fields: str) -> Plan:
    made = form.plan(form.settled(fields, around), around)
    ast.parse(made.code)  # whatever it says can be run
    return made
