"""How many parameters the layers of a model have, and how many bytes: by arithmetic alone."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

_FLOAT, _LONG = 4, 8


@dataclass(frozen=True, slots=True)
class Count:
    """Buffers, such as running means, are no parameters but take bytes."""

    parameters: int = 0
    buffer_bytes: int = 0

    @property
    def bytes(self) -> int:
        return self.parameters * _FLOAT + self.buffer_bytes

    def times(self, number: int) -> "Count":
        return Count(self.parameters * number, self.buffer_bytes * number)

    def __add__(self, other: "Count") -> "Count":
        return Count(self.parameters + other.parameters, self.buffer_bytes + other.buffer_bytes)


def linear(inputs: int, outputs: int, bias: bool = True) -> Count:
    _whole(inputs, outputs)
    return Count(inputs * outputs + (outputs if bias else 0))


def _whole(*sizes: object) -> None:
    """What else a person may have typed there is no size: Python would repeat a list."""
    if not all(isinstance(each, int) for each in sizes):
        raise TypeError(sizes)


def _pair(size: object, dimensions: int) -> int:
    """The elements of a kernel: one number stands for every direction."""
    if isinstance(size, tuple | list):
        sizes: list[int] = [int(str(each)) for each in size]
        return math.prod(sizes)
    number = int(str(size))
    return number * number if dimensions == 2 else number


def _convolution(dimensions: int) -> Callable[..., Count]:
    def count(
        in_channels: int,
        out_channels: int,
        kernel_size: object,
        *_: object,
        groups: int = 1,
        bias: bool = True,
        **__: object,
    ) -> Count:
        _whole(in_channels, out_channels, groups)
        kernel = _pair(kernel_size, dimensions)
        weights = out_channels * (in_channels // groups) * kernel
        return Count(weights + (out_channels if bias else 0))

    return count


def _batch_norm(
    num_features: int,
    *_: object,
    affine: bool = True,
    track_running_stats: bool = True,
    **__: object,
) -> Count:
    _whole(num_features)
    running = 2 * num_features * _FLOAT + _LONG if track_running_stats else 0
    return Count(2 * num_features if affine else 0, running)


def layer_norm(normalized_shape: object, *_: object, **__: object) -> Count:
    return Count(2 * _pair(normalized_shape, 1))


def embedding(num_embeddings: int, embedding_dim: int, *_: object, **__: object) -> Count:
    _whole(num_embeddings, embedding_dim)
    return Count(num_embeddings * embedding_dim)


def _recurrent(gates: int) -> Callable[..., Count]:
    def count(
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        *_: object,
        bidirectional: bool = False,
        **__: object,
    ) -> Count:
        _whole(input_size, hidden_size, num_layers)
        directions = 2 if bidirectional else 1
        rows = gates * hidden_size
        biases = 2 * rows if bias else 0
        first = rows * (input_size + hidden_size) + biases
        further = rows * (hidden_size * directions + hidden_size) + biases
        return Count(directions * (first + (num_layers - 1) * further))

    return count


lstm = _recurrent(4)


def _attention(
    embed_dim: int,
    num_heads: int,
    dropout: float = 0.0,
    bias: bool = True,
) -> Count:
    del num_heads, dropout
    return linear(embed_dim, 3 * embed_dim, bias) + linear(embed_dim, embed_dim, bias)


def _encoder_layer(
    d_model: int, nhead: int, dim_feedforward: int = 2048, *_: object, batch_first: bool = False
) -> Count:
    del batch_first
    wide = linear(d_model, dim_feedforward) + linear(dim_feedforward, d_model)
    return _attention(d_model, nhead) + wide + layer_norm(d_model) + layer_norm(d_model)


def together(parts: Sequence[Count]) -> Count:
    return sum(parts, Count())


def nothing(*_: object, **__: object) -> Count:
    return Count()


def _linear_layer(in_features: int, out_features: int, bias: bool = True) -> Count:
    return linear(in_features, out_features, bias)


# Called with the very arguments of the layer; a TypeError means that these are not its own.
LAYER_COUNTS: Mapping[str, Callable[..., Count]] = {
    "BatchNorm1d": _batch_norm,
    "BatchNorm2d": _batch_norm,
    "Conv1d": _convolution(1),
    "Conv2d": _convolution(2),
    "Embedding": embedding,
    "GRU": _recurrent(3),
    "LSTM": lstm,
    "LayerNorm": layer_norm,
    "Linear": _linear_layer,
    "MultiheadAttention": _attention,
    "RNN": _recurrent(1),
    "TransformerEncoderLayer": _encoder_layer,
    **dict.fromkeys(
        (
            *("AdaptiveAvgPool2d", "AvgPool2d", "Dropout", "Flatten", "GELU", "Identity"),
            *("LeakyReLU", "LogSoftmax", "MaxPool2d", "ReLU", "SiLU", "Sigmoid", "Softmax"),
            *("Softplus", "Tanh", "Unflatten"),
        ),
        nothing,
    ),
}
