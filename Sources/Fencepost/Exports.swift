// Programs import only this module, so it exports the engine's types too.
@_exported public import FencepostCore
