"""Cluster: the same pieces on the workers of dask.distributed, where two processors are not enough."""

from .cluster import Cluster, connected
from .travelling import AHEAD, cut

__all__ = ["AHEAD", "Cluster", "connected", "cut"]
