// Programs import one module: the engine's types are part of it.
@_exported public import FencepostCore
