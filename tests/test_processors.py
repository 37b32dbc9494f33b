"""Processors that a container may use, told by files as Linux has them."""

import os

import pytest

from cvar_core.processors import processors

V1 = ("cpu.cfs_quota_us", "cpu.cfs_period_us")


def limited(root, cgroup: str, **limits: str):
    """Write what ``/proc/self/cgroup`` says, and the limits of groups: "quota period"."""
    (root / "proc/self").mkdir(parents=True)
    (root / "proc/self/cgroup").write_text(cgroup)
    for group, limit in limits.items():
        folder = root / "sys/fs/cgroup" / group
        folder.mkdir(parents=True, exist_ok=True)
        if group.startswith("cpu"):
            for name, value in zip(V1, limit.split(), strict=True):
                (folder / name).write_text(f"{value}\n")
        else:
            (folder / "cpu.max").write_text(f"{limit}\n")
    return root


@pytest.fixture(autouse=True)
def eight_processors(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)), raising=False)


@pytest.mark.parametrize(
    ("cgroup", "limits", "count"),
    [
        ("0::/\n", {".": "max 100000"}, 8),
        ("0::/\n", {".": "300000 100000"}, 3),
        ("0::/\n", {".": "150000 100000"}, 2),
        ("0::/\n", {".": "25000 50000"}, 1),
        ("0::/\n", {".": "1600000 100000"}, 8),
        ("0::/pod/one\n", {"pod/one": "max 100000", "pod": "200000 100000"}, 2),
        ("0::/pod/one\n", {"pod/one": "400000 100000", "pod": "600000 100000"}, 4),
        ("0::/kubepods/unseen\n", {".": "500000 100000"}, 5),
        ("0::/../../beside\n", {".": "500000 100000"}, 5),
        ("3:memory:/\n1:cpu:/\n0::/\n", {"cpu": "-1 100000"}, 8),
        ("3:memory:/\n1:cpu:/\n0::/\n", {"cpu": "250000 100000"}, 3),
        ("4:cpu,cpuacct:/docker/ab12\n", {"cpu,cpuacct": "200000 100000"}, 2),
        ("4:cpuacct,cpu:/docker/ab12\n", {"cpu": "200000 100000"}, 2),
        ("4:cpu,cpuacct:/pod/one\n", {"cpu,cpuacct/pod/one": "-1 100000", "cpu,cpuacct/pod": "100000 100000"}, 1),
        ("2:cpuset:/\n", {"cpuset": "100000 100000"}, 8),
    ],
    ids=str,
)
def test_the_least_share_of_all_groups_around_a_process_counts(tmp_path, cgroup, limits, count):
    assert processors(limited(tmp_path, cgroup, **limits)) == count


def test_what_cannot_be_read_is_no_limit(tmp_path):
    assert processors(tmp_path) == 8
    assert processors(limited(tmp_path, "0::/\n", **{".": "some text"})) == 8


def test_processors_that_a_process_is_kept_from_do_not_count(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {3})
    assert processors(limited(tmp_path, "0::/\n", **{".": "300000 100000"})) == 1
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert processors(tmp_path) == 1
