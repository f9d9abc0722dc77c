"""Which CUDA and cuDNN a person is told of."""

from gpuexplorer.commands.checkup.finding import Topic, Verdict
from gpuexplorer.commands.checkup.probe import Ran
from gpuexplorer.commands.checkup.toolkits import toolkits
from gpuexplorer.core.words import Message
from tests.commands.checkup.computer import Computer


def told(computer: Computer) -> Topic:
    return toolkits(computer.probe(), computer.answer())


def test_no_toolkit_is_fine_since_pytorch_brings_its_own(computer: Computer) -> None:
    topic = told(computer)
    assert topic.verdict is Verdict.FINE
    assert "PyTorch brings its own CUDA" in topic.sentence


def test_toolkits_tell_their_version_in_files_old_and_new(computer: Computer) -> None:
    computer.write(
        "/usr/local/cuda-12.6/version.json",
        '{"cuda": {"name": "CUDA SDK", "version": "12.6.3"}, "cuda_cccl": {"version": "1"}}',
    )
    computer.write("/usr/local/cuda-10.1/version.txt", "CUDA Version 10.1.243\n")
    computer.write("/usr/local/cuda-10.1/bin/nvcc")
    computer.write("/opt/cuda/include/cuda_runtime_api.h", "#define CUDART_VERSION  13000\n")
    computer.link("/usr/local/cuda", "cuda-12.6")
    topic = told(computer)
    assert topic.sentence == "3 CUDA toolkits are installed, for compiling programs."
    assert topic.details == [
        "CUDA 10.1.243: /usr/local/cuda-10.1",
        "CUDA 12.6.3: /usr/local/cuda-12.6",
        "CUDA 13.0: /opt/cuda",
    ]


def test_cudnn_tells_its_version_in_its_header(computer: Computer) -> None:
    computer.write(
        "/usr/include/cudnn_version.h",
        "#define CUDNN_MAJOR 9\n#define CUDNN_MINOR 5\n#define CUDNN_PATCHLEVEL 1\n",
    )
    assert told(computer).details == ["cuDNN 9.5.1: /usr/include/cudnn_version.h"]


def test_the_compiler_on_the_path_is_asked(computer: Computer) -> None:
    computer.environment["PATH"] = "/bin:/opt/bin"
    computer.write("/opt/bin/nvcc")
    computer.answers["/opt/bin/nvcc"] = Ran(0, "Cuda tools, release 12.4, V12.4.131")
    topic = told(computer)
    assert topic.verdict is Verdict.FINE
    assert topic.details == ["nvcc on the PATH is 12.4: /opt/bin/nvcc"]


def test_a_compiler_that_does_not_answer_is_a_sentence(computer: Computer) -> None:
    computer.environment["PATH"] = "/opt/bin"
    computer.write("/opt/bin/nvcc")
    computer.answers["/opt/bin/nvcc"] = Ran(None, "", Message("It did not answer within 5 s."))
    topic = told(computer)
    assert topic.verdict is Verdict.LOOK
    assert topic.sentence == (
        "nvcc is on the PATH (/opt/bin/nvcc), but did not say its version."
        " It did not answer within 5 s."
    )


def test_a_variable_that_names_no_toolkit_is_pointed_out(computer: Computer) -> None:
    computer.environment["CUDA_HOME"] = "/usr/local/cuda-11.0"
    topic = told(computer)
    assert topic.verdict is Verdict.LOOK
    assert "CUDA_HOME=/usr/local/cuda-11.0 names a folder that is not there" in topic.sentence


def test_two_toolkits_that_would_mix_are_pointed_out(computer: Computer) -> None:
    for version in ("11.8", "12.6"):
        computer.write(f"/usr/local/cuda-{version}/version.txt", f"CUDA Version {version}")
        computer.write(f"/usr/local/cuda-{version}/bin/nvcc")
    computer.environment |= {
        "CUDA_HOME": "/usr/local/cuda-11.8",
        "PATH": "/usr/local/cuda-12.6/bin",
    }
    topic = told(computer)
    assert topic.verdict is Verdict.LOOK
    assert topic.do == "Let PATH and CUDA_HOME name the same toolkit."


def test_a_toolkit_too_new_for_the_driver_is_pointed_out(computer: Computer) -> None:
    computer.give_driver(version="550.54.14", cuda="12.4")
    computer.write("/usr/local/cuda-13.0/version.txt", "CUDA Version 13.0")
    topic = told(computer)
    assert topic.verdict is Verdict.LOOK
    assert "CUDA 13" in topic.sentence
    assert "CUDA 12" in topic.sentence
