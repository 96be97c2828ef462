"""Builds ik2d_ros, for pip and for colcon alike.

The bounds live here; the versions that are tested together are pinned in ``constraints/``.
"""

from __future__ import annotations

import os
import sys
import sysconfig
import threading
from glob import glob
from pathlib import Path
from typing import Any

from setuptools import Extension, find_packages, setup
from setuptools.command.build_ext import build_ext

try:
    import Cython
    from Cython.Build import cythonize
except ImportError:
    Cython = None

NAME = 'ik2d_ros'
KERNEL = f'{NAME}/kinematics/kernel'
# Without the checks of Python, which slow the kernel down, and without pickling, a fifth of the
# compilation.
DIRECTIVES = {
    'language_level': 3,
    'infer_types': True,
    'boundscheck': False,
    'wraparound': False,
    'initializedcheck': False,
    'cdivision': True,
    'auto_pickle': False,
}

NODES = ('node', 'sim', 'target', 'teleop', 'viewer')

# Each folder below config/, at the same place below share/.
CONFIG = [
    (f'share/{NAME}/{folder}', sorted(os.path.join(folder, name) for name in names))
    for folder, _, names in sorted(os.walk('config'))
]


class BuildKernel(build_ext):
    """Compiles modules on all cores, while the next one is translated to C."""

    translating = threading.Lock()

    def build_extension(self, extension: Extension) -> None:
        """Translate one module, and compile it."""
        with self.translating:
            [translated] = cythonize(extension, compiler_directives=DIRECTIVES, quiet=True)
        extension.sources = translated.sources
        super().build_extension(extension)


def compiled_kernel() -> dict[str, Any]:
    """Return the arguments of ``setup`` that compile each kernel module with a ``.pxd``.

    The kernel stays plain Python without Cython 3 or a C compiler, or with IK2D_UNCOMPILED set.
    Nothing may be printed here: colcon reads what this file prints.
    """
    has_cython = Cython is not None and int(Cython.__version__.partition('.')[0]) >= 3
    if not has_cython or 'IK2D_UNCOMPILED' in os.environ:
        return {}
    modules = [path.with_suffix('') for path in sorted(Path(KERNEL).glob('*.pxd'))]
    # In the source tree it is compiled once for all environments.
    if not {'editable_wheel', '--inplace'}.isdisjoint(sys.argv):
        modules = [path for path in modules if not is_compiled(path)]
    return {
        'cmdclass': {'build_ext': BuildKernel},
        'options': {'build_ext': {'parallel': os.cpu_count()}},
        'ext_modules': [
            Extension(
                '.'.join(path.parts),
                [f'{path}.py'],
                # As fast as -O2 and -O3, without debug symbols, in half of the time. Who compiles
                # may ask for something else.
                extra_compile_args=['-g0', '-O1', *os.environ.get('CFLAGS', '').split()],
                optional=True,
            )
            for path in modules
        ],
    }


def is_compiled(path: Path) -> bool:
    """Return whether this Python has a compiled kernel module newer than its sources."""
    compiled = f'{path}{sysconfig.get_config_var("EXT_SUFFIX")}'
    sources = [f'{path}.py', *glob(f'{KERNEL}/*.pxd'), 'setup.py']
    return os.path.exists(compiled) and os.path.getmtime(compiled) > max(
        map(os.path.getmtime, sources)
    )


# A lower bound is the oldest version with all names that are used. The upper bound is the next
# major version, which may drop some: rclpy and the messages have one for each ROS distribution.
# Packages for tests and benchmarks have no upper bound: constraints/ pins them.
setup(
    name=NAME,
    version='0.1.0',
    packages=find_packages(include=[NAME, f'{NAME}.*']),
    package_data={NAME: ['py.typed'], KERNEL.replace('/', '.'): ['*.pxd']},
    **compiled_kernel(),
    data_files=[
        ('share/ament_index/resource_index/packages', [f'resource/{NAME}']),
        (f'share/{NAME}', ['package.xml']),
        (f'share/{NAME}/launch', sorted(glob('launch/*.launch.py'))),
        (f'share/{NAME}/examples', sorted(glob('examples/*'))),
        *CONFIG,
    ],
    python_requires='>=3.10',
    install_requires=['numpy>=1.21,<3', 'PyYAML>=5.4,<7'],
    extras_require={
        'ros': [
            'ros-rclpy[fastrtps]>=7.1,<10',
            'ros-rmw-fastrtps-cpp>=8.4,<10',
            'ros-diagnostic-msgs>=5.3,<6',
            'ros-geometry-msgs>=5.3,<6',
            'ros-nav-msgs>=5.3,<6',
            'ros-rosgraph-msgs>=2.0,<3',
            'ros-sensor-msgs>=5.3,<6',
            'ros-std-msgs>=5.3,<6',
            'ros-std-srvs>=5.3,<6',
            'ros-trajectory-msgs>=5.3,<6',
            'ros-visualization-msgs>=5.3,<6',
        ],
        'viewer': ['viser>=1.1,<2'],
        'plot': ['matplotlib>=3.5,<4'],
        'calibrate': ['scipy>=1.8,<2'],
        'urdf': ['defusedxml>=0.7,<1', 'xacro>=2.0,<3'],
        'motion': ['ruckig>=0.19,<1'],
        'sim': ['mujoco>=3.5,<4'],
        'test': [
            'Pillow>=9.0',
            'catkin_pkg>=1.0',
            'colcon-common-extensions>=0.3',
            'colcon-ros>=0.5',
            'ftservo-python-sdk>=2.0',
            'hypothesis>=6.80',
            'matplotlib>=3.5',
            'mypy>=1.10',
            'pin>=2.7',
            'playwright>=1.45',
            'pytest>=7.4',
            'ruff>=0.6',
            'types-PyYAML',
        ],
    },
    entry_points={
        'console_scripts': [
            f'ik2d = {NAME}.cli:main',
            *(f'ik2d_{node} = {NAME}.programs:{node}' for node in NODES),
        ],
    },
    zip_safe=False,
    author='ik2d_ros developers',
    author_email='maintainers@ik2d-ros.invalid',
    maintainer='ik2d_ros developers',
    maintainer_email='maintainers@ik2d-ros.invalid',
    description='Inverse kinematics of planar arms, as a Python library and a ROS 2 node.',
    long_description=Path(__file__).with_name('README.md').read_text(encoding='utf-8'),
    long_description_content_type='text/markdown',
    license='Apache-2.0',
    keywords=['ROS', 'inverse kinematics', 'robotics'],
    classifiers=[
        'Intended Audience :: Developers',
        'Programming Language :: Python :: 3',
        'Topic :: Scientific/Engineering',
        'Typing :: Typed',
    ],
)
