/// The kind of a store's file: a monitor or a fleet; one is not opened as the other.
enum StoreKind: CaseIterable {
  case monitor
  case fleet
}
