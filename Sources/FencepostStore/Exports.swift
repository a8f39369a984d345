// Programs import one module: the storage is part of it.
@_exported public import FencepostStoreCore
