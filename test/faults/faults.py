"""What the tests of this folder share."""

from __future__ import annotations

import os

FULL = bool(os.environ.get('IK2D_FAULTS_FULL'))
"""Whether attacks have their full size and length; without, they are as small as still tells."""
