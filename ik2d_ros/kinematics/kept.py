"""What is known of a chain or an arm before any target is: made once, kept while that is in use."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import TypeVar
from weakref import ref

Owner = TypeVar('Owner')
Made = TypeVar('Made')

# Chains that are kept though no one may use them: equal ones may be made anew for each target.
RECENT = 8


def kept(make: Callable[[Owner], Made]) -> Callable[[Owner], Made]:
    """Return a function that finds what it has made before, for any number of chains or arms.

    A process may host many arms, and each needs its own for every target. Of those that are gone,
    as when a parameter has changed, nothing is left, but of the last few.

    Args:
        make: makes something of a chain or an arm, which must not refer to it.
    """
    of_equal = lru_cache(maxsize=RECENT)(make)
    of_each: dict[int, tuple[Made, ref[Owner]]] = {}

    @wraps(make)
    def found(owner: Owner) -> Made:
        # By identity: to compare chains takes as long as a good part of solving.
        number = id(owner)
        there = of_each.get(number)
        if there is not None:
            return there[0]
        made = of_equal(owner)
        of_each[number] = made, ref(owner, lambda _: of_each.pop(number, None))
        return made

    return found
