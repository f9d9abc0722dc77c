"""How busy the parts of a card are."""

from gpuexplorer.core.metric import Cadence, Scope, Subject, Unit
from gpuexplorer.core.words import Message

_subject = Subject()
_add = _subject.add

GPU_UTILIZATION = _add(
    "gpu_utilization",
    Unit.RATIO,
    Message("GPU utilisation"),
    Message("Share of the last moment in which some kernel ran, however small it was."),
    "utilization.gpu",
    Cadence.FAST,
)
MEMORY_UTILIZATION = _add(
    "memory_utilization",
    Unit.RATIO,
    Message("Memory controller"),
    Message("Share of the last moment in which the card's memory was being read or written."),
    "utilization.memory",
    Cadence.FAST,
)
ENCODER_UTILIZATION = _add(
    "encoder_utilization",
    Unit.RATIO,
    Message("Video encoder"),
    Message("Share of the last moment in which the video encoder was at work."),
    "utilization.encoder",
)
DECODER_UTILIZATION = _add(
    "decoder_utilization",
    Unit.RATIO,
    Message("Video decoder"),
    Message("Share of the last moment in which the video decoder was at work."),
    "utilization.decoder",
)
JPEG_UTILIZATION = _add(
    "jpeg_utilization",
    Unit.RATIO,
    Message("JPEG decoder"),
    Message("Share of the last moment in which the JPEG decoder was at work."),
    "utilization.jpeg",
)
OFA_UTILIZATION = _add(
    "ofa_utilization",
    Unit.RATIO,
    Message("Optical flow"),
    Message("Share of the last moment in which the optical flow accelerator was at work."),
    "utilization.ofa",
)
SM_ACTIVITY = _add(
    "sm_activity",
    Unit.RATIO,
    Message("SM activity"),
    Message(
        "Share of time, over all multiprocessors, in which one had at least one warp on it."
    ),
    cadence=Cadence.ON_DEMAND,
)
SM_OCCUPANCY = _add(
    "sm_occupancy",
    Unit.RATIO,
    Message("SM occupancy"),
    Message("Warps on the multiprocessors, as a share of the most they can hold."),
    cadence=Cadence.ON_DEMAND,
)
TENSOR_ACTIVITY = _add(
    "tensor_activity",
    Unit.RATIO,
    Message("Tensor activity"),
    Message("Share of time in which the tensor cores were computing."),
    cadence=Cadence.ON_DEMAND,
)
CPU_UTILIZATION = _add(
    "cpu_utilization",
    Unit.RATIO,
    Message("Processor use"),
    Message("Share of all processor cores' time spent working since the reading before."),
    cadence=Cadence.FAST,
    scope=Scope.HOST,
)

METRICS = tuple(_subject.metrics)
