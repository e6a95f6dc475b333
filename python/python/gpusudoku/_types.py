"""Types that several modules name."""

from os import PathLike
from typing import Any, Optional, Union

import numpy
from numpy.typing import NDArray

Boxes = Optional[tuple[int, int]]
Grids = NDArray[numpy.uint8]
Path = Union[str, "PathLike[str]"]
Problem = Union[str, Grids]
Told = dict[str, Any]
# Executors of other libraries look like those of concurrent.futures, but need not be of that type.
Pool = Any
