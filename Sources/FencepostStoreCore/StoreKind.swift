/// What a store's file keeps; one is not opened as the other.
enum StoreKind: CaseIterable {
  case monitor
  case fleet
}
