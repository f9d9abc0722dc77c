"""The stand-in library, seen through the binding that the program uses."""

import ctypes
import math
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pynvml
import pytest

from tests.nvml_stub.stub import Stub, build, compiler, counter_rates, environment

NEWER = [
    "nvmlDeviceGetComputeRunningProcesses_v3",
    "nvmlDeviceGetMemoryInfo_v2",
    "nvmlDeviceGetCurrentClocksEventReasons",
    "nvmlDeviceGetJpgUtilization",
    "nvmlGpmMetricsGet",
    "nvmlDeviceGetTemperatureV",
    "nvmlDeviceGetProcessesUtilizationInfo",
    "nvmlDeviceGetFanSpeedRPM",
]


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


def test_field_values_know_their_scopes_and_their_types(stub: Stub) -> None:
    stub.set("nvlink_down=1:5 ecc=1:7")
    found = fields(card(1), 82, 91, 186, 194, 3, 5, (164, 4), (165, 4), (165, 5), (166, 0))
    assert found == [51, 18, 301_500, -2, 7, 70, 26562, 1, 0, 6]
    beyond = pynvml.nvmlDeviceGetFieldValues(card(), [(165, 18), 29, 9999])
    assert [value.nvmlReturn for value in beyond] == [2, 3, 2]


def test_counters_grow_with_the_clock(stub: Stub) -> None:
    stub.set("pcie_bits=64")
    wanted = (83, 197, 198, (138, 5), (139, 5), (138, 0xFFFFFFFF))
    before = fields(card(2), *wanted)
    stub.set("clock=+2")
    grown = [now - then for now, then in zip(fields(card(2), *wanted), before, strict=True)]
    rates = counter_rates(2, link=5)
    assert grown[:3] == [2 * rates.energy_mj, 2 * rates.pcie_out_bytes, 2 * rates.pcie_in_bytes]
    assert grown[3] == pytest.approx(2 * rates.nvlink_out_bytes / 1024, abs=1)
    assert grown[4] == pytest.approx(2 * rates.nvlink_in_bytes / 1024, abs=1)
    all_links = sum(counter_rates(2, link).nvlink_out_bytes for link in range(18))
    assert grown[5] == pytest.approx(2 * all_links / 1024, abs=1)
    stamp = pynvml.nvmlDeviceGetFieldValues(card(2), [83])[0].timestamp
    stub.set("clock=+0.5")
    later = pynvml.nvmlDeviceGetFieldValues(card(2), [83])[0].timestamp
    assert later - stamp == 500_000


def test_the_counters_of_pcie_bytes_wrap_at_32_bits(stub: Stub) -> None:
    stub.set("pcie_rx=0:13000000000")
    before = fields(card(), 198)[0]
    stub.set("clock=+1")
    after = fields(card(), 198)[0]
    assert max(before, after) < 2**32
    assert (after - before) % 2**32 == 13_000_000_000 % 2**32
    stub.set("pcie_bits=64")
    assert fields(card(), 198)[0] > 2**32


def test_the_numbers_of_fields_are_those_of_the_drivers_version(stub: Stub) -> None:
    def answers(*asked: int) -> list[int]:
        told = pynvml.nvmlDeviceGetFieldValues(card(), list(asked))
        return [value.nvmlReturn for value in told]

    stub.set("driver_version=580.82.07")
    assert answers(251, 269, 271, 198) == [3, 0, 0, 0]
    stub.set("driver_version=580.65.06")
    assert answers(251, 253, 269, 198) == [0, 0, 3, 0]
    stub.set("driver_version=535.54.03")
    assert answers(186, 198, 251, 269) == [0, 2, 2, 2]


