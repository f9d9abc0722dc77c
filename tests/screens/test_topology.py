"""The screen of wires: who reaches whom, and how."""

from tests.screens.conftest import OpenProgram


def test_a_cell_of_the_matrix_tells_the_path(open_program: OpenProgram) -> None:
    person = open_program()
    person.go_to("Topology")
    person.click("Card 0 to card 1")
    person.sees("2 NVLinks", "50.0 GB/s", within="Facts")


def test_the_drawing_says_its_parts_and_is_chosen_from(open_program: OpenProgram) -> None:
    person = open_program()
    person.go_to("Topology")
    person.click("List the parts")
    listed = "Parts of the machine"
    person.sees("NVLink between card 0 and card 1", "NUMA node 0", within=listed)
    person.click("Card 1, NVIDIA TITAN RTX", within=listed)
    person.sees("Card 1", "PCIe", within="Facts")
    person.does_not_see("2 cards", within="Facts")


def test_the_matrix_is_copied_as_text_that_explains_itself(open_program: OpenProgram) -> None:
    person = open_program()
    person.go_to("Topology")
    person.sees("Card 0 to card 1")
    person.click("Copy the matrix")
    copied = person.clipboard()
    assert "NV2" in copied
    assert "PHB" in copied
    assert "SIMULATED" in copied
