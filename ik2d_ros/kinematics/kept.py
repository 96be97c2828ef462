"""What is known of a chain or an arm before any target is: made once, kept while that is in use."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, update_wrapper
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

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
    of_each: WeakKeyDictionary[Any, Made] = WeakKeyDictionary()

    @lru_cache(maxsize=RECENT)
    def found(owner: Owner) -> Made:
        if owner not in of_each:
            of_each[owner] = make(owner)
        return of_each[owner]

    return update_wrapper(found, make)
