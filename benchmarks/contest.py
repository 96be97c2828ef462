"""Contenders solve the same problems in turn, slice by slice, so that noise hits all alike."""

from __future__ import annotations

import contextlib
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from peers import REQUIREMENTS, MissingError, Worker, set_up
from workload import Problems, errors

SLICES = 10
HOME = ('ours', 'article')  # These run in this Python; nothing is installed for them.


@dataclass(frozen=True)
class Entry:
    """One contender with its options, and the problems that it gets."""

    label: str
    contender: str
    problems: Problems
    tolerance: float
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Result:
    """What an entry achieved.

    Attributes:
        entry: who.
        seconds: mean processor time of one solve: the median over the repetitions of each slice.
        q: (m, n) its answers in rad.
        errors: (m,) distances from the targets in m, infinite where an answer breaks a limit.
        failure: why there is nothing of it, or None.
    """

    entry: Entry
    seconds: float
    q: NDArray[np.float64]
    errors: NDArray[np.float64]
    failure: str | None = None

    def reached(self, tolerance: float) -> int:
        """Count the solves that came within the tolerance, allowing for rounding."""
        return int((self.errors <= tolerance * (1.0 + 1e-6) + 1e-15).sum())


class Team:
    """The processes of all contenders that are here, and why the others are not."""

    def __init__(self, workers: Mapping[str, Worker], missing: Mapping[str, str], folder: Path):
        self.workers = workers
        self.missing = missing
        self.versions: dict[str, str] = {}
        self.folder = folder

    def has(self, contender: str) -> bool:
        """Return whether it takes part."""
        return contender in self.workers

    def worker(self, contender: str) -> Worker:
        """Return its process.

        Raises:
            MissingError: it is not here; the message says why.
        """
        if contender in self.missing:
            raise MissingError(self.missing[contender])
        return self.workers[contender]

    def wanted(self, contender: str) -> bool:
        """Return whether it takes part, or should but cannot."""
        return contender in self.workers or contender in self.missing


@contextlib.contextmanager
def assemble(with_peers: bool) -> Iterator[Team]:
    """Start every contender; peers that cannot be had are noted.

    Without peers there is nothing of them in the tables either.
    """
    missing: dict[str, str] = {}
    workers: dict[str, Worker] = {}
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix='ik2d-bench-')))
        for name in HOME:
            workers[name] = stack.enter_context(Worker(sys.executable))
        for peer in REQUIREMENTS:
            if not with_peers:
                continue
            try:
                python, variables = set_up(peer)
            except MissingError as reason:
                missing[peer] = str(reason)
            else:
                workers[peer] = stack.enter_context(Worker(python, variables))
        yield Team(workers, missing, folder)


def race(team: Team, entries: Sequence[Entry], repeats: int = 1) -> list[Result]:
    """Let the entries solve their problems in turn.

    An entry with fewer problems gets smaller slices. One whose contender is not in the team, or
    fails, has a result that says so.
    """
    running: dict[int, Entry] = {}
    failures: dict[int, str] = {}
    for index, entry in enumerate(entries):
        file = team.folder / f'problems{index}.npz'
        entry.problems.save(file)
        try:
            reply = team.worker(entry.contender).ask(
                do='load',
                task=str(index),
                contender=entry.contender,
                file=str(file),
                options={'tolerance': entry.tolerance, **entry.options},
            )
        except MissingError as reason:
            failures[index] = str(reason)
        else:
            team.versions[entry.contender] = reply['version']
            running[index] = entry
    times = np.full((len(entries), repeats, SLICES), np.nan)
    for repeat in range(repeats):
        for part in range(SLICES):
            for index, entry in list(running.items()):
                begin, end = (len(entry.problems) * edge // SLICES for edge in (part, part + 1))
                try:
                    reply = team.workers[entry.contender].ask(
                        do='slice', task=str(index), begin=begin, end=end
                    )
                except MissingError as reason:
                    failures[index] = str(reason)
                    del running[index]
                else:
                    times[index, repeat, part] = reply['seconds']
    return [
        _result(team, index, entry, times[index], failures.get(index))
        for index, entry in enumerate(entries)
    ]


def _result(
    team: Team, index: int, entry: Entry, times: NDArray[np.float64], failure: str | None
) -> Result:
    count = len(entry.problems)
    q = np.full((count, len(entry.problems.lengths)), np.nan)
    if failure is None:
        file = team.folder / f'answers{index}.npy'
        try:
            team.workers[entry.contender].ask(do='answers', task=str(index), file=str(file))
            q = np.load(file)
        except MissingError as reason:
            failure = str(reason)
    seconds = float(np.median(times, axis=0).sum()) / count if failure is None else np.nan
    return Result(entry, seconds, q, errors(entry.problems, q), failure)
