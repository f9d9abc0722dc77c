"""What a simulated card is made to do: a round of work that repeats, the same for one seed."""

from dataclasses import dataclass
from enum import Enum
from random import Random

from gpuexplorer.simulation.models import MIB, CardModel
from gpuexplorer.simulation.specs import BOARD_CARDS, MachineSpec

FULL_LEVEL = 1.0
_HOUR = 3600.0
_HEAD_START_SECONDS = 12.0  # of training, so that a new machine is seen at work at once


class Role(Enum):
    """How a card spends its days."""

    TRAINING = "training"
    SERVING = "serving"
    RESTING = "resting"


@dataclass(frozen=True, slots=True)
class Phase:
    """A stretch of even work. `level` is 0 at rest and 1 at all that the card can do."""

    seconds: float
    level: float = 0.0
    feed: float = 0.0  # share of what PCIe can carry
    exchange: float = 0.0  # share of what NVLink can carry
    choked: bool = False  # the air around the card is too warm


@dataclass(frozen=True, slots=True)
class Job:
    """A program that uses the card from `begin` to `end` of each round."""

    command: str
    user: str
    begin: float
    end: float
    memory_bytes: int
    ramp: float = 0.0  # seconds in which its memory grows to that
    weight: float = 1.0  # its part of the work, beside the other jobs' weights
    graphics: bool = False
    lasting: bool = False  # it outlives the round

    def memory_at(self, second: float) -> int:
        grown = 1.0 if second - self.begin >= self.ramp else (second - self.begin) / self.ramp
        return _whole(self.memory_bytes * (0.1 + 0.9 * grown))


@dataclass(frozen=True, slots=True)
class Workload:
    """One card's round of work, and how far into it the machine starts."""

    role: Role
    phases: tuple[Phase, ...]
    jobs: tuple[Job, ...]
    offset: float


def workload_of(spec: MachineSpec, index: int, seed: int) -> Workload:
    """Cards of one board that train do so together, as one program on several cards."""
    model = spec.cards[index].model
    if spec.cards[index].idle:
        return Workload(Role.RESTING, (Phase(_HOUR),), (), 0.0)
    role = _role(index, seed)
    own = Random(f"{seed}/{index}")
    match role:
        case Role.TRAINING:
            story = Random(f"{seed}/{index // BOARD_CARDS}/training")
            phases = _training(story, own)
            offset = phases[0].seconds + phases[1].seconds + _HEAD_START_SECONDS
            if model.fans and index % 4 == 1:
                phases[4] = Phase(70.0, 0.86, feed=0.03, exchange=0.2, choked=True)
        case Role.SERVING:
            phases = _bursts(own, own.randint(14, 20), calm=(3.0, 14.0), busy=(3.0, 12.0))
            offset = own.uniform(0.0, 60.0)
        case Role.RESTING:
            phases = _bursts(own, own.randint(3, 5), calm=(50.0, 120.0), busy=(4.0, 18.0))
            offset = own.uniform(0.0, 60.0)
    desktop = model.display and not any(slot.model.display for slot in spec.cards[:index])
    jobs = (*_lasting_jobs(model, own, desktop), *_round_jobs(role, model, phases, own))
    return Workload(role, tuple(phases), jobs, offset)


def _role(index: int, seed: int) -> Role:
    others = [Role.TRAINING, Role.SERVING, Role.RESTING]
    Random(f"{seed}/{index // 4}/roles").shuffle(others)
    return (Role.TRAINING, *others)[index % 4]


def _training(story: Random, own: Random) -> list[Phase]:
    """Rest, load, then train and look back by turns; later a shorter second run."""
    phases = [Phase(story.uniform(15.0, 40.0))]
    for runs in (story.randint(3, 5), story.randint(1, 2)):
        phases.append(Phase(story.uniform(8.0, 18.0), level=0.08, feed=0.6))
        for run in range(runs):
            at_limit = run % 2 == 0
            level = FULL_LEVEL if at_limit else story.uniform(0.78, 0.94) - own.uniform(0, 0.03)
            phases.append(Phase(story.uniform(35.0, 75.0), level, 0.03, 0.24 * level))
            phases.append(Phase(story.uniform(4.0, 10.0), story.uniform(0.25, 0.45), 0.01))
        phases.append(Phase(story.uniform(12.0, 30.0)))
    return phases


def _bursts(
    own: Random, count: int, calm: tuple[float, float], busy: tuple[float, float]
) -> list[Phase]:
    phases = [Phase(own.uniform(15.0, 30.0))]
    for _ in range(count):
        phases.append(Phase(own.uniform(*busy), own.uniform(0.3, 0.92), feed=0.12))
        phases.append(Phase(own.uniform(*calm)))
    return phases


def _lasting_jobs(model: CardModel, own: Random, desktop: bool) -> list[Job]:
    usable = model.usable_bytes
    notebook = int(usable * own.uniform(0.02, 0.04))
    jobs = [_lasting("python -m ipykernel_launcher -f kernel.json", "ada", notebook)]
    if desktop:
        screen = int(own.uniform(90.0, 200.0) * MIB)
        jobs.append(_lasting("/usr/lib/xorg/Xorg :0", "root", screen, graphics=True))
    return jobs


def _lasting(command: str, user: str, memory_bytes: int, graphics: bool = False) -> Job:
    return Job(
        command,
        user,
        begin=0.0,
        end=float("inf"),
        memory_bytes=memory_bytes,
        weight=0.02 if graphics else 0.05,
        graphics=graphics,
        lasting=True,
    )


def _round_jobs(role: Role, model: CardModel, phases: list[Phase], own: Random) -> list[Job]:
    usable = model.usable_bytes
    edges = [0.0]
    for phase in phases:
        edges.append(edges[-1] + phase.seconds)
    main = int(usable * own.uniform(0.45, 0.72))
    match role:
        case Role.TRAINING:
            rests = [at for at, phase in enumerate(phases) if phase.level == 0.0]
            first, second = edges[rests[1]], edges[rests[1] + 1]
            third = first * 0.6
            return [
                Job("python train.py --model gpt2-xl", "grace", edges[1], first, main, 10.0),
                Job(
                    "python evaluate.py --split dev",
                    "grace",
                    third,
                    first - 2.0,
                    int(usable * 0.06),
                    ramp=3.0,
                    weight=0.15,
                ),
                Job(
                    "python finetune.py --lora", "ada", second, edges[rests[2]], main // 2, 6.0
                ),
            ]
        case Role.SERVING:
            return [Job("python serve.py --port 8000", "api", 10.0, edges[-1] - 2.0, main, 5.0)]
        case Role.RESTING:
            half = edges[len(edges) // 2]
            return [Job("python inference.py photos/", "alan", 12.0, half, main // 2, 4.0)]


def _whole(memory_bytes: float) -> int:
    """Drivers hand memory out in pages of 2 MiB."""
    return int(memory_bytes) // (2 * MIB) * (2 * MIB)
