"""Which Pythons with PyTorch a person is told of, and whether they suit driver and cards."""

import json
import sys
from importlib.util import find_spec

import pytest

from gpuexplorer.commands.checkup.finding import Topic, Verdict
from gpuexplorer.commands.checkup.probe import Ran, run_program
from gpuexplorer.commands.checkup.pythons import ASK_TORCH, pythons
from gpuexplorer.core.cards import Card
from gpuexplorer.core.words import Message
from gpuexplorer.lab.pythons import TorchBuild, flavour, suits
from tests.commands.checkup.computer import Computer, card, nameless

TITAN_V = card(name="TITAN V", capability=(7, 0))
PASCAL = card(name="Tesla P100", capability=(6, 0))
BLACKWELL = card(name="RTX 5090", capability=(12, 0))


def told(computer: Computer, *, deep: bool = False) -> Topic:
    probe = computer.probe()
    return pythons(probe, computer.answer(), probe.pythons(), deep=deep)


@pytest.mark.parametrize(
    ("prefix", "why"),
    [
        ("/opt/gpuexplorer", ", the one that runs this"),
        ("/srv/venv", ", the active environment"),
        ("/data/project/.venv", ", in this folder"),
        ("/usr/local", ", on the PATH"),
        ("/elsewhere/env", ", conda"),
        ("/home/ana/.pyenv/versions/3.12.1", ""),
    ],
)
def test_a_pytorch_is_named_by_its_folder_and_how_it_was_found(
    computer: Computer, prefix: str, why: str
) -> None:
    computer.environment = {
        "VIRTUAL_ENV": "/srv/venv",
        "PWD": "/data/project",
        "PATH": "/usr/local/bin:/usr/bin",
    }
    computer.write("/elsewhere/env/conda-meta/history")
    computer.install_torch(prefix, "2.13.0+cpu")
    topic = told(computer)
    assert topic.verdict is Verdict.FINE
    assert len(topic.details) == 2
    assert topic.facts["lab"] == prefix
    assert f"{prefix} (Python 3.12{why})" in topic.details[0]
    assert "PyTorch 2.13.0+cpu, built for the processor only" in topic.details[0]
    assert computer.asked == []


def test_the_pytorch_inside_the_packaged_program_is_the_labs(computer: Computer) -> None:
    computer.prefix, computer.parts = None, "/usr/lib/gpuexplorer/_internal"
    computer.write(f"{computer.parts}/torch/version.py", "__version__ = '2.13.0+cpu'\n")
    computer.environment = {"VIRTUAL_ENV": "/srv/venv"}
    computer.install_torch("/srv/venv", "2.12.0", cuda="13.0")
    topic = told(computer)
    assert topic.sentence == "2 Pythons have PyTorch. 2 Pythons were looked at."
    assert "inside this program): PyTorch 2.13.0+cpu" in topic.details[0]
    assert topic.facts["lab"] == computer.parts


def test_a_pytorch_too_old_for_the_lab_is_not_taken_by_it(computer: Computer) -> None:
    computer.environment = {"VIRTUAL_ENV": "/srv/venv"}
    computer.install_torch("/srv/venv", "2.3.1")
    assert told(computer).details[1] == (
        "The lab takes none of them: it needs Python 3.10 and PyTorch 2.4, or newer."
    )


def test_a_python_that_several_programs_start_is_listed_once(computer: Computer) -> None:
    computer.install_torch("/opt/gpuexplorer", "2.13.0")
    computer.install_torch("/opt/gpuexplorer", "2.13.0")
    assert told(computer).sentence == "1 Python has PyTorch. 1 Python was looked at."


def test_without_pytorch_the_fitting_build_is_named(computer: Computer) -> None:
    computer.give_driver(card(), version="550.54.14", cuda="12.4")
    topic = told(computer)
    assert topic.verdict is Verdict.LOOK
    assert topic.sentence.startswith("No Python with PyTorch was found. ")
    assert topic.do == (
        "`gpuexplorer doctor --get-pytorch` installs it. To compute with PyTorch, install"
        " PyTorch built for CUDA 12.6 into any of your Pythons."
    )


