// Programs import only this module, so it re-exports the module that defines the storage types.
@_exported public import FencepostStoreCore
