"""What the server has beside Streamlit's pages: the stream and plotly.js, and who stands at the door."""

from __future__ import annotations

from starlette.middleware import Middleware
from starlette.routing import BaseRoute

from . import plotly_route, stream
from .door import Door
from .plotly_route import Preload


def routes() -> list[BaseRoute]:
    return [*stream.routes(), *plotly_route.routes()]


def middleware() -> list[Middleware]:
    return [Middleware(Door), Middleware(Preload)]