def test_without_pytorch_the_python_that_runs_this_is_offered_for_it(
    computer: Computer,
) -> None:
    computer.give_driver()
    computer.install_python("/opt/gpuexplorer")
    assert told(computer).do.endswith(
        "Into the one that runs this: Run: `/opt/gpuexplorer/bin/python3 -m pip install"
        " torch --index-url https://download.pytorch.org/whl/cu130`"
    )


def test_without_pytorch_and_cards_nothing_is_missing(computer: Computer) -> None:
    topic = told(computer)
    assert topic.verdict is Verdict.FINE
    assert topic.sentence == (
        "No Python with PyTorch was found; only the lab needs one."
        " `gpuexplorer doctor --get-pytorch` installs it."
    )
    assert topic.do == ""


def test_it_says_which_python_the_lab_would_take(computer: Computer) -> None:
    computer.install_torch("/srv/venv", "2.11.0", cuda=None)
    computer.install_torch("/usr/local", "2.11.0", cuda=None)
    computer.environment["VIRTUAL_ENV"] = "/srv/venv"
    topic = told(computer)
    assert topic.facts["lab"] == "/srv/venv"
    assert topic.details[-1] == (
        "The lab takes /srv/venv, unless another was chosen as “Python of the lab”."
    )


def test_cards_that_do_not_answer_need_no_pytorch(computer: Computer) -> None:
    computer.give_driver(nameless(0))
    assert told(computer).verdict is Verdict.FINE


def test_where_no_single_build_suits_any_pytorch_is_a_beginning(computer: Computer) -> None:
    computer.give_driver(PASCAL, BLACKWELL)
    assert told(computer).do == (
        "`gpuexplorer doctor --get-pytorch` installs it. To compute with PyTorch, install it"
        " into any of your Pythons: `pip install torch`."
    )


def test_a_build_for_the_processor_leaves_real_cards_unused(computer: Computer) -> None:
    computer.give_driver()
    computer.install_torch("/opt/gpuexplorer", "2.13.0+cpu")
    topic = told(computer)
    assert topic.verdict is Verdict.LOOK
    assert "does not use NVIDIA cards" in topic.details[0]
    assert topic.do == (
        "For /opt/gpuexplorer: Install PyTorch built for CUDA 13.0 into this Python. "
        "Run `/opt/gpuexplorer/bin/python3 -m pip uninstall --yes torch`, then "
        "`/opt/gpuexplorer/bin/python3 -m pip install torch "
        "--index-url https://download.pytorch.org/whl/cu130`."
    )


@pytest.mark.parametrize(
    ("driver", "model", "tag"),
    [
        ("590.48", card(), "cu130"),
        ("570.86", card(), "cu126"),
        ("590.48", PASCAL, "cu126"),
        ("570.86", BLACKWELL, "cu128"),
    ],
)
def test_the_build_to_install_is_named_by_the_tag_people_type(
    computer: Computer, driver: str, model: Card, tag: str
) -> None:
    computer.give_driver(model, version=driver)
    computer.install_torch("/opt/gpuexplorer", "2.13.0+cpu")
    assert f"https://download.pytorch.org/whl/{tag}`" in told(computer).do


def test_what_was_built_for_this_pytorch_is_replaced_with_it(computer: Computer) -> None:
    computer.give_driver()
    computer.install_torch("/opt/gpuexplorer", "2.13.0+cpu")
    computer.write("/opt/gpuexplorer/lib/python3.12/site-packages/torchvision/__init__.py")
    do = told(computer).do
    assert "uninstall --yes torch torchvision`" in do
    assert "install torch torchvision --index-url" in do


def test_a_conda_environment_is_told_to_use_conda(computer: Computer) -> None:
    computer.give_driver()
    computer.install_torch("/home/ana/miniconda3/envs/deep", "2.13.0")
    computer.write("/home/ana/miniconda3/envs/deep/conda-meta/history")
    assert (
        "`conda install -p /home/ana/miniconda3/envs/deep -c conda-forge pytorch-gpu`"
        in told(computer).do
    )


def test_an_environment_of_uv_without_pip_is_told_to_use_uv(computer: Computer) -> None:
    computer.give_driver()
    computer.install_torch("/srv/a venv", "2.13.0+cpu")
    computer.write("/srv/a venv/pyvenv.cfg", "home = /usr/bin\nuv = 0.9.2\n")
    computer.environment["VIRTUAL_ENV"] = "/srv/a venv"
    program = '"/srv/a venv/bin/python3"'
    do = told(computer).do
    assert f"`uv pip uninstall --python {program} torch`" in do
    assert f"`uv pip install --python {program} torch --index-url" in do


