"""One transformer block: every position looks at every other, then thinks by itself."""

import torch
from torch import nn


class TransformerBlock(nn.Module):
    """The input is batch by time by width. A causal block does not look ahead."""

    def __init__(self, width: int, heads: int, *, causal: bool = False) -> None:
        super().__init__()
        self.heads, self.causal = heads, causal
        self.before_attention = nn.LayerNorm(width)
        self.projections = nn.Linear(width, 3 * width)
        self.mix = nn.Linear(width, width)
        self.before_thinking = nn.LayerNorm(width)
        self.think = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)
        )

    def forward(self, sequence: torch.Tensor) -> torch.Tensor:
        batch, time, width = sequence.shape
        parts = self.projections(self.before_attention(sequence)).split(width, dim=2)
        query, key, value = (
            part.view(batch, time, self.heads, width // self.heads).transpose(1, 2)
            for part in parts
        )
        seen = nn.functional.scaled_dot_product_attention(
            query, key, value, is_causal=self.causal
        )
        seen = seen.transpose(1, 2).reshape(batch, time, width)
        sequence = sequence + self.mix(seen)
        return sequence + self.think(self.before_thinking(sequence))


def transformer_block(width: int = 32, heads: int = 4) -> nn.Module:
    return TransformerBlock(width, heads)
