"""Which names a cell reads and makes, by its text alone."""

from gpuexplorer.lab.cell_source import names_made, names_read


def test_a_cell_reads_some_names_and_makes_others() -> None:
    code = "def double(x):\n    return 2 * x\nA, (B, *C) = double(X), rest"
    assert names_read(code) == {"x", "double", "X", "rest"}
    assert names_made(code) == {"double", "A", "B", "C"}


def test_lines_for_the_shell_and_magics_are_passed_over() -> None:
    code = "!nvidia-smi\nfor d in devices:\n    %time Y = X.to(d)\nZ = X"
    assert names_read(code) == {"devices", "X"}
    assert names_made(code) == {"d", "Z"}


def test_what_is_no_python_speaks_of_nothing() -> None:
    assert names_read("X = (") == frozenset()


def test_what_is_too_long_to_have_been_written_is_not_read() -> None:
    assert names_made("X = 1\n" * 10_000) == {"X"}
    assert names_made("X = 1\n" * 100_000) == frozenset()
