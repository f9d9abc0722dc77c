"""What a cure costs, said before it is pressed."""

from gpuexplorer.core.words import Message
from gpuexplorer.gui.lab.code.words import cure_face
from gpuexplorer.lab.cures import Copying, Cure

CODE = ("# sums\nX.cuda(1) + Y",)
SHOWN = ("X.cuda(1) + Y",)
TO_CARD_1 = (Copying("X", "cuda:0", "cuda:1", 24),)


def test_a_cure_shows_what_it_changes_and_runs_the_cell() -> None:
    face = cure_face(Cure(CODE, SHOWN, copies=TO_CARD_1), lambda _: (8.4e-6, "NVLink"))
    assert (face.cells, face.lines) == (CODE, SHOWN)
    assert face.price == "24 B over NVLink, about 8.4 µs; then it runs on cuda:1"
    assert (face.sources, face.target) == (("cuda:0",), "cuda:1")
    assert face.words.endswith("then it runs on cuda:1. From cuda:0 to cuda:1")


def test_on_real_cards_no_time_is_claimed() -> None:
    unknown = cure_face(Cure(CODE, SHOWN, copies=TO_CARD_1), lambda _: None)
    assert unknown.price == "24 B; then it runs on cuda:1"


def test_a_cure_by_two_copies_and_one_by_deleting() -> None:
    copies = (Copying("X", "cuda:0", "cpu", 24), Copying("Y", "cuda:1", "cpu", 24))
    both = cure_face(Cure(CODE, SHOWN, copies=copies), lambda _: None)
    assert both.price == "2 × 24 B; then it runs on the processor"
    freed = Cure(("del X", "A"), ("del X",), frees_bytes=2 << 20)
    assert cure_face(freed, lambda _: None).price == "Gives back 2 MiB; then the cell again"


def test_a_model_that_moves_is_there_from_then_on() -> None:
    copies = (Copying("net", "cuda:0", "cuda:1", 16, stays=True),)
    face = cure_face(
        Cure(("net.cuda(1)(Y)",), ("net.cuda(1)(Y)",), copies=copies), lambda _: None
    )
    assert face.price == "16 B; then it runs on cuda:1. net is on cuda:1 from then on"


def test_a_copy_in_a_loop_is_made_each_time() -> None:
    face = cure_face(Cure(CODE, SHOWN, copies=TO_CARD_1, again=True), lambda _: None)
    assert face.price.endswith("runs on cuda:1. Each time that line runs, it copies again")


def test_a_cure_that_moves_nothing_with_a_name_says_what_becomes_of_it() -> None:
    label = Message("The same without its history")
    assert cure_face(Cure(("…",), ("…",), label), lambda _: None).price == label
