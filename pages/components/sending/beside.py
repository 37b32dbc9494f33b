"""What the server has beside Streamlit's pages: the stream, plotly.js, the door and the intake."""

from __future__ import annotations

from starlette.middleware import Middleware
from starlette.routing import BaseRoute

from . import plotly_route, stream
from .door import Door
from .intake import Intake
from .plotly_route import Preload


def routes() -> list[BaseRoute]:
    return [*stream.routes(), *plotly_route.routes()]


def middleware() -> list[Middleware]:
    return [Middleware(Door), Middleware(Intake), Middleware(Preload)]
