"""The frames of targets: transforms from TF, where tf2_ros is installed; no ROS imports.

Nothing here blocks: whoever finds no transform asks again later, see ``waiting.py``.

Listening to TF is expensive in Python (a robot that publishes 20 transforms at 1 kHz costs most of
a core), and loading tf2_ros takes some tenths of a second. So both begin with the first target in a
foreign frame, and tf2_ros is loaded in a thread, so that a moving arm does not stall.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable

from ik2d_ros.kinematics.plane import Plane, Quaternion, Vector
from ik2d_ros.parameters.wording import printable

Lookup = Callable[[str, str, int], tuple[Vector, Quaternion]]
"""Returns the pose of a frame (second argument) in another one (first) at a time in ns, 0 for the
latest: position in m, and quaternion x, y, z, w. Any exception means that there is none, and why.
"""

# A new listener first has to be discovered by those who publish transforms, the static ones too.
# Only then can it be said that there is no transform.
DISCOVERY_TIME = 1.0  # s

LONGEST_CAUSE = 400  # characters


class NoTransformError(Exception):
    """There is no transform; the message says why."""


class Frames:
    """Poses of foreign frames in the base frame."""

    def __init__(
        self,
        load: Callable[[], Callable[[], Lookup]],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Start without listening.

        Args:
            load: loads tf2_ros, in a thread, and returns what starts to listen, in the thread that
                calls :meth:`pose`. Raises ImportError if it is not installed.
            clock: time in s, of any origin.
        """
        self._load, self._clock = load, clock
        self._thread: threading.Thread | None = None
        self._listen: Callable[[], Lookup] | None = None
        self._fault = ''
        self._lookup: Lookup | None = None
        self._listening_since = math.inf

    def pose(self, frame_id: str, base_frame: str, time_of_stamp: int) -> Plane:
        """Return the pose of a frame in the base frame.

        Args:
            frame_id: the frame.
            base_frame: the base frame.
            time_of_stamp: at this time, in ns; 0 for the latest.

        Raises:
            NoTransformError: it is not known, now or ever.
        """
        lookup = self._lookup or self._open()
        try:
            return Plane.from_quaternion(*lookup(base_frame, frame_id, time_of_stamp))
        except Exception as error:
            cause = printable(' '.join(str(error).split()), LONGEST_CAUSE).rstrip(' .')
            raise NoTransformError(f'{cause} ({type(error).__name__})') from None

    def gives_up_at(self, arrival: float, timeout: float) -> float:
        """Return when a target that finds no transform is to be refused, in s of the clock.

        Args:
            arrival: when it arrived.
            timeout: how long it may wait, in s.

        Returns:
            The time; -inf if there will never be any transform.
        """
        if self._fault:
            return -math.inf
        return max(arrival + timeout, self._listening_since + DISCOVERY_TIME)

    def _open(self) -> Lookup:
        """Start to listen; this takes several calls.

        Raises:
            NoTransformError: not yet, or not at all.
        """
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, daemon=True)
            self._thread.start()
        if self._fault:
            raise NoTransformError(self._fault)
        if self._listen is None:
            raise NoTransformError('tf2_ros is being loaded')
        try:
            self._lookup = self._listen()
        except Exception as error:
            self._fault = _unavailable(error)
            raise NoTransformError(self._fault) from None
        self._listening_since = self._clock()
        return self._lookup

    def _work(self) -> None:
        try:
            self._listen = self._load()
        except Exception as error:
            self._fault = _unavailable(error)


def _unavailable(error: Exception) -> str:
    return (
        f'tf2_ros is not available ({printable(str(error))}); install the package tf2_ros_py of '
        'your ROS distribution and restart the node, or give targets in the base frame'
    )
