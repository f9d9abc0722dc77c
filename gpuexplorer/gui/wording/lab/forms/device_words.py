"""How a line of the lab names a device."""


def device_word(device: str, *, fall_back: bool) -> str:
    """`try_gpu(1)`, which gives the processor where there is no such card, or `"cuda:1"`."""
    kind, _, number = device.partition(":")
    if fall_back and kind == "cuda" and number.isdecimal():
        return f"try_gpu({number})"
    return f'"{device}"'
