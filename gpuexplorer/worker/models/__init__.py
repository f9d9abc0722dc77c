"""Small models made by one click. A saved script brings their files' text along."""

from collections.abc import Callable, Mapping
from typing import Any

from gpuexplorer.worker.models.lenet import lenet
from gpuexplorer.worker.models.lstm import lstm
from gpuexplorer.worker.models.mlp import mlp
from gpuexplorer.worker.models.small_cnn import small_cnn
from gpuexplorer.worker.models.tiny_gpt import tiny_gpt
from gpuexplorer.worker.models.transformer_block import transformer_block

# Any: each makes a torch.nn.Module.
MODELS: "Mapping[str, Callable[..., Any]]" = {
    "lenet": lenet,
    "lstm": lstm,
    "mlp": mlp,
    "small_cnn": small_cnn,
    "tiny_gpt": tiny_gpt,
    "transformer_block": transformer_block,
}
