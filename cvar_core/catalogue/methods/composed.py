"""The registry of methods, which also has every model with every rule: ``sgm@pair`` is SGM's with SPL+'s step sizes.

A combination that has no name of its own is listed nowhere; it is there for whoever asks for it.
"""

from __future__ import annotations

from ..registry import RUN_TIME, Registry, UnknownName
from .method import Method, Model, Rule

AT = "@"


class Methods(Registry[Method]):
    """Methods by name, and by ``model@rule``."""

    def __init__(self) -> None:
        super().__init__("method", Method, "cvar_core.methods")
        self._composed: dict[str, Method] = {}

    def add(self, entry: Method, origin: str = RUN_TIME) -> Method:
        for kind, parts in (("model", self._models()), ("rule", self._rules())):
            part = getattr(entry, kind, None)  # what is no method at all, the registry says
            if part is not None and parts.get(part.name, part) is not part:
                raise ValueError(f"method {entry.name!r} has a {kind} named {part.name!r}, but another has that name")
        return super().add(entry, origin)

    def remove(self, name: str) -> None:
        super().remove(name)
        self._composed.clear()

    def __getitem__(self, name: str) -> Method:
        return self._compose(name) if isinstance(name, str) and AT in name else super().__getitem__(name)

    def __contains__(self, name: object) -> bool:
        if not isinstance(name, str) or AT not in name:
            return super().__contains__(name)
        try:
            self._compose(name)
        except UnknownName:
            return False
        return True

    def stamp(self, name: str) -> str | None:
        """Return the stamps of the methods that a composed one takes its model and its rule from."""
        if AT not in name:
            return super().stamp(name)
        made = self[name]
        found = (
            super(Methods, self).stamp(each.name) for each in self if made.model is each.model or made.rule is each.rule
        )
        return "; ".join(each for each in found if each is not None) or None

    def of(self, model: str, rule: str) -> Method:
        """Return the method with this model and this rule, under the name of its own if it has one.

        >>> from cvar_core import methods
        >>> methods.of("spl", "pair").name, methods.of("sgm", "pair").name
        ('spl+', 'sgm@pair')
        """
        named = (each for each in self if (each.model.name, each.rule.name) == (model, rule))
        return next(named, None) or self[f"{model}{AT}{rule}"]

    def _compose(self, name: str) -> Method:
        if name in self._composed:
            return self._composed[name]
        models, rules = self._models(), self._rules()
        before, _, after = name.partition(AT)
        if before not in models or after not in rules:
            raise UnknownName(
                f"unknown method {name!r}; before the @ stands a model, one of {', '.join(models)},"
                f" and after it a rule for its step sizes, one of {', '.join(rules)}"
            )
        model, rule = models[before], rules[after]
        for known in self:
            if known.model is model and known.rule is rule:
                raise UnknownName(f"the method {name!r} has a name of its own, {known.name}: ask for that")
        summary = f"the model of {model.label} with {rule.label}"
        made = self._composed[name] = Method(name, f"{model.label} with {rule.label}", summary, model, rule)
        return made

    def _models(self) -> dict[str, Model]:
        return {method.model.name: method.model for method in self._entries.values()}

    def _rules(self) -> dict[str, Rule]:
        return {method.rule.name: method.rule for method in self._entries.values()}
