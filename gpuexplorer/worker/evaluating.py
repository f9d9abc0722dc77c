"""Evaluating: what expressions give beside the session's names, of which they change none.

The names of the usable devices are in `devices`. Other values come as JSON. An object with the
key "is" there becomes a `Record`, whose fields are attributes: {"is": "card 0", "has":
{"index": 0}, "lacks": {"power": a message's JSON}}; each other object a dictionary.
"""

import ast
import difflib
import io
import json
import math
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import replace
from typing import Any

from gpuexplorer.core.words import Message, told
from gpuexplorer.lab.events import Worth
from gpuexplorer.lab.wire import Evaluate
from gpuexplorer.worker.pipe import Stop, WindowGone

_LEFT = "left side"  # which no source can name
_MOST_FOUND = 60
_MOST_TEXT = 2_000  # letters of what an expression gave, or an exception said
_STOPPED = Message("It was stopped before its end.")
_NOT_REACHED = Message("It was not worked out, since one before it took too long.")


_HOSTS_OWN = Message(
    "PyTorch holds no figures of the host's memory. host.memory_used is there."
)


class NotThereError(Exception):
    """A record has no such figure. The sentence says why."""

    def __init__(self, sentence: Message) -> None:
        super().__init__(str(sentence))
        self.sentence = sentence


# Any throughout: values are JSON's, or whatever an expression makes of them.
class Record:
    """Its fields are attributes. One that is absent raises, and says why."""

    def __init__(self, name: str, has: "Mapping[str, Any]", lacks: "Mapping[str, Any]") -> None:
        self.__dict__.update(has)
        self.__name, self.__lacks = name, lacks

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        reason = self.__lacks.get(name)
        if reason is not None:
            raise NotThereError(Message.from_json(reason))
        there = [each for each in self.__dict__ if each[0] != "_"] + [*self.__lacks]
        close = difflib.get_close_matches(name, there, 5, 0.5) or sorted(there)
        raise NotThereError(
            Message(
                "There is no {name} in {record}. There is: {others}.",
                name=name,
                record=self.__name,
                others=", ".join(close),
            )
        )

    def __repr__(self) -> str:
        return self.__name


class Held(dict):  # type: ignore[type-arg]  # a worker's Python may be too old for it
    """What PyTorch holds, by device. One that it never used raises, and says so."""

    def __missing__(self, device: Any) -> Any:
        if device == "cpu":
            raise NotThereError(_HOSTS_OWN)
        raise NotThereError(
            Message(
                "PyTorch has not used {device} yet, so it holds no figures of its memory.",
                device=device,
            )
        )


class Evaluating:
    """The expressions of one command, one after the other, each with a result of its own."""

    def __init__(
        self,
        command: Evaluate,
        names: "Mapping[str, Any]",
        devices: "Sequence[str]",
        stop: Stop,
    ) -> None:
        self.worths: list[Worth] = []
        self._command = command
        values = _made(json.loads(command.values))
        self._names = {**names, "devices": list(devices), **values}
        self._stop = stop

    def work_out(self) -> None:
        """Raises KeyboardInterrupt where a person has stopped it."""
        sources = self._command.sources
        for source in sources:
            late = threading.Event()
            # Its thread may outlive this one's turn, and must hold none of the session's names.
            of_it = (late, self._stop, self._command.id)
            limit = threading.Timer(self._command.seconds, _end, of_it)
            limit.daemon = True
            limit.start()
            try:
                worth = self._worth(source)
                limit.cancel()
                self._stop.checkpoint()
            except KeyboardInterrupt:
                if not late.is_set():
                    self.worths.append(Worth(error=_STOPPED))
                    raise
                worth = Worth(
                    error=Message(
                        "It took longer than {seconds:g} seconds and was stopped.",
                        seconds=self._command.seconds,
                    )
                )
            finally:
                limit.cancel()
            self.worths.append(worth)
            if late.is_set():
                rest = len(sources) - len(self.worths)
                self.worths += [Worth(error=_NOT_REACHED)] * rest
                return

    def _worth(self, source: str) -> Worth:
        try:
            tree = ast.parse(source.strip(), "<expression>", "eval")
            left = _keep_left(tree.body, source.strip())
            code = compile(tree, "<expression>", "eval", dont_inherit=True)
            names = dict(self._names)  # its own, so that one it assigns is not the session's
            with redirect_stdout(io.StringIO()):  # it would come as the newest cell's
                worth = _worth_of(eval(code, names))
                if not left or worth.truth or worth.error:
                    return worth
                value = " ".join(_shortened(lambda: repr(names[_LEFT])).split())
                value = value if len(value) <= _MOST_FOUND else f"{value[:_MOST_FOUND]} …"
                return replace(
                    worth, found=Message("`{side}` is `{value}`.", side=left, value=value)
                )
        except (KeyboardInterrupt, WindowGone):
            raise
        except NotThereError as absent:
            return Worth(error=absent.sentence)
        except IndexError as error:
            hint = Message("What it counts may not have happened yet.")
            return Worth(error=told(_said(error), hint), fault=True)
        except BaseException as error:  # an expression is a person's
            return Worth(error=_said(error), fault=True)


def _end(late: threading.Event, stop: Stop, command: int) -> None:
    late.set()
    stop.cancel(command)


def _keep_left(tree: ast.expr, source: str) -> str:
    """The left side of a comparison as it is written; its value will be kept."""
    if not isinstance(tree, ast.Compare) or isinstance(tree.left, ast.Constant):
        return ""
    side = " ".join((ast.get_source_segment(source, tree.left) or "").split())
    name = ast.copy_location(ast.Name(_LEFT, ast.Store()), tree.left)
    tree.left = ast.copy_location(ast.NamedExpr(name, tree.left), tree.left)
    return side


def _said(error: BaseException) -> Message:
    text = _shortened(lambda: str(error))
    kind = type(error).__name__
    if not text:
        return Message("Python says: {error}.", error=kind)
    return Message("Python says: {error}: {words}.", error=kind, words=text.rstrip("."))


def _worth_of(value: Any) -> Worth:
    """Also of a tensor that holds one number."""
    if callable(value) and not hasattr(value, "shape"):
        return Worth(
            error=Message("It gives a function and no value. Brackets behind it call it.")
        )
    truth = bool(value)
    text = value if type(value) is str else _shortened(lambda: repr(value))
    if isinstance(value, (str, bytes)):
        return Worth(truth, None, text[:_MOST_TEXT])
    try:
        number = float(value)
    except (TypeError, ValueError, RuntimeError, OverflowError):
        return Worth(truth, None, text)
    if not math.isfinite(number):
        return Worth(error=Message("It gives {number}, which is no number.", number=text))
    return Worth(truth, number, text)


def _shortened(say: "Callable[[], str]") -> str:
    """A person's own class may not even have words."""
    try:
        text = say()
    except Exception:
        return ""
    return text if len(text) <= _MOST_TEXT else f"{text[:_MOST_TEXT]} …"


def _made(value: Any) -> Any:
    if isinstance(value, list):
        return [_made(each) for each in value]
    if not isinstance(value, dict):
        return value
    if "is" in value:
        return Record(str(value["is"]), _made(value["has"]), value["lacks"])
    return Held({name: _made(each) for name, each in value.items()})
