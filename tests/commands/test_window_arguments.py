"""What the window is told at its start: words that do not fit are answered at once."""

import argparse

from gpuexplorer.commands.window_arguments import add_window_arguments, check_window_arguments

WRONG, TROUBLE = 2, 1


def test_a_fleet_is_made_of_address_selector_and_labels() -> None:
    def checked(*words: str) -> argparse.Namespace:
        parser = argparse.ArgumentParser()
        add_window_arguments(parser)
        arguments = parser.parse_args(words)
        check_window_arguments(arguments)
        return arguments

    assert checked().fleet is None
    words = ("--prometheus", "prom:9090", "--match", "{cluster='a'}", "--host-label", "node")
    fleet = checked(*words).fleet
    assert fleet.server.where.url == "http://prom:9090"
    assert fleet.match == "cluster='a'"
    assert fleet.host_label == "node"
