// Programs import only this module, so it exports the types of the storage too.
@_exported public import FencepostStoreCore