def test_processes_are_listed_by_what_they_do(stub: Stub) -> None:
    stub.set("pids=0:11,12g,13b,14m wddm=1")
    compute = pynvml.nvmlDeviceGetComputeRunningProcesses(card())
    assert [(p.pid, p.usedGpuMemory) for p in compute] == [(11, 2**28), (13, 3 * 2**28)]
    assert compute[0].gpuInstanceId == 0xFFFFFFFF
    assert [p.pid for p in pynvml.nvmlDeviceGetGraphicsRunningProcesses(card())] == [12, 13]
    assert [p.pid for p in pynvml.nvmlDeviceGetMPSComputeRunningProcesses(card())] == [14]
    assert pynvml.nvmlDeviceGetComputeRunningProcesses(card(1))[0].usedGpuMemory is None
    stub.set("procs=0:0")
    assert pynvml.nvmlDeviceGetComputeRunningProcesses(card()) == []


def test_the_third_process_list_of_the_first_driver_that_had_it_has_larger_entries(
    stub: Stub,
) -> None:
    class Entry(ctypes.Structure):
        _fields_ = (*pynvml.c_nvmlProcessInfo_v2_t._fields_, ("protected", ctypes.c_ulonglong))

    call = ctypes.CDLL(str(stub.path)).nvmlDeviceGetComputeRunningProcesses_v3
    for version, layout in (
        ("535.54.03", Entry),
        ("535.98", pynvml.c_nvmlProcessInfo_v2_t),
        ("530.41.03", pynvml.c_nvmlProcessInfo_v2_t),
    ):
        stub.set(f"driver_version={version}")
        entries = (layout * 4)()
        count = ctypes.c_uint(4)
        assert call(card(1), ctypes.byref(count), entries) == 0
        listed = [(entry.pid, entry.usedGpuMemory) for entry in entries[: count.value]]
        assert listed == [(4180100, 2**28), (4180101, 2**29)]


def test_process_samples_are_as_unruly_as_real_ones(stub: Stub) -> None:
    stub.set("pids=0:11,12")
    samples = pynvml.nvmlDeviceGetProcessUtilization(card(), 0)
    times = [sample.timeStamp for sample in samples]
    assert times != sorted(times)
    assert times != sorted(times, reverse=True)
    assert [sample.pid for sample in samples].count(11) == 4
    assert max(sample.smUtil for sample in samples) > 100
    assert {sample.pid for sample in samples} == {11, 12, 4179999}
    newer = pynvml.nvmlDeviceGetProcessesUtilizationInfo(card(), sorted(times)[2])
    assert len(newer) == 3
    assert refusal(pynvml.nvmlDeviceGetProcessUtilization, card(), max(times)) == "NotFound"


def test_a_card_cut_by_mig_knows_its_use_per_instance_only(stub: Stub) -> None:
    stub.set("mig_at=0:0,2,5 pids=0:11,12,13,14")
    assert pynvml.nvmlDeviceGetMigMode(card()) == [1, 1]
    assert refusal(pynvml.nvmlDeviceGetUtilizationRates, card()) == "NotSupported"
    assert refusal(pynvml.nvmlDeviceGetProcessUtilization, card(), 0) == "NotSupported"
    assert pynvml.nvmlDeviceGetMaxMigDeviceCount(card()) == 7
    assert refusal(pynvml.nvmlDeviceGetMigDeviceHandleByIndex, card(), 1) == "NotFound"
    slice_ = pynvml.nvmlDeviceGetMigDeviceHandleByIndex(card(), 2)
    assert pynvml.nvmlDeviceGetUUID(slice_).startswith("MIG-00000000-0003")
    assert pynvml.nvmlDeviceGetMemoryInfo(slice_).total == 80 * 2**30 // 3
    assert pynvml.nvmlDeviceGetGpuInstanceId(slice_) == 3
    assert refusal(pynvml.nvmlDeviceGetPowerUsage, slice_) == "NotSupported"
    parent = pynvml.nvmlDeviceGetDeviceHandleFromMigDeviceHandle(slice_)
    assert pynvml.nvmlDeviceGetIndex(parent) == 0
    everywhere = pynvml.nvmlDeviceGetComputeRunningProcesses(card())
    assert [p.gpuInstanceId for p in everywhere] == [1, 3, 6, 1]
    assert [p.pid for p in pynvml.nvmlDeviceGetComputeRunningProcesses(slice_)] == [12]


