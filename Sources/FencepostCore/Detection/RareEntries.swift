/// Values for single conditions that most monitors do not have. One reference stands for all of them, so that a monitor
/// without any pays one comparison with nil, and a copy of a monitor copies one reference.
struct RareEntries<Value: Sendable>: Sendable {
  /// Only a struct that has the only reference changes the entries.
  private final class Storage: @unchecked Sendable {
    var entries: DeviceEntries<Value>

    init(_ entries: DeviceEntries<Value>) { self.entries = entries }
  }

  /// `nil` without entries.
  private var storage: Storage?

  @inline(__always)
  var isEmpty: Bool { storage == nil }

  /// The value of a slot; `nil` if it has no entry.
  subscript(slot: UInt32) -> Value? {
    @inline(__always) get { storage == nil ? nil : found(slot) }
    @inline(never) set {
      if storage == nil {
        guard newValue != nil else { return }
        storage = Storage(DeviceEntries())
      } else if !isKnownUniquelyReferenced(&storage), let shared = storage {
        storage = Storage(shared.entries)
      }
      storage!.entries[slot] = newValue
      if storage!.entries.isEmpty { storage = nil }
    }
  }

  /// The slots with a value.
  @inline(never)
  var slots: ContiguousArray<UInt32> { storage.map { ContiguousArray($0.entries.slots) } ?? [] }

  @inline(never)
  private func found(_ slot: UInt32) -> Value? { storage!.entries[slot] }

  @inline(__always)
  mutating func removeAll() { if storage != nil { storage = nil } }
}
