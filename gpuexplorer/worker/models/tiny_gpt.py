"""A GPT in miniature: letters in, a guess at the next letter out."""

import torch
from torch import nn

from gpuexplorer.worker.models.transformer_block import TransformerBlock


class TinyGPT(nn.Module):
    """The input is batch by time, of whole numbers; the output batch by letters by time."""

    def __init__(self, letters: int, width: int, heads: int, blocks: int, longest: int) -> None:
        super().__init__()
        self.letters = nn.Embedding(letters, width)
        self.places = nn.Embedding(longest, width)
        self.blocks = nn.Sequential(
            *(TransformerBlock(width, heads, causal=True) for _ in range(blocks))
        )
        self.last = nn.LayerNorm(width)
        self.guess = nn.Linear(width, letters)

    def forward(self, text: torch.Tensor) -> torch.Tensor:
        places = torch.arange(text.shape[1], device=text.device)
        sequence = self.letters(text) + self.places(places)
        return self.guess(self.last(self.blocks(sequence))).transpose(1, 2)


def tiny_gpt(
    letters: int = 27, width: int = 32, heads: int = 4, blocks: int = 2, longest: int = 64
) -> nn.Module:
    return TinyGPT(letters, width, heads, blocks, longest)
