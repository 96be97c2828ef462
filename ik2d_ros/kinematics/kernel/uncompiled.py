"""What the kernel's modules need of the package ``cython`` where that is not installed."""

from contextlib import nullcontext

compiled = False
nogil = nullcontext()