def test_the_systems_own_python_is_left_alone(computer: Computer) -> None:
    computer.give_driver()
    computer.install_torch("/usr", "2.13.0+cpu")
    computer.write("/usr/lib/python3.12/EXTERNALLY-MANAGED")
    computer.environment["PATH"] = "/usr/bin"
    do = told(computer).do
    assert "`/usr/bin/python3 -m venv ~/torch`" in do
    assert "`~/torch/bin/pip install torch --index-url" in do


def test_an_old_card_is_not_sent_to_a_driver_that_dropped_it(computer: Computer) -> None:
    computer.give_driver(PASCAL, version="470.82", cuda="11.4")
    computer.install_torch("/opt/gpuexplorer", "2.13.0+cpu")
    assert (
        "Update NVIDIA's driver to 580, then install PyTorch built for CUDA 12.6."
        in told(computer).do
    )


def test_cudnn_is_named_with_its_version(computer: Computer) -> None:
    computer.install_torch("/opt/gpuexplorer", "2.13.0+cu130", cuda="13.0")
    computer.install_cudnn("/opt/gpuexplorer", "9.13.0.50")
    topic = told(computer)
    assert topic.verdict is Verdict.FINE
    assert "It has cuDNN 9.13.0." in topic.details[0]


def test_a_missing_cudnn_is_broken_and_has_its_very_version_to_install(
    computer: Computer,
) -> None:
    computer.install_torch("/opt/gpuexplorer", "2.13.0+cu130", cuda="13.0")
    computer.require_cudnn("/opt/gpuexplorer", "nvidia-cudnn-cu13", "9.13.0.50")
    topic = told(computer)
    assert topic.verdict is Verdict.BROKEN
    assert "Its cuDNN 9.13.0.50 is missing, so that it cannot be loaded." in topic.details[0]
    assert topic.do == (
        "For /opt/gpuexplorer: Run: `/opt/gpuexplorer/bin/python3 -m pip install "
        "--force-reinstall nvidia-cudnn-cu13==9.13.0.50`"
    )


def test_a_damaged_cudnn_is_no_library(computer: Computer) -> None:
    computer.install_torch("/opt/gpuexplorer", "2.13.0+cu130", cuda="13.0")
    computer.install_cudnn("/opt/gpuexplorer", "9.13.0.50", library=b"<html>")
    topic = told(computer)
    assert topic.verdict is Verdict.BROKEN
    assert "nvidia/cudnn/lib/libcudnn.so.9, is no library" in topic.details[0]


def test_a_cudnn_older_than_pytorch_was_built_with_is_refused(computer: Computer) -> None:
    computer.install_torch("/opt/gpuexplorer", "2.13.0+cu130", cuda="13.0")
    computer.install_cudnn("/opt/gpuexplorer", "9.1.0.70")
    computer.require_cudnn("/opt/gpuexplorer", "nvidia-cudnn-cu13", "9.13.0.50")
    assert "It has cuDNN 9.1.0 but was built with 9.13.0.50" in told(computer).details[0]


def test_a_cudnn_that_dropped_the_card_is_named(computer: Computer) -> None:
    computer.give_driver(TITAN_V)
    computer.install_torch("/srv/venv", "2.10.0+cu126", cuda="12.6")
    computer.install_cudnn("/srv/venv", "9.13.0.50")
    computer.environment["VIRTUAL_ENV"] = "/srv/venv"
    detail = told(computer).details[0]
    assert "It has cuDNN 9.13.0, which no longer runs on TITAN V." in detail


def test_the_cudnn_of_a_conda_environment_is_found_there(computer: Computer) -> None:
    prefix = "/home/ana/miniconda3/envs/deep"
    computer.install_torch(prefix, "2.10.0", cuda="12.9")
    computer.write(f"{prefix}/lib/libcudnn.so.9").write_bytes(b"\x7fELF")
    computer.write_cudnn_header(f"{prefix}/include", "9.10.2")
    assert "It has cuDNN 9.10.2." in told(computer).details[0]


