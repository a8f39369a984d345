// Programs import only this module, so it exports the storage types too.
@_exported public import FencepostStoreCore
