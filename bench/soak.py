"""Ten minutes at a beat of 0.1 s on 64 simulated cards: is every missed beat counted?

`python -m bench.soak [SECONDS]`
"""

import resource
import sys
import threading
import time

from bench.table import Figure, show
from gpuexplorer.core.cards import Sample
from gpuexplorer.telemetry.facts import Fact
from gpuexplorer.telemetry.history import History
from gpuexplorer.telemetry.session import session_on
from gpuexplorer.telemetry.sources import simulated

BEAT = 0.1


def run(seconds: float) -> list[Figure]:
    history = History(BEAT)
    delivered = 0

    def keep(fact: Fact) -> None:
        nonlocal delivered
        if isinstance(fact, Sample):
            delivered += "gpu_utilization" in fact.values
            history.append(fact)

    session = session_on(simulated("64xH200"), interval=BEAT)
    session.attach(keep)
    session.want()
    began = time.monotonic()
    used = time.process_time()
    session.start()
    threading.Event().wait(seconds)
    ended = session.stop(2.0)
    lasted = time.monotonic() - began
    used = time.process_time() - used
    beats = session.beats()
    due = int(lasted / BEAT)
    uncounted = due - beats.taken - beats.missed
    return [
        Figure("beats due, taken, missed", f"{due}, {beats.taken}, {beats.missed}"),
        Figure(
            "beats neither taken nor counted", str(uncounted), "0, +-1", abs(uncounted) <= 1
        ),
        Figure("samples of the fast round", str(delivered), f"{beats.taken * 64}"),
        Figure("all threads ended", str(ended), "True", ended),
        Figure("processor", f"{used / lasted * 100:.0f} % of a core"),
        Figure("most memory", f"{_peak_mib():.0f} MiB"),
    ]


def _peak_mib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    length = float(sys.argv[1]) if len(sys.argv) > 1 else 600.0
    show(f"64 simulated cards at 0.1 s for {length:.0f} s", run(length))
