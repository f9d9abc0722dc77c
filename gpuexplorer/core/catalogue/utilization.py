"""How busy the parts of a card are."""

from gpuexplorer.core.metric import Cadence, Metric, MetricId, Scope, Unit
from gpuexplorer.core.words import Message

GPU_UTILIZATION = MetricId("gpu_utilization")
MEMORY_UTILIZATION = MetricId("memory_utilization")
ENCODER_UTILIZATION = MetricId("encoder_utilization")
DECODER_UTILIZATION = MetricId("decoder_utilization")
JPEG_UTILIZATION = MetricId("jpeg_utilization")
OFA_UTILIZATION = MetricId("ofa_utilization")
SM_ACTIVITY = MetricId("sm_activity")
SM_OCCUPANCY = MetricId("sm_occupancy")
TENSOR_ACTIVITY = MetricId("tensor_activity")
CPU_UTILIZATION = MetricId("cpu_utilization")


def _ratio(
    metric: MetricId,
    label: Message,
    meaning: Message,
    smi: str,
    cadence: Cadence,
    scope: Scope = Scope.CARD,
) -> Metric:
    return Metric(metric, label, Unit.RATIO, meaning, smi, cadence, highest=1.0, scope=scope)


METRICS = (
    _ratio(
        GPU_UTILIZATION,
        Message("GPU utilisation"),
        Message("Share of the last moment in which some kernel ran, however small it was."),
        "utilization.gpu",
        Cadence.FAST,
    ),
    _ratio(
        MEMORY_UTILIZATION,
        Message("Memory controller"),
        Message(
            "Share of the last moment in which the card's memory was being read or written."
        ),
        "utilization.memory",
        Cadence.FAST,
    ),
    _ratio(
        ENCODER_UTILIZATION,
        Message("Video encoder"),
        Message("Share of the last moment in which the video encoder was at work."),
        "utilization.encoder",
        Cadence.SLOW,
    ),
    _ratio(
        DECODER_UTILIZATION,
        Message("Video decoder"),
        Message("Share of the last moment in which the video decoder was at work."),
        "utilization.decoder",
        Cadence.SLOW,
    ),
    _ratio(
        JPEG_UTILIZATION,
        Message("JPEG decoder"),
        Message("Share of the last moment in which the JPEG decoder was at work."),
        "utilization.jpeg",
        Cadence.SLOW,
    ),
    _ratio(
        OFA_UTILIZATION,
        Message("Optical flow"),
        Message("Share of the last moment in which the optical flow accelerator was at work."),
        "utilization.ofa",
        Cadence.SLOW,
    ),
    _ratio(
        SM_ACTIVITY,
        Message("SM activity"),
        Message(
            "Share of time, over all multiprocessors, in which one had at least one warp on it."
        ),
        "",
        Cadence.ON_DEMAND,
    ),
    _ratio(
        SM_OCCUPANCY,
        Message("SM occupancy"),
        Message("Warps on the multiprocessors, as a share of the most they can hold."),
        "",
        Cadence.ON_DEMAND,
    ),
    _ratio(
        TENSOR_ACTIVITY,
        Message("Tensor activity"),
        Message("Share of time in which the tensor cores were computing."),
        "",
        Cadence.ON_DEMAND,
    ),
    _ratio(
        CPU_UTILIZATION,
        Message("Processor use"),
        Message("Share of all processor cores' time spent working since the reading before."),
        "",
        Cadence.FAST,
        Scope.HOST,
    ),
)
