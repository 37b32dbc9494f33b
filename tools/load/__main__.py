"""Let thirty simulated visitors loose on the dashboard: ``python -m tools.load``, from the project's folder."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import sys
import time
from contextlib import nullcontext
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode

from .report import crowd_report, table
from .server import Server, Watch, serving
from .update_cost import update_costs
from .visitor import Story, visit

_FIRST_SEED = 1000  # every visitor has a problem of his own: no two share a run, or the points of one


def main() -> None:
    arguments = _parser().parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended from outside"))  # and the server with it
    with nullcontext() if arguments.url else serving() as server:
        if arguments.update_cost:
            if server is None:
                raise SystemExit("The cost of an update is read from the process: leave out --url.")
            asyncio.run(_print_update_cost(server, arguments.visitors))
            return
        report = asyncio.run(_crowd(arguments, server))
    print(table(report))
    if arguments.json:
        arguments.json.write_text(json.dumps(report, indent=1), "utf-8")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tools.load", description=__doc__)
    parser.add_argument("--visitors", type=int, default=30)
    parser.add_argument("--paper-share", type=float, default=0.3, help="of the visitors, whose runs are paper-sized")
    parser.add_argument("--seconds", type=float, default=900, help="after which a visitor leaves")
    parser.add_argument("--arrive", type=float, default=5, help="seconds over which they come")
    parser.add_argument("--stay", type=float, default=0, help="seconds that a visitor stays when his run is done")
    parser.add_argument("--url", help="of a server that runs already; otherwise one is started")
    parser.add_argument("--quick", default="beta=0.9&iterations=20000&eval_size=100000", help="what a quick run is")
    parser.add_argument("--paper", default="iterations=100000&eval_size=1000000", help="what a paper-sized run is")
    parser.add_argument("--alone", action=argparse.BooleanOptionalAction, default=True, help="first one of each alone")
    parser.add_argument("--json", type=Path, help="write the report here, too")
    parser.add_argument(
        "--same", action="store_true", help="all watch one run, a quick one unless most would be paper-sized"
    )
    parser.add_argument(
        "--update-cost", action="store_true", help="only measure what the stream and the script cost, by the piece"
    )
    return parser


async def _crowd(arguments: argparse.Namespace, server: Server | None) -> dict[str, Any]:
    url = arguments.url.rstrip("/") if server is None else server.url
    kinds = _kinds(arguments)
    links = {"quick": arguments.quick, "paper": arguments.paper}
    each = {kind: links[kind] for kind in dict.fromkeys(kinds)}
    alone = await _alone(url, each, arguments.seconds) if arguments.alone else {}
    loads, own_cpu = [os.getloadavg()[0]], time.process_time()
    watch = Watch(server) if server else None
    watching = asyncio.create_task(watch.go_on()) if watch else None
    stories = await asyncio.gather(
        *(
            visit(
                url, kind, _link(links[kind], _FIRST_SEED + (0 if arguments.same else place)),
                seconds=arguments.seconds, wait=arguments.arrive * place / arguments.visitors, stay=arguments.stay,
            )
            for place, kind in enumerate(kinds)
        )
    )  # fmt: skip
    loads.append(os.getloadavg()[0])
    report = crowd_report(stories, alone)
    report["driver"] = {"load_before": loads[0], "load_after": loads[1], "cpu_s": time.process_time() - own_cpu}
    if server is not None and watch is not None and watching is not None:
        watching.cancel()
        report["server"] = _server_report(server, watch, report)
        report["errors"] += [f"log: {line}" for line in server.troubles()]
    return report


def _kinds(arguments: argparse.Namespace) -> list[str]:
    """Return what each visitor runs."""
    count, share = arguments.visitors, arguments.paper_share
    if arguments.same:
        return ["paper" if share > 0.5 else "quick"] * count
    papers = round(share * count)
    kinds = ["quick"] * (count - papers)
    for place in range(papers):  # evenly among the others
        kinds.insert(round((place + 0.5) * count / papers), "paper")
    return kinds


async def _alone(url: str, links: dict[str, str], seconds: float) -> dict[str, Story]:
    """Let one visitor a kind have the server for himself; somebody before them has had the code compiled."""
    await visit(url, "warm-up", _link(next(iter(links.values())), _FIRST_SEED - 1), seconds=seconds)
    return {kind: await visit(url, kind, _link(link, _FIRST_SEED - 2), seconds=seconds) for kind, link in links.items()}


def _server_report(server: Server, watch: Watch, report: dict[str, Any]) -> dict[str, float]:
    cpu = watch.cpu
    return {
        "peak_memory_MB": server.peak_memory / 2**20,
        "cpu_s": cpu["all"],
        "cpu_of_workers_s": cpu["workers"],
        "cpu_of_the_studio_s": cpu["studio"],
        "cpu_of_pages_s": cpu["pages"],
        "studio_and_pages_per_message_ms": 1000 * (cpu["studio"] + cpu["pages"]) / max(1, report["stream"]["messages"]),
        "cores_for_studio_and_pages": (cpu["studio"] + cpu["pages"]) / report["seconds"],
    }


async def _print_update_cost(server: Server, listeners: int) -> None:
    print("what the server has to do, on a finished default run (medians of rounds)")
    print(f"  {'':52}{'count':>7}{'CPU, ms':>9}{'studio':>9}{'wall, ms':>10}{'kB':>7}")
    for cost in await update_costs(server, listeners):
        print(f"  {cost.what:52}{cost.times:>7,}{cost.cpu_ms:>9.2f}{cost.studio_ms:>9.2f}", end="")
        print(f"{cost.wall_ms:>10.2f}{cost.kilobytes:>7.1f}".replace("nan", "  –"))
    print(f"load average {os.getloadavg()[0]:.1f}")


def _link(fields: str, seed: int) -> str:
    return urlencode({f"explore_{name}": value for name, value in [*parse_qsl(fields), ("seed", str(seed))]})


if __name__ == "__main__":
    main()
