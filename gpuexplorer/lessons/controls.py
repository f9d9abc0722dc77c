"""CONTROLS: what a lesson can point at in the window, by the names its file uses."""

from collections.abc import Mapping
from dataclasses import dataclass

from gpuexplorer.core.words import mark


@dataclass(frozen=True)
class Control:
    """`words` are read after "Show me". Without a screen it is always there. `place` is the
    object name in the window, where that is not the name itself.
    """

    words: str
    screen: str = ""
    place: str = ""


CONTROLS: Mapping[str, Control] = {
    "overview": Control(mark("the overview"), "overview"),
    "card": Control(mark("the screen of one card"), "card"),
    "processes": Control(mark("the processes"), "processes"),
    "topology": Control(mark("the topology"), "topology"),
    "events": Control(mark("the events"), "events"),
    "lab": Control(mark("the lab"), "lab"),
    "copies": Control(mark("the copies"), "copies"),
    "rail": Control(mark("the screens at the left")),
    "rail.overview": Control(mark("where the overview opens")),
    "rail.card": Control(mark("where a single card opens")),
    "rail.processes": Control(mark("where the processes open")),
    "rail.topology": Control(mark("where the topology opens")),
    "rail.events": Control(mark("where the events open")),
    "rail.lab": Control(mark("where the lab opens")),
    "rail.copies": Control(mark("where the copies open")),
    "rail.devices": Control(mark("the cards at the left")),
    "rail.python": Control(mark("which Python runs the lab")),
    "top.source": Control(mark("where the figures come from")),
    "top.time": Control(mark("how much time the plots show")),
    "top.pause": Control(mark("what holds the plots still")),
    "top.search": Control(mark("where one searches all commands")),
    "overview.curves": Control(mark("the curves of all cards"), "overview"),
    "overview.tiles": Control(mark("the cards' tiles"), "overview"),
    "overview.processes": Control(mark("the programs on the cards"), "overview"),
    "overview.events": Control(mark("what happened last"), "overview"),
    "card.cards": Control(mark("where one chooses the card"), "card"),
    "card.memory": Control(mark("what fills the card's memory"), "card"),
    "card.plots": Control(mark("the card's plots"), "card"),
    "card.facts": Control(mark("the facts about the card"), "card"),
    "processes.table": Control(mark("the table of processes"), "processes"),
    "topology.machine": Control(mark("how the machine is wired"), "topology"),
    "topology.matrix": Control(mark("the table of connections"), "topology"),
    "topology.facts": Control(mark("what is known of the chosen part"), "topology"),
    "events.table": Control(mark("the list of events"), "events"),
    "lab.editor": Control(mark("where one types a cell"), "lab"),
    "lab.run": Control(mark("where a cell is typed and run"), "lab", "lab.editor"),
    "lab.cells": Control(mark("the cells with what each took"), "lab"),
    "lab.copies": Control(mark("where a cell says what it copied"), "lab", "lab.cells"),
    "lab.bench": Control(mark("the shelves of the devices"), "lab"),
    "lab.devices": Control(mark("the devices and what lies on them"), "lab", "lab.bench"),
    "lab.memory": Control(mark("how full each device is"), "lab", "lab.bench"),
    "lab.forms": Control(mark("the forms that write cells"), "lab"),
    "lab.strips": Control(mark("the cards' curves below the lab"), "lab"),
    "lab.placement": Control(mark("the switch that tells where operations run"), "lab"),
    "lab.cap": Control(mark("the cap on the cards' memory"), "lab"),
    "lab.switches": Control(mark("more switches of the lab"), "lab"),
    "lab.visible": Control(mark("where one chooses visible cards"), "lab", "lab.switches"),
    "lab.release": Control(mark("what gives the cards back"), "lab"),
    "lab.open": Control(mark("where a program or notebook is opened"), "lab"),
    "lab.watch": Control(mark("where a program is watched"), "lab"),
    "lab.save": Control(mark("where the session is saved"), "lab"),
    "copies.copies": Control(mark("the page of single copies"), "copies"),
    "copies.matrix": Control(mark("the page that measures all pairs"), "copies"),
    "copies.sweep": Control(mark("the page that measures all sizes"), "copies"),
    "copies.comparisons": Control(mark("the page that compares ways"), "copies"),
    "copies.datasheet": Control(mark("the page of datasheets and prices"), "copies"),
}
