/// An entry of an ``OpenTable``.
public protocol OpenTableEntry: Sendable {
  /// The value that marks a free slot of the table.
  init()
  var isFree: Bool { get }
  /// The slot at which a search for this entry begins. If a search reaches the end of the table, it continues at the
  /// start.
  func home(_ homes: OpenTableHomes) -> Int
}

/// Computes the slots at which searches for keys begin, by multiplicative hashing: a slot is the upper bits of a
/// product (Knuth, "The Art of Computer Programming", vol. 3, 6.4).
@frozen
public struct OpenTableHomes: Sendable {
  @usableFromInline var multiplier: UInt64
  /// 64 minus the binary logarithm of the number of slots.
  @usableFromInline var shift: UInt64

  @inlinable
  init(multiplier: UInt64, log: Int) {
    self.multiplier = multiplier
    shift = UInt64(truncatingIfNeeded: 64 &- log)
  }

  /// The slot at which a search for a key with the given hash begins; it is called the home of the key.
  @inlinable
  @inline(__always)
  public func of(_ hash: UInt64) -> Int { Int(truncatingIfNeeded: (hash &* multiplier) &>> shift) }
}

/// A hash table with open addressing, linear probing, and a removal that moves the following entries back (Knuth, 6.4,
/// algorithm R).
///
/// The caller of a look-up passes a function that recognises the wanted entry, so an entry need not contain its key. An
/// entry stays in its slot (an index below ``length``) until the next call that makes room for entries or removes an
/// entry. The order of the entries in the table must not affect any output.
///
/// An attacker may choose keys that collide, so that look-ups become slow. If keys collide too much, the table draws a
/// secret random multiplier and rearranges its entries.
@frozen
public struct OpenTable<Entry: OpenTableEntry>: Sendable {
  @usableFromInline var entries: ContiguousArray<Entry> = []
  @usableFromInline var taken = 0
  @usableFromInline var layout = OpenTableHomes(multiplier: Self.golden, log: 3)
  @usableFromInline var multiplier = Self.golden
  @usableFromInline var allAtHome = false
  @usableFromInline var crowded = false
  /// Whether ``scatter()`` has already run for the present length; running it again would give the same multiplier.
  @usableFromInline var scattered = false

  /// 2^64 divided by the golden ratio: it places neighbouring keys far apart.
  @usableFromInline static var golden: UInt64 { 0x9E37_79B9_7F4A_7C15 }
  @usableFromInline static var smallest: Int { 8 }
  /// The largest allowed distance, in slots, between an entry and its home (the slot at which a search for the entry
  /// begins). At a load of three fifths, an entry with an ordinary key is at most tens of steps from its home, and an
  /// entry in a run of neighbouring keys at most hundreds of steps.
  @usableFromInline static var longestWay: Int { 1_024 }

  @inlinable
  public init() {}

  @inlinable
  public var count: Int { taken }

  @inlinable
  public var homes: OpenTableHomes { layout }

  /// Whether every entry is in the slot that equals the hash of its key.
  @inlinable
  public var isAtHome: Bool { allAtHome }

  /// Whether an entry is farther from its home than is likely with ordinary keys.
  @inlinable
  public var isCrowded: Bool { crowded }

  /// The total number of slots, used and free; it is 0 or a power of two.
  @inlinable
  public var length: Int { entries.count }

  @inlinable
  public subscript(place: Int) -> Entry {
    @inline(__always) _read { yield entries[place] }
    @inline(__always) _modify { yield &entries[place] }
  }

  /// Whether there is room for `more` additional entries: at most three of every five slots may be used.
  @inlinable
  public func hasRoom(for more: Int) -> Bool { (taken &+ more) &* 5 <= entries.count &* 3 }

  /// The smallest table length that has room for `count` entries.
  @inlinable
  public static func length(for count: Int) -> Int {
    var length = smallest
    while count &* 5 > length &* 3 { length &*= 2 }
    return length
  }

  // MARK: - Look-ups

  /// Returns the slot of an entry, or −1 if the entry is not in the table.
  ///
  /// - Parameter isWanted: A function that recognises the wanted entry; it must return `false` for a free slot.
  @inlinable
  @inline(__always)
  public func place(from home: Int, where isWanted: (Entry) -> Bool) -> Int {
    entries.withUnsafeBufferPointer { entries in
      guard let base = entries.baseAddress, entries.count > 0 else { return -1 }
      return Self.place(from: home, in: base, mask: entries.count &- 1, where: isWanted)
    }
  }

  /// Returns the slot of an entry, or −1 if the entry is not in the table. `entries` is the address of the table's
  /// first slot.
  @inlinable
  @inline(__always)
  public static func place(
    from home: Int, in entries: UnsafePointer<Entry>, mask: Int, where isWanted: (Entry) -> Bool
  ) -> Int {
    var place = home & mask
    while !isWanted(entries[place]) {
      if entries[place].isFree { return -1 }
      place = (place &+ 1) & mask
    }
    return place
  }

  @inlinable
  @inline(__always)
  public func withUnsafeBufferPointer<Result>(_ body: (UnsafeBufferPointer<Entry>) -> Result) -> Result {
    entries.withUnsafeBufferPointer(body)
  }

