"""Where browsers get plotly.js: a route beside Streamlit's, and a word with each page that it will be needed."""

from __future__ import annotations

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..drawing.plotly_js import NAME, compressed, installed
from .address import below_base

_FOR_GOOD = {"Cache-Control": "public, max-age=31536000, immutable", "Vary": "Accept-Encoding"}
_KIND = "text/javascript"


def routes() -> list[Route]:
    return [Route(below_base(NAME), _plotly_js)]


async def _plotly_js(request: Request) -> Response:
    if "gzip" not in request.headers.get("accept-encoding", ""):
        return FileResponse(installed(), media_type=_KIND, headers=_FOR_GOOD)
    return Response(compressed(), media_type=_KIND, headers={**_FOR_GOOD, "Content-Encoding": "gzip"})


class Preload:
    """Has browsers fetch plotly.js with the page itself: it would else begin when the first chart is there."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def with_a_word(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                if headers.get("content-type", "").startswith("text/html"):
                    headers.append("Link", f"<{below_base(NAME)}>; rel=preload; as=script")
            await send(message)

        await self._app(scope, receive, with_a_word if scope["type"] == "http" else send)
