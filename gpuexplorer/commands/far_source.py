"""Another machine's cards for a command: connected before anything is read of them."""

import argparse
import sys

from gpuexplorer.commands.arguments import in_the_words
from gpuexplorer.remote.far_machine import FarMachine
from gpuexplorer.remote.host_name import host_name
from gpuexplorer.simulation.faults import parse_faults
from gpuexplorer.simulation.specs import parse_machine


def connected(host: str, arguments: argparse.Namespace) -> FarMachine:
    """Raises Trouble with the reason, and WrongArgumentsError for what is wrong already here.
    Where somebody is at a terminal, ssh asks there what it has to ask.
    """
    with in_the_words():
        name = host_name(host)
        if arguments.simulate is not None:
            machine = parse_machine(arguments.simulate, arguments.seed)
            parse_faults(arguments.fault, len(machine.cards))
    far = FarMachine(
        name,
        python=arguments.host_python,
        simulate=arguments.simulate,
        faults=arguments.fault,
        seed=arguments.seed,
        at_terminal=sys.stdin.isatty() and sys.stderr.isatty(),
    )
    try:
        far.connect()
        far.wait_until_up()
    except BaseException:
        far.stop(1.0)
        raise
    return far
