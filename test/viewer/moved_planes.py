"""Arms with a turntable or a lift, as parameters, for tests of the viewer and the demo targets."""

from __future__ import annotations

TURNING = {
    'base_frame': 'base_link',
    'base.xyz': [0.03, 0.02, 0.12],
    'base.rpy': [1.5707963267948966, 0.0, 0.0],
    'turntable.joint': 'waist',
    'turntable.min_position': -2.0,
    'turntable.max_position': 2.5,
    'turntable.home': 0.4,
    'joints': ['shoulder', 'elbow'],
    'chain.shoulder.length': 0.3,
    'chain.shoulder.min_position': -0.5,
    'chain.shoulder.max_position': 2.5,
    'chain.shoulder.home': 1.0,
    'chain.elbow.length': 0.25,
    'chain.elbow.home': -1.2,
}
TILTED = {
    **TURNING,
    'base.rpy': [0.3, 1.2, -0.4],
    'turntable.xyz': [0.1, -0.2, 0.05],
    'turntable.axis': [0.3337536, -0.1411088, -0.9320391],  # the x-axis of the plane
}
LIFTING = {name: value for name, value in TURNING.items() if not name.startswith('turntable.')} | {
    'base.rpy': [0.3, -0.2, 0.8],
    'lift.joint': 'spindle',
    'lift.axis': -1,
    'lift.min_position': -0.05,
    'lift.max_position': 0.3,
}
SLIDING = TURNING | {
    'chain.elbow.type': 'prismatic',
    'chain.elbow.offset': 0.4,
    'chain.elbow.axis': -1,
    'chain.elbow.min_position': -0.1,
    'chain.elbow.max_position': 0.3,
    'chain.elbow.home': 0.1,
}
