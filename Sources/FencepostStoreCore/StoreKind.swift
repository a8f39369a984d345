/// The kind of a store's file: monitor or fleet. A file of one kind cannot be opened as a file of the other kind.
enum StoreKind: CaseIterable {
  case monitor
  case fleet
}
