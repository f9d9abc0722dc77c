"""Ending: asks a process to end, or makes it, and never hits another one with its number."""

import os
import signal
import sys

from gpuexplorer.core.newer_python import StrEnum
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import NOTHING, Message
from gpuexplorer.telemetry.processes import FarIdentity, NamedProcess
from gpuexplorer.telemetry.system import psutil

# Windows has no way to ask a program without a window: there it is ended at once.
CAN_ASK = sys.platform != "win32"


class Way(StrEnum):
    """How hard."""

    ASK = "ask"  # it may save what it has, or refuse
    KILL = "kill"  # the system takes it away, and nothing is saved


def refusal(named: NamedProcess) -> Message:
    """Why it cannot be ended from here, as a sentence; empty where it can."""
    if named.simulated:
        return Message("This process is simulated: there is nothing to end.")
    if named.elsewhere:
        return Message(
            "Its number is one of the host's. In this container the same number may be "
            "another process, so it cannot be ended from here."
        )
    if not named.resolved or named.identity is None:
        return Message("It has ended already, or may not be looked at.")
    if named.ended:
        return Message("It has ended already.")
    if named.ours:
        return Message("This is GPU Explorer itself. Close the window to end it.")
    if named.process.pid <= 1:
        return Message("The whole system depends on this process.")
    if not named.of_this_user:
        if named.user:
            return Message(
                "It belongs to {user}. Only they or an administrator may end it.",
                user=named.user,
            )
        return Message("It belongs to another user. Only they or an administrator may end it.")
    return NOTHING


def end(named: NamedProcess, way: Way) -> None:
    """Sends the wish and does not wait. Raises Trouble when it cannot be sent.

    That the number still belongs to the process that was looked at is checked right before.
    """
    why_not = refusal(named)
    identity = named.identity
    if why_not or identity is None:
        raise Trouble(why_not)
    if isinstance(identity, FarIdentity):
        identity.end(kill=way is Way.KILL)
        return
    try:
        if sys.platform == "linux" and hasattr(os, "pidfd_open"):
            _send_on_linux(identity, way)
        else:
            _send(identity, way)
    except (psutil.NoSuchProcess, ProcessLookupError) as error:
        raise Trouble("It has ended already.") from error
    except (psutil.AccessDenied, PermissionError) as error:
        raise Trouble(
            "There is no permission to end process {pid}.",
            "An administrator may end it.",
            pid=named.process.pid,
        ) from error


def has_ended(named: NamedProcess) -> bool:
    """Whether it runs no more; a process of which only the entry is left holds no card."""
    if named.identity is None:
        return True
    if isinstance(named.identity, FarIdentity):
        return named.identity.has_ended()
    try:
        now = psutil.Process(named.process.pid)
        return now != named.identity or now.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True
    except psutil.AccessDenied:
        return False


def refused(named: NamedProcess) -> Trouble | None:
    """Why it was not ended after all, where that is heard only after a while: on another
    computer.
    """
    return named.identity.refused() if isinstance(named.identity, FarIdentity) else None


def _send_on_linux(identity: psutil.Process, way: Way) -> None:
    """Through a descriptor that stays with this one process, whoever gets its number later."""
    try:
        descriptor = os.pidfd_open(identity.pid)
    except ProcessLookupError:
        raise
    except OSError:
        _send(identity, way)  # some sandboxes have no such descriptors
        return
    try:
        if not identity.is_running():
            raise psutil.NoSuchProcess(identity.pid)
        number = signal.SIGTERM if way is Way.ASK else signal.SIGKILL
        signal.pidfd_send_signal(descriptor, number)
    finally:
        os.close(descriptor)


def _send(identity: psutil.Process, way: Way) -> None:
    if not identity.is_running():
        raise psutil.NoSuchProcess(identity.pid)
    if way is Way.ASK:
        identity.terminate()
    else:
        identity.kill()
