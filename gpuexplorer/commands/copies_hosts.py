"""gpuexplorer copies --hosts: how fast bytes move between machines, and whether they arrive."""

import argparse
import json
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from gpuexplorer.commands.arguments import WrongArgumentsError, in_the_words
from gpuexplorer.commands.copies_progress import status_after
from gpuexplorer.commands.copies_text import INCOMPLETE, WRONG
from gpuexplorer.commands.page import NONE, Column, Page, percent
from gpuexplorer.commands.terminal import ProgressLine, Terminal
from gpuexplorer.copies.words import sizes_of
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.units import bytes_words, duration, rate
from gpuexplorer.core.words import Message, mark, tr
from gpuexplorer.ranks.company import Company, Member, here, told_apart
from gpuexplorer.ranks.measuring import Asked, RankResult, as_csv, as_json, measure
from gpuexplorer.ranks.meeting import Met
from gpuexplorer.ranks.wire import Way
from gpuexplorer.remote.host_name import HostName, host_name
from gpuexplorer.remote.ssh_command import ssh_command

_HERE = ("localhost", ".")
_SIZES = (8, 1 << 10, 16 << 10, 256 << 10, 4 << 20, 64 << 20)
_MOST_HOSTS = 16
_INTACT = Message("All of it was compared with what was sent, and arrived intact.")
_TITLES = {
    Way.ONE_WAY: mark("{source} to {target}, one way, until it says that all is there:"),
    Way.ALL_REDUCE: mark("All-reduce of all {ranks}, bytes of each:"),
}


def run(arguments: argparse.Namespace) -> int:
    with in_the_words():
        sizes = _SIZES if arguments.sizes is None else sizes_of(arguments.sizes)
        asked = Asked(_ways(arguments.mode), sizes)
        hosts = [host_name(each) for each in arguments.hosts.split(",")]
    _check(arguments, hosts)
    there = arguments.host_python or arguments.python or "python3"
    members = _members(hosts, arguments.python, str(there))
    results: list[RankResult] = []
    met: list[Met] = []
    end: str | None = ""
    hint = ""
    with ProgressLine(sys.stderr) as line:
        try:
            with Company(members) as company:
                measure(
                    company, asked, met.append, results.append, lambda told: line.show(tr(told))
                )
        except KeyboardInterrupt:
            end = None
        except Trouble as trouble:
            end, hint = trouble.sentence, trouble.hint
    _show(arguments, [each.name for each in members], met, results, complete=end == "")
    if end:
        raise Trouble(end, hint)
    return status_after(end, well=all(each.intact for each in results))


def _ways(text: str | None) -> Sequence[Way]:
    """All of them, if nothing is said."""
    words = [each.strip().lower() for each in (text or "all").split(",")]
    if words == ["all"]:
        return tuple(Way)
    for word in words:
        if word not in {*Way}:
            raise Trouble(
                "--mode names {word!r}, which does not go between machines.",
                "There are: {modes}.",
                word=word,
                modes=", ".join(each.value for each in Way),
            )
    return tuple(dict.fromkeys(map(Way, words)))


def _check(arguments: argparse.Namespace, hosts: Sequence[HostName]) -> None:
    if len(hosts) < 2:
        raise WrongArgumentsError(
            "--hosts needs two machines or more.",
            "Write them with commas, such as --hosts localhost,user@server.",
        )
    if len(hosts) > _MOST_HOSTS:
        raise WrongArgumentsError("--hosts takes up to {most} machines.", most=_MOST_HOSTS)
    if arguments.simulate or arguments.devices or arguments.datasheet or arguments.list:
        raise WrongArgumentsError(
            "--hosts measures between real machines.",
            "Leave out --simulate, --devices, --datasheet and --list.",
        )


def _members(hosts: Sequence[HostName], python: Path | None, there: str) -> Sequence[Member]:
    """`localhost` is this computer, without ssh."""
    launch = partial(ssh_command, somebody_answers=False)
    names = told_apart([each.text for each in hosts])
    return [
        here(name, python) if host.text in _HERE else Member(name, host, launch, there)
        for name, host in zip(names, hosts, strict=True)
    ]


def _show(
    arguments: argparse.Namespace,
    hosts: Sequence[str],
    met: Sequence[Met],
    results: Sequence[RankResult],
    *,
    complete: bool,
) -> None:
    if arguments.json:
        told = as_json(hosts, results, complete=complete)
        sys.stdout.write(json.dumps(told, indent=2) + "\n")
    elif arguments.csv:
        sys.stdout.write(as_csv(results))
    elif results:
        terminal = Terminal()
        page = Page(terminal.width())
        for each in met:
            page.say(*each.remarks)
        _write(page, results)
        page.gap()
        page.say(_INTACT if all(each.intact for each in results) else "")
        page.say("" if complete else INCOMPLETE)
        terminal.show(str(page))
    sys.stdout.flush()


def _write(page: Page, results: Sequence[RankResult]) -> None:
    _write_matrix(page, [each for each in results if each.way is Way.ONE_WAY])
    groups: dict[tuple[Way, str, str], list[RankResult]] = {}
    for each in results:
        groups.setdefault((each.way, each.source, each.target), []).append(each)
    for (way, source, target), group in groups.items():
        first = group[0]
        page.gap()
        page.say(Message(_TITLES[way], source=source, target=target, ranks=first.ranks))
        page.say(_promise(first))
        page.gap()
        columns = [
            Column(Message("Size"), 100, right=True),
            Column(Message("Median"), 90, right=True),
            Column(Message("Quartiles"), 60, right=True),
            Column(Message("Rate"), 90, right=True),
        ]
        if way is Way.ALL_REDUCE:
            columns.append(Column(Message("On the wire"), 70, right=True))
        if first.promised:
            columns.append(Column(Message("Share"), 80, right=True))
        page.table(columns, [_row(each)[: len(columns)] for each in group])


def _write_matrix(page: Page, results: Sequence[RankResult]) -> None:
    """Of the largest size, where there are more than two."""
    names = list(dict.fromkeys(each.source for each in results))
    if len(names) < 3:
        return
    most = max(each.bytes for each in results)
    rates = {(each.source, each.target): _rate(each) for each in results if each.bytes == most}
    page.gap()
    page.say(Message("One way, {size}; row to column:", size=bytes_words(most)))
    page.matrix(
        names, [(each, [rates.get((name, each), NONE) for name in names]) for each in names]
    )


def _rate(result: RankResult) -> str:
    return WRONG if result.rate is None else str(rate(result.rate))


def _promise(result: RankResult) -> Message:
    if result.promised is not None:
        promised = rate(result.promised)
        if not result.path:
            return Message("The narrowest wire promises {rate}.", rate=promised)
        return Message("{path}; the network promises {rate}.", path=result.path, rate=promised)
    if not result.path:
        return Message("What the network promises is not known.")
    return Message("{path}; what the network promises is not known.", path=result.path)


def _row(result: RankResult) -> Sequence[str]:
    low, middle, high = (str(duration(each)) for each in result.quartiles)
    cells = [bytes_words(result.bytes), middle, f"{low} – {high}"]
    cells.append(_rate(result))
    if result.way is Way.ALL_REDUCE:
        cells.append(NONE if result.bus_rate is None else str(rate(result.bus_rate)))
    return [*cells, NONE if result.share is None else percent(result.share)]