def test_an_event_reaches_whoever_listens_to_its_card(stub: Stub) -> None:
    events = pynvml.nvmlEventSetCreate()
    pynvml.nvmlDeviceRegisterEvents(card(2), pynvml.nvmlEventTypeXidCriticalError, events)
    stub.set("xid=1:31")
    assert refusal(pynvml.nvmlEventSetWait_v2, events, 1) == "Timeout"
    stub.set("xid=2:79")
    event = pynvml.nvmlEventSetWait_v2(events, 1000)
    assert (event.eventType, event.eventData) == (pynvml.nvmlEventTypeXidCriticalError, 79)
    assert pynvml.nvmlDeviceGetIndex(event.device) == 2
    assert stub.held() == 1
    pynvml.nvmlEventSetFree(events)
    assert stub.held() == 0


def test_gpm_needs_two_samples(stub: Stub) -> None:
    assert pynvml.nvmlGpmQueryDeviceSupport(card()).isSupportedDevice == 1
    request = pynvml.c_nvmlGpmMetricsGet_t()
    request.version = pynvml.NVML_GPM_METRICS_GET_VERSION
    request.numMetrics = 3
    request.sample1 = pynvml.nvmlGpmSampleAlloc()
    request.sample2 = pynvml.nvmlGpmSampleAlloc()
    for place, metric in enumerate((2, 3, 4)):
        request.metrics[place].metricId = metric
    pynvml.nvmlGpmSampleGet(card(), request.sample1)
    assert refusal(pynvml.nvmlGpmMetricsGet, request) == "InvalidArgument"
    stub.set("clock=+1")
    pynvml.nvmlGpmSampleGet(card(), request.sample2)
    pynvml.nvmlGpmMetricsGet(request)
    assert [request.metrics[i].nvmlReturn for i in range(3)] == [0, 0, 3]
    assert [request.metrics[i].value for i in range(2)] == pytest.approx([23 * 0.8, 23 * 0.5])
    for sample in (request.sample1, request.sample2):
        pynvml.nvmlGpmSampleFree(sample)
    assert stub.held() == 0


def test_a_hung_call_returns_when_it_is_released(stub: Stub) -> None:
    handle = card(3)
    stub.set("hung=3")
    answers: list[int] = []
    caller = threading.Thread(
        target=lambda: answers.append(pynvml.nvmlDeviceGetPowerUsage(handle))
    )
    caller.start()
    caller.join(0.05)
    assert caller.is_alive()
    assert pynvml.nvmlDeviceGetPowerUsage(card(2)) == 302_000
    stub.release()
    caller.join(5)
    assert answers == [303_000]


def test_handles_do_not_outlive_the_driver(stub: Stub) -> None:
    handle = card()
    stub.set("driver=gone")
    assert refusal(pynvml.nvmlDeviceGetCount) == "DriverNotLoaded"
    assert refusal(pynvml.nvmlInit) == "DriverNotLoaded"
    stub.set("driver=back")
    assert refusal(pynvml.nvmlDeviceGetCount) == "Uninitialized"
    pynvml.nvmlInit()
    assert refusal(pynvml.nvmlDeviceGetPowerUsage, handle) == "InvalidArgument"
    assert pynvml.nvmlDeviceGetPowerUsage(card()) == 300_000


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


