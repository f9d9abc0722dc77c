"""What PyTorch does otherwise on a card than on the processor; and what it must never do."""

import io
import os

import pytest

torch = pytest.importorskip("torch")


from tests.worker.benches import Bench, start_anew, virtual_bench  # noqa: E402

AT_A_NUMBER = (
    "torch.ones(2, device=1)",
    "torch.zeros_like(torch.ones(2), device=1)",
    "torch.ones(2).new_zeros(2, device=1)",
    "nn.Linear(3, 1, device=1).weight",
)


@pytest.mark.parametrize("line", AT_A_NUMBER)
def test_a_number_for_a_device_is_that_card(virtual: Bench, line: str) -> None:
    assert str(virtual.run(f"{line}.device")) == "cuda:1"


def test_the_books_chapter_on_several_cards_scatters_over_devices(virtual: Bench) -> None:
    virtual.run("devices = [torch.device('cuda:0'), torch.device('cuda:1')]")
    parts = virtual.run("nn.parallel.scatter(torch.arange(20).reshape(4, 5), devices)")
    assert [str(each.device) for each in parts] == ["cuda:0", "cuda:1"]
    assert parts[1].tolist() == [[10, 11, 12, 13, 14], [15, 16, 17, 18, 19]]


def test_streams_and_events_of_any_accelerator_are_the_cards(virtual: Bench) -> None:
    virtual.run("""
s, e = torch.Stream(device='cuda:1'), torch.Event('cuda', enable_timing=True)
first = torch.cuda.Event(enable_timing=True)
with s:
    first.record()
    device = torch.ones(2, device='cuda').device
e.record(s); s.wait_stream(torch.cuda.current_stream(1)); e.synchronize()
torch.cuda.current_stream().wait_event(e)
""")
    assert str(virtual.run("device")) == str(virtual.run("s.device")) == "cuda:1"
    assert virtual.run("first.elapsed_time(e) > 0, e.query(), s.query()") == (True,) * 3
    assert virtual.run("isinstance(torch.cuda.Event(), torch.Event)")
    assert virtual.run("isinstance(torch.cuda.Stream(), torch.Stream)")


class TestRandomNumbers:
    def test_after_one_seed_all_cards_draw_alike_and_unlike_the_host(
        self, virtual: Bench
    ) -> None:
        virtual.run("torch.manual_seed(3); host = torch.rand(3)")
        virtual.run("a = torch.rand(3, device='cuda:0'); b = torch.rand(3, device='cuda:1')")
        assert virtual.run("torch.equal(a.cpu(), b.cpu()), torch.equal(a.cpu(), host)") == (
            True,
            False,
        )
        virtual.run("g = torch.Generator('cuda:1').manual_seed(3)")
        assert virtual.run("torch.equal(torch.rand(3, device='cuda:1', generator=g), b)")

    def test_unseeded_each_card_and_each_run_draws_otherwise(self) -> None:
        drawn = []
        for _ in range(2):
            start_anew()
            bench = virtual_bench()
            drawn += [bench.run(f"torch.rand(3, device={card}).tolist()") for card in (0, 1)]
        assert len({tuple(each) for each in drawn}) == 4


ASSERTING = {
    "x[i]": "index out of bounds",
    "x.gather(0, i)": "idx_dim < index_size",
    "nn.Embedding(3, 2).cuda()(i)": "srcIndex < srcSelectDimSize",
    "F.cross_entropy(w.T, i[[0, 0]]).backward()": "t >= 0 && t < n_classes",
    "F.binary_cross_entropy(x * 5, x)": "input_val <= one",
    "torch.multinomial(-x, 1)": "input[0] != 0",
}


