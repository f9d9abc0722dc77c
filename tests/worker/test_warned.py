"""What a person is told of PyTorch's warnings while a line runs."""

import warnings

from gpuexplorer.worker.loop import warned


def test_each_warning_is_told_once_in_a_line_and_again_in_the_next() -> None:
    said: list[str] = []
    for _ in range(2):
        with warned(said.append):
            for _ in range(3):
                warnings.warn("Using a target size that is different.", stacklevel=1)
    assert said == ["UserWarning: Using a target size that is different."] * 2


def test_where_it_comes_from_inside_pytorch_is_left_out() -> None:
    said: list[str] = []
    with warned(said.append):
        warnings.warn("Mind this. (Triggered internally at /src/a.cpp:12.)", stacklevel=1)
    assert said == ["UserWarning: Mind this."]


def test_what_is_meant_for_those_who_write_pytorch_is_not_told() -> None:
    said: list[str] = []
    with warned(said.append):
        warnings.warn("Old.", DeprecationWarning, stacklevel=1)
        warnings.warn("Divided by zero.", RuntimeWarning, stacklevel=1)
    assert said == ["RuntimeWarning: Divided by zero."]
