"""Which of the things on the screen somebody means by a few words."""

from tests.screens.things import Role, Thing


def first_like(found: list[Thing], words: str) -> Thing:
    alike = [each for each in found if each.likeness(words) is not None]
    assert alike, f"{words!r} is not among:\n" + "\n".join(each.said for each in found)

    def order(thing: Thing) -> tuple[bool, bool, int, int]:
        likeness = thing.likeness(words) or 0
        area = thing.place.width() * thing.place.height()
        return likeness > 1, not thing.pressable, likeness, area

    return min(alike, key=order)


def parts_of(found: list[Thing], words: str) -> list[Thing]:
    """What is in the largest thing that is called so and is no button."""
    called = [each for each in found if each.likeness(words) in (0, 1)]
    if not called:
        return []

    def order(thing: Thing) -> tuple[bool, int, int]:
        area = thing.place.width() * thing.place.height()
        return thing.pressable, thing.likeness(words) or 0, -area

    part = min(called, key=order)
    around = part.widget.parentWidget()
    if part.role is Role.StaticText and around is not None:
        # A heading stands for what is around it.
        return [each for each in found if around.isAncestorOf(each.widget)]
    return [each for each in found if is_within(each, part)]


def is_part(thing: Thing, group: Thing) -> bool:
    return thing.widget is not group.widget and is_within(thing, group)


def is_within(thing: Thing, part: Thing) -> bool:
    return thing is part or (
        part.widget.isAncestorOf(thing.widget)
        or (thing.widget is part.widget and part.place.contains(thing.place.center()))
    )