class TestDeviceSideAsserts:
    @pytest.fixture
    def ready(self, virtual: Bench) -> Bench:
        virtual.run(
            "x, i = torch.ones(3, device='cuda'), torch.tensor([5], device='cuda')",
            "w = torch.ones(3, 2, device='cuda', requires_grad=True)",
        )
        return virtual

    @pytest.mark.parametrize("line", ASSERTING)
    def test_an_index_out_of_range_is_told_at_the_next_wait_and_ends_the_card(
        self, ready: Bench, line: str, capfd: pytest.CaptureFixture[str]
    ) -> None:
        told = "CUDA error: device-side assert triggered"
        with ready.engine.running():
            exec(line, ready.things)
            exec("z = x + 1", ready.things)  # a kernel more, which computes nothing
            with pytest.raises(torch.AcceleratorError, match=told):
                exec("z.sum().item()", ready.things)
            with pytest.raises(torch.AcceleratorError, match=told):
                exec("torch.ones(2, device='cuda')", ready.things)
            exec("torch.ones(2, device='cuda:1')", ready.things)
        assert ASSERTING[line] in capfd.readouterr().err

    def test_with_launch_blocking_it_is_told_in_the_line(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(os.environ, "CUDA_LAUNCH_BLOCKING", "1")
        start_anew()
        bench = virtual_bench()
        bench.run("x, i = torch.ones(3, device='cuda'), torch.tensor([5], device='cuda')")
        with bench.engine.running(), pytest.raises(torch.AcceleratorError, match="assert"):
            exec("x[i]", bench.things)

    def test_what_the_host_sees_is_refused_at_once_and_breaks_nothing(
        self, ready: Bench
    ) -> None:
        with pytest.raises(IndexError):
            ready.run("x.index_select(3, i)")
        assert ready.run("x.tolist()") == [1, 1, 1]


WHOLE = "torch.ones(2, 2, dtype=torch.long, device='cuda')"
LACKING = {
    f"{WHOLE} @ {WHOLE}": "\"addmm_cuda\" not implemented for 'Long'",
    "torch.fft.fft(torch.ones(8, device='cuda').half())": "transforms of half precision",
    "torch._scaled_mm(e, e.t(), o, o)": "compute capability >= 9.0 or 8.9",
}


@pytest.mark.parametrize("line", LACKING)
def test_what_cuda_lacks_is_refused_in_its_words(virtual: Bench, line: str) -> None:
    virtual.run("e = torch.ones(16, 16, device='cuda').to(torch.float8_e4m3fn)")
    virtual.run("o = torch.ones(1, device='cuda')")
    with pytest.raises(RuntimeError) as refused:
        virtual.run(line)
    assert LACKING[line] in str(refused.value)


def test_deterministic_algorithms_refuse_what_has_none(virtual: Bench) -> None:
    virtual.run("x = torch.ones(4, device='cuda')", "torch.use_deterministic_algorithms(True)")
    try:
        with pytest.raises(RuntimeError, match="_histc_cuda does not have a deterministic"):
            virtual.run("x.histc(3)")
        with pytest.raises(RuntimeError, match="cumsum_cuda_kernel does not have"):
            virtual.run("x.cumsum(0)")
        assert virtual.run("x.long().cumsum(0).tolist()") == [1, 2, 3, 4]
        virtual.run("torch.use_deterministic_algorithms(True, warn_only=True)")
        with pytest.warns(UserWarning, match="warn_only=True"):
            virtual.run("x.histc(3)")
    finally:
        torch.use_deterministic_algorithms(mode=False)


@pytest.mark.filterwarnings("ignore:Simulated cards do not offer")
def test_compiled_code_runs_as_it_is_and_says_so(virtual: Bench) -> None:
    with pytest.warns(UserWarning, match=r"do not offer torch\.compile: .* runs as it is"):
        virtual.run("f = torch.compile(nn.Linear(3, 1).cuda(), backend='eager')")
    assert virtual.run("f(torch.ones(2, 3).cuda()).shape") == torch.Size([2, 1])
    virtual.run("@torch.compile\ndef g(x): return x * 2", "net = nn.Linear(3, 1)")
    assert virtual.run("net.compile()", "g(torch.ones(2)).tolist()") == [2, 2]


def test_a_file_can_be_sent_to_a_card_by_a_function(virtual: Bench) -> None:
    file = io.BytesIO()
    torch.save({"a": torch.arange(3.0)}, file)
    virtual.things["file"] = io.BytesIO(file.getvalue())
    found = virtual.run("torch.load(file, map_location=lambda storage, _: storage.cuda(1))")
    assert (str(found["a"].device), found["a"].tolist()) == ("cuda:1", [0, 1, 2])


def test_an_operation_of_ones_own_runs_its_kernel_for_cuda(virtual: Bench) -> None:
    virtual.run("""
@torch.library.custom_op("of_ones_own::twice", mutates_args=(), device_types="cuda")
def twice(x: torch.Tensor) -> torch.Tensor:
    return x * 2
""")
    assert virtual.run("y = twice(torch.ones(2).cuda())", "str(y.device), y.tolist()") == (
        "cuda:0",
        [2, 2],
    )


def test_a_count_of_memory_was_counted(virtual: Bench) -> None:
    virtual.run("x = torch.ones(1000, device='cuda')", "y = torch.ones(2_000_000).cuda()")
    virtual.run("del y", "found = torch.cuda.memory_stats()")
    found: dict[str, int] = virtual.things["found"]
    kinds = ("current", "peak", "allocated", "freed")
    assert [found[f"allocation.all.{each}"] for each in kinds] == [1, 2, 2, 1]
    assert found["requested_bytes.all.current"] == 4000
    assert found["allocated_bytes.small_pool.current"] == 4096
    assert found["allocated_bytes.large_pool.allocated"] == 8_000_000
    assert found["segment.large_pool.current"] == found["segment.small_pool.current"] == 1
    assert found["inactive_split_bytes.all.current"] == (2 << 20) - 4096
    assert found["inactive_split.all.current"] == 1
