"""Stand-ins for the parts of the package ``cython`` that the kernel's modules use."""

from contextlib import nullcontext

compiled = False
nogil = nullcontext()
