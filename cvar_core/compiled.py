"""Compile plain Python functions with Numba and keep the machine code on disk.

Numba keys its own cache by the file that holds a function, so it misses an edit in another file that
the function calls, and it recompiles closures over other compiled functions in every process. Here a
function is known by its *content*: its bytecode, its constants and, recursively, everything it calls.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any

# No fast-math flag that reorders sums or assumes finite values: only a·b + c may become one instruction.
_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "fastmath": {"contract"}}

_compiling = threading.RLock()


@functools.cache
def jit(function: FunctionType) -> Callable[..., Any]:
    """Compile ``function`` on its first call, or load it from disk if it was compiled before.

    The plain Python functions that it calls are compiled with it and become part of it.
    """
    with _compiling:
        dispatcher = _compile(function)
        dispatcher._cache = _content_cache(function)
    return _Locked(dispatcher)


def _compile(function: FunctionType, callee: bool = False) -> Any:
    import numba

    names = _names(function.__code__)
    scope = function.__globals__
    callees = {name: _inline(scope[name]) for name in names if isinstance(scope.get(name), FunctionType)}
    cells = tuple(
        CellType(_inline(cell.cell_contents)) if isinstance(cell.cell_contents, FunctionType) else cell
        for cell in function.__closure__ or ()
    )
    bound = FunctionType(function.__code__, scope | callees, function.__name__, function.__defaults__, cells)
    bound.__qualname__ = function.__qualname__
    return numba.njit(**_OPTIONS, forceinline=callee)(bound)


@functools.cache
def _inline(function: FunctionType) -> Any:
    # A function may bring its own compiled form, for what Python cannot say (see catalogue.arithmetic).
    own_form = getattr(function, "compiled_form", None)
    return own_form() if own_form else _compile(function, callee=True)


class _Locked:
    """A compiled function whose first call, which compiles, holds a lock (Numba's compiler is shared)."""

    def __init__(self, dispatcher: Any) -> None:
        self.dispatcher = dispatcher
        self.ready = False

    def __call__(self, *args: Any) -> Any:
        if self.ready:
            return self.dispatcher(*args)
        with _compiling:
            result = self.dispatcher(*args)
            self.ready = True
        return result


def fingerprint(function: Callable[..., Any]) -> str:
    """Return a hash of what ``function`` computes: its code and all that its code refers to."""
    digest = hashlib.sha256(repr(sorted(_OPTIONS.items(), key=str)).encode())
    seen: set[int] = set()

    def add(value: object) -> None:
        if isinstance(value, FunctionType):
            if id(value) in seen:
                return
            seen.add(id(value))
            add(value.__code__)
            for name in sorted(_names(value.__code__)):
                if name in value.__globals__:
                    digest.update(name.encode())
                    add(value.__globals__[name])
            for cell in value.__closure__ or ():
                add(cell.cell_contents)
            add(value.__defaults__)
            add(getattr(value, "compiled_form", None))
        elif isinstance(value, CodeType):
            digest.update(value.co_code)
            digest.update(repr(value.co_names).encode())
            for constant in value.co_consts:
                add(constant)
        elif isinstance(value, ModuleType):
            digest.update(value.__name__.encode())
        elif isinstance(value, tuple | list):
            for item in value:
                add(item)
        else:
            digest.update(f"{type(value).__name__}:{value!r}".encode())

    add(function)
    return digest.hexdigest()


def _names(code: CodeType) -> set[str]:
    nested = (_names(constant) for constant in code.co_consts if isinstance(constant, CodeType))
    return set(code.co_names).union(*nested)


@functools.cache
def cache_folder() -> Path:
    """Return the first folder that compiled code can be kept in: never the package's own."""
    import platformdirs

    named = os.environ.get("NUMBA_CACHE_DIR")
    candidates = [Path(named)] if named else []
    candidates.append(Path(platformdirs.user_cache_dir("cvar_core")) / "kernels")
    for folder in candidates:
        if named and folder == Path(named) and folder.is_dir():
            return folder  # a warmed cache is worth reading even where it cannot be written
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                return folder
        except OSError:
            continue
    return Path(tempfile.mkdtemp(prefix="cvar_core-"))


def _content_cache(function: Callable[..., Any]) -> Any:
    """Return a Numba cache for ``function``, keyed by its fingerprint."""
    from numba.core import caching

    # Numba's files name the module that a function stands in, and cannot be read where there is none of that name.
    key = hashlib.sha256(f"{function.__module__}:{fingerprint(function)}".encode()).hexdigest()

    class Locator(caching._CacheLocator):  # type: ignore[misc]
        def get_cache_path(self) -> str:
            return str(cache_folder() / key[:2])

        def get_source_stamp(self) -> str:
            return key

        def get_disambiguator(self) -> str:
            return key[:16]

        @classmethod
        def from_function(cls, py_func: object, py_file: str) -> Locator:
            return cls()

    class Impl(caching.CompileResultCacheImpl):  # type: ignore[misc]
        _locator_classes = (Locator,)

    class ContentCache(caching.FunctionCache):  # type: ignore[misc]
        _impl_class = Impl

        def _index_key(self, sig: object, codegen: Any) -> tuple[object, object]:
            return sig, codegen.magic_tuple()  # the processor; the code itself is in the stamp

        def save_overload(self, sig: object, data: object) -> None:
            with contextlib.suppress(OSError):  # a full or read-only disk costs a compilation, never a run
                super().save_overload(sig, data)

    return ContentCache(function)
