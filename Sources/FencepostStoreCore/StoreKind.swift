/// The kind of a store's file: monitor or fleet. A file of one kind cannot be opened as the other.
enum StoreKind: CaseIterable {
  case monitor
  case fleet
}