def test_a_build_newer_than_the_driver_is_broken(computer: Computer) -> None:
    computer.give_driver(version="570.86.10", cuda="12.8")
    computer.install_torch("/srv/venv", "2.11.0+cu130", cuda="13.0")
    computer.environment["VIRTUAL_ENV"] = "/srv/venv"
    topic = told(computer)
    assert topic.verdict is Verdict.BROKEN
    assert "CUDA 13 needs driver 580 or newer; this one is 570.86.10" in topic.details[0]
    assert "CUDA 12.6" in topic.do


def test_a_later_build_of_the_same_cuda_runs_on_an_older_driver(computer: Computer) -> None:
    computer.give_driver(version="525.60.13", cuda="12.0")
    computer.install_torch("/opt/gpuexplorer", "2.10.0+cu126", cuda="12.6")
    computer.answers["/opt/gpuexplorer/bin/python3"] = architectures("sm_80", "sm_86")
    assert told(computer).verdict is Verdict.FINE


def test_one_fitting_python_among_others_is_enough(computer: Computer) -> None:
    computer.give_driver()
    computer.install_torch("/opt/gpuexplorer", "2.13.0+cpu")
    computer.install_torch("/srv/venv", "2.11.0+cu126", cuda="12.6")
    computer.environment["VIRTUAL_ENV"] = "/srv/venv"
    topic = told(computer)
    assert topic.verdict is Verdict.FINE
    assert "1 of them suited to the computer" in topic.sentence
    assert topic.details[0].startswith("fine: /srv/venv")
    assert topic.details[1].startswith("look: /opt/gpuexplorer")


def test_the_own_python_is_asked_what_it_was_built_for(computer: Computer) -> None:
    computer.give_driver(PASCAL)
    computer.install_torch("/opt/gpuexplorer", "2.11.0+cu126", cuda="12.6")
    computer.answers["/opt/gpuexplorer/bin/python3"] = architectures("sm_80", "sm_90")
    topic = told(computer)
    assert topic.verdict is Verdict.BROKEN
    assert "It holds no code for Tesla P100 (compute capability 6.0)" in topic.details[0]
    assert "It holds code for sm_80 sm_90." in topic.details[0]


def test_other_pythons_are_judged_by_their_version_and_only_probably(
    computer: Computer,
) -> None:
    computer.give_driver(PASCAL)
    computer.install_torch("/srv/venv", "2.11.0+cu130", cuda="13.0")
    computer.environment["VIRTUAL_ENV"] = "/srv/venv"
    topic = told(computer)
    assert computer.asked == []
    assert "It probably holds no code for Tesla P100" in topic.details[0]
    assert "CUDA 12.6" in topic.do


def test_a_build_that_suits_some_of_the_cards_is_worth_a_look(computer: Computer) -> None:
    computer.give_driver(card(), PASCAL)
    computer.install_torch("/srv/venv", "2.11.0+cu128", cuda="12.8")
    computer.environment["VIRTUAL_ENV"] = "/srv/venv"
    topic = told(computer)
    assert topic.verdict is Verdict.LOOK
    assert "probably holds no code for Tesla P100" in topic.details[0]
    assert topic.details[0].endswith("It suits the others.")


def test_a_deep_look_asks_every_python(computer: Computer) -> None:
    computer.install_torch("/srv/venv", "2.11.0+cu130", cuda="13.0")
    computer.environment["VIRTUAL_ENV"] = "/srv/venv"
    told(computer, deep=True)
    assert [argv[0].removeprefix(str(computer.root)) for argv in computer.asked] == [
        "/srv/venv/bin/python3"
    ]


def test_a_pytorch_that_does_not_start_says_its_last_words(computer: Computer) -> None:
    computer.install_torch("/opt/gpuexplorer", "2.11.0+cu130", cuda="13.0")
    computer.answers["/opt/gpuexplorer/bin/python3"] = Ran(
        1,
        "Traceback\nImportError: libcudart.so.13: cannot open",
        Message("It ended with code {code}.", code=1),
    )
    topic = told(computer, deep=True)
    assert topic.verdict is Verdict.BROKEN
    assert "It cannot be loaded." in topic.details[0]
    words = "It ended with code 1. Its last words: ImportError: libcudart.so.13"
    assert words in topic.details[0]
    assert "install --force-reinstall torch" in topic.do