def test_any_number_or_name_can_be_answered(stub: Stub) -> None:
    stub.set("answer=nvmlDeviceGetPcieReplayCounter@0:4294967295 answer=field197@0:0")
    assert pynvml.nvmlDeviceGetPcieReplayCounter(card(0)) == 2**32 - 1
    assert pynvml.nvmlDeviceGetPcieReplayCounter(card(1)) == 0
    assert fields(card(0), 197) == [0]
    stub.set("answer=nvmlDeviceGetCurrentClocksEventReasons@0:-1")
    assert pynvml.nvmlDeviceGetCurrentClocksEventReasons(card(0)) == 2**64 - 1
    stub.set("answer=nvmlDeviceGetUtilizationRates@0:_,250 answer=field186@0:nan")
    use = pynvml.nvmlDeviceGetUtilizationRates(card(0))
    assert (use.gpu, use.memory) == (23, 250)
    assert math.isnan(fields(card(0), 186)[0])
    stub.set("answer=nvmlDeviceGetComputeRunningProcesses_v3@0:4294967295,7,_")
    programs = pynvml.nvmlDeviceGetComputeRunningProcesses(card(0))
    assert [(p.pid, p.usedGpuMemory) for p in programs] == [(2**32 - 1, 7), (4180001, 2**29)]
    stub.set("answer=nvmlDeviceGetTemperature@0:*1000")
    assert pynvml.nvmlDeviceGetTemperature(card(0), 0) == 40_000
    stub.set("answer=nvmlDeviceGetUUID@0:4750552d78")
    assert pynvml.nvmlDeviceGetUUID(card(0)) == "GPU-x"
    stub.set("answer=none")
    assert pynvml.nvmlDeviceGetPcieReplayCounter(card(0)) == 0


def test_faults_flicker_by_the_clock(stub: Stub) -> None:
    handle = card(1)
    stub.set("fault=nvmlDeviceGetPowerUsage@1:unknown lost=0 flicker=1")
    for _ in range(2):
        assert refusal(pynvml.nvmlDeviceGetPowerUsage, handle) == "Unknown"
        assert refusal(card, 0) == "GpuIsLost"
        stub.set("clock=+1")
        assert pynvml.nvmlDeviceGetPowerUsage(handle) == 301_000
        assert pynvml.nvmlDeviceGetIndex(card(0)) == 0
        stub.set("clock=+1")


@pytest.mark.parametrize(
    ("fault", "status"),
    [("crash=nvmlInit*", -11), ("crash=nvmlDeviceGetCount_v2:6", -6), ("exit=nvmlInit*:7", 7)],
)
def test_a_library_may_take_its_program_down(fault: str, status: int) -> None:
    code = "import pynvml; pynvml.nvmlInit(); pynvml.nvmlDeviceGetCount()"
    child = subprocess.run([sys.executable, "-c", code], env=environment(fault), check=False)
    assert child.returncode == status


def test_another_program_finds_the_library_and_leaves_its_counts(tmp_path: Path) -> None:
    counts = tmp_path / "counts"
    code = "import pynvml; pynvml.nvmlInit(); print(pynvml.nvmlDeviceGetCount())"
    said = said_by(code, {**environment("cards=3"), "NVML_STUB_COUNT": str(counts)})
    assert said == ["3"]
    found = dict(line.split() for line in counts.read_text().splitlines())
    assert found == {"nvmlInitWithFlags": "1", "nvmlDeviceGetCount_v2": "1"}


def test_an_old_driver_lacks_the_newer_calls() -> None:
    code = (
        "import ctypes, pynvml; pynvml.nvmlInit()\n"
        "library = ctypes.CDLL('libnvidia-ml.so.1')\n"
        f"print([name for name in {NEWER!r} if hasattr(library, name)])\n"
        "card = pynvml.nvmlDeviceGetHandleByIndex(0)\n"
        "print([v.nvmlReturn for v in pynvml.nvmlDeviceGetFieldValues(card, [83, 186])])\n"
        "print(pynvml.nvmlDeviceGetCurrentClocksThrottleReasons(card))\n"
    )
    assert said_by(code, environment("cards=1", old=True)) == ["[]", "[0, 2]", "0"]


def test_a_missing_compiler_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert compiler() is None
    with pytest.raises(RuntimeError, match="needs a C compiler"):
        build()
