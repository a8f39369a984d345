"""Immutable dataclasses without the standard library's module `dataclasses`.

The module `dataclasses` imports `inspect`. Both modules together would double the time for importing the parts of the
package that a program uses. The functions of `dataclasses`, such as ``fields`` and ``replace``, accept the classes that
this module makes.
"""

# ruff: noqa: N807 (the functions with underscores become methods)
from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass, field as field, replace as replace
else:
    from operator import attrgetter

    _MISSING = object()
    _FIELDS = {}  # maps each class to its fields, by name: the annotation, the default value, and the options

    def field(*, default=_MISSING, **options):
        """Returns the options of a field, like ``dataclasses.field``: `default_factory`, `init`, `repr`, `compare` and
        `kw_only`."""
        return _Field(default, options)

    def replace(value, /, **changes):
        """Returns a copy with other values of some fields, like ``dataclasses.replace``."""
        from dataclasses import replace

        return replace(value, **changes)

    def dataclass(*, frozen, slots, **options):
        """Returns a decorator like ``dataclasses.dataclass``. `frozen` and `slots` must be True."""
        assert frozen and slots
        return lambda base: _made(base, options)

    class _Field:
        """The arguments of one call of :func:`field`, and the annotation of the field."""

        __slots__ = ("annotation", "default", "options")

        def __init__(self, default, options):
            self.default, self.options = default, options

        def __repr__(self):
            return "<factory>"  # a signature shows this text as the default value

    class _Later:
        """An attribute that the functions of `dataclasses` read. Its value is computed when it is first read."""

        def __init__(self, cls, name, options):
            self.cls, self.name, self.options = cls, name, options

        def __get__(self, instance, owner):
            import dataclasses

            cls, fields = self.cls, _FIELDS[self.cls].items()
            body = {"__module__": cls.__module__, "__annotations__": {name: each.annotation for name, each in fields}}
            for name, each in fields:
                default = {} if each.default is _MISSING else {"default": each.default}
                body[name] = dataclasses.field(**default, **each.options)
            like = dataclasses.dataclass(frozen=True, slots=True, **self.options)(type(cls.__name__, (), body))
            value = getattr(like, self.name)
            setattr(cls, self.name, value)
            return value

    def _frozen(reason):
        from dataclasses import FrozenInstanceError

        return FrozenInstanceError(reason)

    def _made(base, options):
        """Returns a class like `base` that has slots and the methods of a dataclass."""
        own = {}
        for name, annotation in base.__annotations__.items():
            if not annotation.startswith("ClassVar"):
                default = base.__dict__.get(name, _MISSING)
                own[name] = default if isinstance(default, _Field) else _Field(default, {})
                own[name].annotation = annotation
        fields = {name: each for parent in base.__mro__[:0:-1] for name, each in _FIELDS.get(parent, {}).items()} | own
        body = {name: value for name, value in base.__dict__.items() if name not in (*own, "__dict__", "__weakref__")}
        body["__slots__"] = tuple(own)
        cls = type(base)(base.__name__, base.__bases__, body)
        cls.__qualname__ = base.__qualname__
        _FIELDS[cls] = fields
        for name, value in _methods(cls, fields, options).items():
            if name not in body:  # a method of the class itself has priority
                setattr(cls, name, value)
        return cls

    def _methods(cls, fields, options):
        """Returns the attributes that a dataclass gets, by name."""
        names = (*fields,)
        shown = [name for name, each in fields.items() if each.options.get("repr", True)]
        compared = attrgetter(*(name for name, each in fields.items() if each.options.get("compare", True)))
        passed = {
            name: each.options.get("kw_only", options.get("kw_only", False))
            for name, each in fields.items()
            if each.options.get("init", True)
        }

        def __repr__(self):
            return f"{self.__class__.__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in shown)})"

        def __eq__(self, other):
            return compared(self) == compared(other) if other.__class__ is self.__class__ else NotImplemented

        def __hash__(self):
            return hash(compared(self))

        def __setattr__(self, name, value):
            if type(self) is cls or name in fields:
                raise _frozen(f"cannot assign to field {name!r}")
            super(cls, self).__setattr__(name, value)

        def __delattr__(self, name):
            if type(self) is cls or name in fields:
                raise _frozen(f"cannot delete field {name!r}")
            super(cls, self).__delattr__(name)

        def __getstate__(self):
            return [getattr(self, name) for name in names]

        def __setstate__(self, state):
            for name, value in zip(names, state):
                object.__setattr__(self, name, value)

        made = {
            "__dataclass_fields__": _Later(cls, "__dataclass_fields__", options),
            "__dataclass_params__": _Later(cls, "__dataclass_params__", options),
            "__match_args__": tuple(name for name, is_keyword in passed.items() if not is_keyword),
            "__eq__": __eq__,
            "__hash__": __hash__,
            "__setattr__": __setattr__,
            "__delattr__": __delattr__,
            "__getstate__": __getstate__,
            "__setstate__": __setstate__,
            "__replace__": replace,
        }
        if options.get("repr", True):
            made["__repr__"] = __repr__
        if "__init__" not in cls.__dict__:
            made["__init__"] = _init(cls, fields, passed)
        return made

    def _init(cls, fields, passed):
        """Returns the constructor. `passed` maps the parameters to True if they are keyword-only."""
        positional = [name for name, is_keyword in passed.items() if not is_keyword]
        keywords = [name for name, is_keyword in passed.items() if is_keyword]
        scope, lines, defaults = {}, [], {}
        for name in passed:
            each, value = fields[name], name
            if "default_factory" in each.options:
                defaults[name] = scope[f"_default_{name}"] = each
                value = f"_default_{name}.options['default_factory']() if {name} is _default_{name} else {name}"
            elif each.default is not _MISSING:
                defaults[name] = each.default
            scope[f"_set_{name}"] = getattr(cls, name).__set__
            lines.append(f" _set_{name}(self, {value})\n")
        if hasattr(cls, "__post_init__"):
            lines.append(" self.__post_init__()\n")
        star = ["*"] if keywords else []
        exec(f"def __init__({', '.join(['self', *positional, *star, *keywords])}):\n{''.join(lines)}", scope)
        made = scope["__init__"]
        made.__defaults__ = tuple(defaults[name] for name in positional if name in defaults)
        made.__kwdefaults__ = {name: defaults[name] for name in keywords if name in defaults}
        made.__annotations__ = {name: fields[name].annotation for name in passed} | {"return": None}
        made.__module__, made.__qualname__ = cls.__module__, f"{cls.__qualname__}.__init__"
        return made