def test_a_deep_look_says_which_cudnn_pytorch_loads(computer: Computer) -> None:
    computer.install_torch("/opt/gpuexplorer", "2.11.0+cu130", cuda="13.0")
    computer.install_cudnn("/opt/gpuexplorer", "9.13.0.50")
    computer.answers["/opt/gpuexplorer/bin/python3"] = architectures("sm_90", cudnn="9.14.0")
    detail = told(computer, deep=True).details[0]
    assert "It has cuDNN 9.14.0. It was started, and loads." in detail


def test_a_deep_look_starts_builds_for_the_processor_too(computer: Computer) -> None:
    computer.install_torch("/opt/gpuexplorer", "2.13.0+cpu")
    computer.answers["/opt/gpuexplorer/bin/python3"] = Ran(
        1, "ImportError: libc10.so", Message("It ended with code {code}.", code=1)
    )
    assert told(computer, deep=True).verdict is Verdict.BROKEN


@pytest.mark.skipif(find_spec("torch") is None, reason="there is no PyTorch here")
def test_the_question_of_a_deep_look_is_understood_by_pytorch() -> None:
    ran = run_program([sys.executable, "-c", ASK_TORCH], 60)
    assert ran.well, ran.output
    said = json.loads(ran.output.splitlines()[-1].removeprefix("TORCH "))
    assert set(said) == {"architectures", "cudnn"}


def test_an_incomplete_pytorch_is_to_be_installed_anew(computer: Computer) -> None:
    computer.install_python("/opt/gpuexplorer")
    computer.write("/opt/gpuexplorer/lib/python3.12/site-packages/torch/lib/libc10.so")
    topic = told(computer)
    assert topic.verdict is Verdict.BROKEN
    assert "--force-reinstall torch" in topic.do


def test_a_build_for_amd_is_called_so() -> None:
    build = TorchBuild("2.11.0+rocm6.4", None, hip="6.4")
    assert build.label == "PyTorch 2.11.0+rocm6.4, built for AMD cards (ROCm 6.4)"


@pytest.mark.parametrize(
    ("built", "capability", "runs"),
    [
        (("sm_80", "sm_86"), (8, 9), True),  # a later card of the same generation
        (("sm_86",), (8, 0), False),  # an earlier one
        (("sm_90",), (10, 0), False),  # another generation
        (("sm_90", "compute_90"), (10, 0), True),  # compiled at the first use
        (("sm_120",), (12, 1), True),
        (("sm_90a",), (9, 0), True),
    ],
)
def test_a_card_runs_code_for_its_generation_up_to_its_number(
    built: tuple[str, ...], capability: tuple[int, int], runs: bool
) -> None:
    build = TorchBuild("2.11.0", "13.0", architectures=built)
    verdict = suits(build, [card(capability=capability)], "590.48").verdict
    assert (verdict is Verdict.FINE) is runs


@pytest.mark.parametrize(
    ("driver", "capabilities", "cuda"),
    [
        ("590.48", [(8, 9)], "13.0"),
        ("590.48", [(6, 1)], "12.6"),
        ("570.86", [(12, 0)], "12.8"),
        ("550.54", [(9, 0)], "12.6"),
        ("470.82", [(8, 6)], None),
        ("590.48", [(6, 1), (12, 0)], None),
    ],
)
def test_the_build_to_install_follows_from_driver_and_cards(
    driver: str, capabilities: list[tuple[int, int]], cuda: str | None
) -> None:
    assert flavour(driver, capabilities) == cuda


@pytest.mark.parametrize(
    ("cards", "driver", "words"),
    [
        ([PASCAL, BLACKWELL], "580.65", "No single build suits all these cards"),
        ([card()], "470.82", "Update NVIDIA's driver to 580, then install PyTorch"),
        ([card(name="K80", capability=(3, 7))], "470.82", "it can only be watched"),
        ([TITAN_V], "590.48", "built for CUDA 12.6"),
    ],
)
def test_advice_is_given_even_where_no_build_suits(
    cards: list[Card], driver: str, words: str
) -> None:
    assert words in suits(TorchBuild("2.11.0+cpu", None), cards, driver).do


def architectures(*names: str, cudnn: str | None = None) -> Ran:
    said = {"architectures": names, "cudnn": cudnn}
    return Ran(0, f"a warning\nTORCH {json.dumps(said)}\n")