  /// Calls `body` with each entry, in no particular order.
  @inlinable
  public func forEach(_ body: (Entry) -> Void) {
    guard taken > 0 else { return }
    for entry in entries where !entry.isFree { body(entry) }
  }

  // MARK: - Changes

  /// Makes room for `more` additional entries; entries may move to other slots. The table must not have been laid out
  /// by ``layOutAtHome(length:)``.
  @inlinable
  public mutating func makeRoom(for more: Int) {
    if !hasRoom(for: more) {
      layOut(length: Self.length(for: taken &+ more))
    } else if crowded {
      scatter()
    }
  }

  /// Inserts an entry that is not in the table yet, and returns its slot. Before the call, the caller must make room
  /// for the entry.
  @inlinable
  @discardableResult
  public mutating func insert(_ entry: Entry) -> Int {
    taken &+= 1
    return enter(entry)
  }

  /// Removes an entry, and fills the gap with following entries that a search would otherwise no longer find; these
  /// entries move to other slots.
  @inlinable
  public mutating func remove(at place: Int) {
    taken &-= 1
    guard !allAtHome else { return entries[place] = Entry() }
    let homes = layout
    entries.withUnsafeMutableBufferPointer { entries in
      let mask = entries.count &- 1
      var gap = place
      var next = (gap &+ 1) & mask
      while !entries[next].isFree {
        let home = entries[next].home(homes) & mask
        if (next &- home) & mask >= (next &- gap) & mask {
          entries[gap] = entries[next]
          gap = next
        }
        next = (next &+ 1) & mask
      }
      entries[gap] = Entry()
    }
  }

  /// Removes all entries. If the table has more than `longest` slots, its memory is freed.
  @inlinable
  public mutating func removeAll(keeping longest: Int) {
    guard taken > 0 else { return }
    taken = 0
    crowded = false
    if length > longest {
      entries = []
      allAtHome = false
    } else {
      for place in entries.indices { entries[place] = Entry() }
    }
  }

  /// Rearranges the entries in a table of `length` slots; `length` must be a power of two, and large enough for the
  /// entries.
  @inlinable
  public mutating func layOut(length: Int) {
    scattered = false
    layOut(length, multiplier, atHome: false)
  }

  /// Rearranges the entries in a table of `length` slots, so that each entry is in the slot that equals its hash.
  /// `length` must be a power of two, and the hashes must be distinct and below `length`.
  @inlinable
  public mutating func layOutAtHome(length: Int) {
    layOut(length, 1 &<< UInt64(truncatingIfNeeded: 64 &- length.trailingZeroBitCount), atHome: true)
  }

  /// Rearranges the entries, using a secret random multiplier. For each table length, this happens at most once,
  /// because a length always gets the same multiplier.
  @inlinable
  public mutating func scatter() {
    crowded = false
    guard !scattered, !allAtHome else { return }
    scattered = true
    multiplier = OpenTableSecret.multiplier(length)
    layOut(length, multiplier, atHome: false)
  }

  @inlinable
  mutating func layOut(_ length: Int, _ multiplier: UInt64, atHome: Bool) {
    let old = entries
    entries = ContiguousArray(repeating: Entry(), count: length)
    layout = OpenTableHomes(multiplier: multiplier, log: length.trailingZeroBitCount)
    allAtHome = atHome
    crowded = false
    for entry in old where !entry.isFree { enter(entry) }
  }

  @inlinable
  @discardableResult
  mutating func enter(_ entry: Entry) -> Int {
    let home = entry.home(layout)
    let place = entries.withUnsafeMutableBufferPointer { entries in
      let mask = entries.count &- 1
      var place = home & mask
      while !entries[place].isFree { place = (place &+ 1) & mask }
      entries[place] = entry
      return place
    }
    if (place &- home) & (entries.count &- 1) > Self.longestWay { crowded = true }
    return place
  }
}

@usableFromInline
enum OpenTableSecret {
  /// An odd number derived from the random seed that the standard library has in each process: reading the seed needs
  /// no system call, and the seed cannot be guessed.
  @usableFromInline
  @inline(never)
  static func multiplier(_ length: Int) -> UInt64 {
    var hasher = Hasher()
    hasher.combine(length)
    return UInt64(truncatingIfNeeded: hasher.finalize()) | 1
  }
}

#if FENCEPOST_INVARIANTS
  extension OpenTable {
    /// The largest distance, in slots, between an entry and its home.
    package var longestWayTaken: Int {
      entries.indices.reduce(0) { longest, place in
        guard !entries[place].isFree else { return longest }
        return max(longest, (place - entries[place].home(homes)) & (length - 1))
      }
    }

    package func checkInvariants() throws(Invariant.Broken) {
      let taken = entries.indices.filter { !entries[$0].isFree }
      try Invariant.hold(taken.count == count, "a hash table counts \(count) entries, but has \(taken.count)")
      for index in taken {
        var place = entries[index].home(homes) & (length - 1)
        while place != index, !entries[place].isFree { place = (place + 1) & (length - 1) }
        try Invariant.hold(place == index, "an entry of a hash table is not found by its hash")
      }
    }
  }
#endif
