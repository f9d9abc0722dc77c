"""Lines of `bench.real_card`: figures, and what they say of a suspicion."""


def headline(text: str) -> None:
    print(f"\n{text}", flush=True)  # noqa: T201 - this is here to print


def say(text: str) -> None:
    print(f"   {text}", flush=True)  # noqa: T201 - likewise


def judge(suspicion: str, *, holds: bool) -> None:
    say(f"=> {'TRUE HERE' if holds else 'not so here'}: {suspicion}")
