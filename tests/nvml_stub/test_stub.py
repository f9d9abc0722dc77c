"""The stand-in library, seen through the binding that the program uses."""

import subprocess
import sys
from collections.abc import Callable, Iterator

import pynvml
import pytest

from tests.nvml_stub.stub import Stub


@pytest.fixture
def stub() -> Iterator[Stub]:
    """Eight cards and an open session, closed again whatever the test did to the driver."""
    library = Stub.load()
    library.configure("clock=0")
    pynvml.nvmlInit()
    yield library
    library.configure()
    while library.sessions():
        pynvml.nvmlShutdown()
    library.reset_calls()


def card(index: int = 0) -> object:
    return pynvml.nvmlDeviceGetHandleByIndex(index)


def refusal(call: Callable[..., object], *arguments: object) -> str:
    """The binding's word for the error that this call raises."""
    with pytest.raises(pynvml.NVMLError) as raised:
        call(*arguments)
    return type(raised.value).__name__.removeprefix("NVMLError_")


def fields(of: object, *wanted: int | tuple[int, int]) -> list[float]:
    """What each field holds, read by the type that it says it has."""
    read = {0: "dVal", 1: "uiVal", 3: "ullVal", 5: "siVal"}
    values = pynvml.nvmlDeviceGetFieldValues(of, list(wanted))
    assert [value.nvmlReturn for value in values] == [0] * len(wanted)
    return [getattr(value.value, read[value.valueType]) for value in values]


def said_by(code: str, env: dict[str, str]) -> list[str]:
    """What this program prints in a process of its own."""
    command = [sys.executable, "-c", code]
    child = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    return child.stdout.splitlines()


def test_the_table_is_readable_through_the_binding(stub: Stub) -> None:
    assert pynvml.nvmlDeviceGetCount() == 8
    assert pynvml.nvmlSystemGetDriverVersion() == "580.95.05"
    third = card(2)
    assert pynvml.nvmlDeviceGetName(third) == "NVIDIA H100 80GB HBM3"
    assert pynvml.nvmlDeviceGetUUID(third) == "GPU-00000002-0000-4000-8000-000000000002"
    assert pynvml.nvmlDeviceGetPciInfo(third).busId == "00000000:21:00.0"
    assert pynvml.nvmlDeviceGetPciInfo(third).busIdLegacy == "0000:21:00.0"
    assert pynvml.nvmlDeviceGetUtilizationRates(third).gpu == (17 * 2 + 23) % 101
    assert pynvml.nvmlDeviceGetTemperature(third, 0) == 42
    assert pynvml.nvmlDeviceGetTemperatureV(third, 0) == 42
    assert pynvml.nvmlDeviceGetPowerUsage(third) == 302_000
    assert pynvml.nvmlDeviceGetPowerManagementLimitConstraints(third) == [200_000, 700_000]
    assert pynvml.nvmlDeviceGetClockInfo(third, pynvml.NVML_CLOCK_MEM) == 2619
    assert pynvml.nvmlDeviceGetCudaComputeCapability(third) == (9, 0)
    assert pynvml.nvmlDeviceGetMarginTemperature(third) == 45
    assert pynvml.nvmlDeviceGetEccMode(third) == [1, 1]
    assert pynvml.nvmlDeviceGetRemappedRows(third) == (0, 0, 0, 0)


def test_one_call_on_one_card_is_refused_with_a_code_of_its_own(stub: Stub) -> None:
    stub.set("fault=nvmlDeviceGetPowerUsage@1:no_permission fault=field186@0:999")
    assert refusal(pynvml.nvmlDeviceGetPowerUsage, card(1)) == "NoPermission"
    assert pynvml.nvmlDeviceGetPowerUsage(card(0)) == 300_000
    assert pynvml.nvmlDeviceGetFieldValues(card(0), [186])[0].nvmlReturn == 999
    assert fields(card(1), 186) == [301_500]
    stub.set("fault=nvmlDeviceGetPower*@1:unknown")
    assert refusal(pynvml.nvmlDeviceGetPowerManagementDefaultLimit, card(1)) == "Unknown"
    stub.set("fault=all@2:4")
    assert pynvml.nvmlDeviceGetName(card(2)) == "NVIDIA H100 80GB HBM3"
    assert refusal(pynvml.nvmlDeviceGetTemperature, card(2), 0) == "NoPermission"
    stub.set("fault=none")
    assert pynvml.nvmlDeviceGetPowerUsage(card(1)) == 301_000
    assert pynvml.nvmlDeviceGetTemperature(card(2), 0) == 42
