import FencepostKernel

/// The identifiers of the conditions. Short identifiers are stored in place, longer ones in an arena. A hash table
/// leads from the bytes of an identifier to its slot.
///
/// Identifiers are compared byte by byte; no Unicode normalisation takes place.
struct IdentifierTable: Sendable {
  /// The length of the longest valid identifier, in bytes.
  static let longest = 256

  /// Either up to 23 bytes, with their number in the last byte; or 255 in the last byte, the offset in the arena in the
  /// first word, and the length in the second word. All bytes are 0 if the slot has no identifier.
  private struct Place: Sendable {
    var words: (UInt64, UInt64, UInt64) = (0, 0, 0)
    static let size = 24
    static let longestInPlace = 23
    static let inArena: UInt8 = 255
  }

  /// An entry of the hash table, which leads from the hash of an identifier to its slot.
  private struct Entry: OpenTableEntry {
    /// Slot + 1, or 0.
    var number: UInt32 = 0
    /// Distinguishes the identifier from most others, so that their bytes are rarely compared.
    var hash: UInt32 = 0

    @inline(__always)
    var isFree: Bool { number == 0 }

    @inline(__always)
    func home(_ homes: OpenTableHomes) -> Int { homes.of(UInt64(hash)) }
  }

  /// The number of unused bytes that the arena may always have. If there are more, and they are more than half of the
  /// arena, the arena is rewritten.
  private static let mostWaste = 65_536

  private var arena: ContiguousArray<UInt8> = []
  /// The number of bytes of the arena that no longer belong to a slot.
  private var waste = 0
  /// The identifier of each slot.
  private var places: ContiguousArray<Place> = []
  private var entries = OpenTable<Entry>()

  /// Returns the hash of an identifier. The standard library seeds it for each process, so that a caller cannot choose
  /// identifiers with equal hashes.
  private static func hash(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt32 {
    var hasher = Hasher()
    hasher.combine(bytes: UnsafeRawBufferPointer(bytes))
    return UInt32(truncatingIfNeeded: hasher.finalize())
  }

  mutating func reserve(_ more: Int, bytes: Int) {
    places.reserveCapacity(places.count + more)
    if bytes > more * Place.longestInPlace { arena.reserveCapacity(arena.count + bytes) }
    entries.makeRoom(for: more)
  }

  /// Returns the slot with an identifier.
  func slot(of bytes: UnsafeBufferPointer<UInt8>) -> UInt32? {
    let hash = Self.hash(bytes)
    let place = entries.place(from: entries.homes.of(UInt64(hash))) {
      $0.hash == hash && !$0.isFree && equals($0.number - 1, bytes)
    }
    return place < 0 ? nil : entries[place].number - 1
  }

  /// Calls `body` with the bytes of a slot's identifier.
  @inline(__always)
  func withBytes<Result>(of slot: UInt32, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    places.withUnsafeBytes { places in
      let place = UnsafeRawBufferPointer(rebasing: places[Int(slot) * Place.size..<(Int(slot) + 1) * Place.size])
      let length = place[Place.longestInPlace]
      if length != Place.inArena {
        return body(
          UnsafeBufferPointer(rebasing: place.assumingMemoryBound(to: UInt8.self)[0..<Int(length)]))
      }
      let offset = Int(place.load(as: UInt64.self))
      let count = Int(place.load(fromByteOffset: 8, as: UInt64.self))
      return arena.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[offset..<offset + count])) }
    }
  }

  func string(of slot: UInt32) -> String {
    withBytes(of: slot) { String(decoding: $0, as: UTF8.self) }
  }

  func length(of slot: UInt32) -> Int {
    withBytes(of: slot) { $0.count }
  }

  /// Begins to read the identifier of a slot into the cache.
  @inline(__always)
  func readAhead(_ slot: UInt32) { ReadAhead.begin(places, Int(slot)) }

  /// Adds slots without an identifier, up to a bound.
  mutating func makeSlots(_ bound: Int) {
    while places.count < bound { places.append(Place()) }
  }

  /// Adds an identifier that is not in the table, for a slot without an identifier.
  mutating func insert(_ bytes: UnsafeBufferPointer<UInt8>, slot: UInt32) {
    while places.count <= Int(slot) { places.append(Place()) }
    var place = Place()
    if bytes.count <= Place.longestInPlace {
      withUnsafeMutableBytes(of: &place) {
        $0.copyBytes(from: bytes)
        $0[Place.longestInPlace] = UInt8(bytes.count)
      }
    } else {
      place.words = (UInt64(arena.count), UInt64(bytes.count), 0)
      withUnsafeMutableBytes(of: &place) { $0[Place.longestInPlace] = Place.inArena }
      arena.append(contentsOf: bytes)
    }
    places[Int(slot)] = place
    entries.makeRoom(for: 1)
    entries.insert(Entry(number: slot + 1, hash: Self.hash(bytes)))
  }

  /// Returns the slot with an identifier. Without a condition, the identifier gets a slot without one.
  @inline(never)
  mutating func slot(of bytes: UnsafeBufferPointer<UInt8>, orNew slot: UInt32) -> UInt32 {
    if let known = self.slot(of: bytes) { return known }
    insert(bytes, slot: slot)
    return slot
  }

  /// Returns the slot with an identifier. Calls are not inlined.
  @inline(never)
  func find(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt32? { slot(of: bytes) }

  /// Removes the identifier of a slot.
  mutating func remove(slot: UInt32) {
    retire(slot: slot)
    clear(slot: slot)
  }

  /// Removes an identifier from the hash table. Its bytes can be read until the slot is cleared.
  mutating func retire(slot: UInt32) {
    let home = entries.homes.of(UInt64(withBytes(of: slot) { Self.hash($0) }))
    let place = entries.place(from: home) { $0.number == slot + 1 }
    guard place >= 0 else { return }
    entries.remove(at: place)
  }

  /// Drops the bytes of a retired identifier.
  mutating func clear(slot: UInt32) {
    let length = length(of: slot)
    if length > Place.longestInPlace { waste += length }
    places[Int(slot)] = Place()
    if waste > Self.mostWaste, waste * 2 > arena.count { compact() }
  }

  private func equals(_ slot: UInt32, _ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    withBytes(of: slot) { $0.count == bytes.count && $0.elementsEqual(bytes) }
  }

  private mutating func compact() {
    var fresh: ContiguousArray<UInt8> = []
    fresh.reserveCapacity(arena.count - waste)
    for slot in places.indices where length(of: UInt32(slot)) > Place.longestInPlace {
      let start = fresh.count
      withBytes(of: UInt32(slot)) { fresh.append(contentsOf: $0) }
      places[slot].words.0 = UInt64(start)
    }
    arena = fresh
    waste = 0
  }
}

#if FENCEPOST_INVARIANTS
  extension IdentifierTable {
    /// - Parameter slots: The slots that have an identifier.
    func checkInvariants(_ slots: some Sequence<UInt32>) throws(Invariant.Broken) {
      var named = 0
      for slot in slots {
        named += 1
        let found = withBytes(of: slot) { self.slot(of: $0) }
        try Invariant.hold(found == slot, "a live slot belongs to one identifier")
      }
      try Invariant.hold(named == entries.count, "there are \(entries.count) identifiers for \(named) conditions")
      try entries.checkInvariants()
    }
  }
#endif
