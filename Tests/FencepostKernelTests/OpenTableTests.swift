import TestSupport
import Testing

@testable import FencepostKernel

@Suite struct OpenTableTests {
  private struct Entry: OpenTableEntry {
    /// 0 means free.
    var key: UInt64 = 0
    var value = 0
    var isFree: Bool { key == 0 }
    func home(_ homes: OpenTableHomes) -> Int { homes.of(key) }
  }

  private func place(_ key: UInt64, _ table: OpenTable<Entry>) -> Int {
    table.place(from: table.homes.of(key)) { $0.key == key }
  }

  private func set(_ key: UInt64, _ value: Int, _ table: inout OpenTable<Entry>) {
    let place = place(key, table)
    if place >= 0 {
      table[place].value = value
    } else {
      table.makeRoom(for: 1)
      let new = table.insert(Entry(key: key, value: value))
      #expect(table[new].key == key)
    }
  }

  private func remove(_ key: UInt64, _ table: inout OpenTable<Entry>) {
    let place = place(key, table)
    if place >= 0 { table.remove(at: place) }
  }

  private func contents(_ table: OpenTable<Entry>) -> [UInt64: Int] {
    var all: [UInt64: Int] = [:]
    table.forEach { all[$0.key] = $0.value }
    return all
  }

  /// Returns a key whose home is the index `home` in a table of length 2^`log`; `rest` gives the low bits of the
  /// product of the key and the multiplier.
  private static func key(at home: UInt64, log: Int, _ rest: UInt64) -> UInt64 {
    // Newton's iteration computes the inverse of an odd number modulo 2^64.
    var inverse = OpenTable<Entry>.golden
    for _ in 0..<6 { inverse &*= 2 &- OpenTable<Entry>.golden &* inverse }
    return (home << UInt64(64 - log) | rest) &* inverse
  }

  @Test func anEmptyTableHasNothingAndTakesNoMemory() throws {
    let table = OpenTable<Entry>()
    #expect(table.length == 0 && table.count == 0)
    #expect(place(1, table) == -1)
    #expect(contents(table).isEmpty)
    try table.checkInvariants()
  }

  /// Tests that the table agrees with a dictionary for three kinds of keys: random keys, consecutive keys, and keys
  /// that belong at the end of the table, so that entries wrap around to its start.
  @Test(arguments: [0, 1, 2]) func agreesWithADictionary(kind: Int) throws {
    var random = SeededGenerator("OpenTableTests", salt: UInt64(kind))
    let keys = (0..<600).map { (index: Int) -> UInt64 in
      switch kind {
      case 0: random.next() | 1
      case 1: UInt64(index + 1)
      default: Self.key(at: 1_020 + UInt64(index % 4), log: 10, UInt64(index + 1))
      }
    }
    #expect(Set(keys).count == keys.count && !keys.contains(0))
    var table = OpenTable<Entry>()
    var known: [UInt64: Int] = [:]
    for step in 0..<12_000 {
      // The table becomes nearly full and nearly empty alternately.
      let key = keys[random.integer(0...(keys.count - 1))]
      if random.chance((step / 2_000) % 2 == 0 ? 0.8 : 0.2) {
        set(key, step, &table)
        known[key] = step
      } else {
        remove(key, &table)
        known[key] = nil
      }
      let other = keys[random.integer(0...(keys.count - 1))]
      let found = place(other, table)
      #expect((found < 0 ? nil : table[found].value) == known[other], "step \(step)")
      #expect(table.count == known.count)
      if step % 400 == 399 {
        try table.checkInvariants()
        #expect(contents(table) == known, "step \(step)")
      }
    }
  }

  /// Removes five entries in every order from a table in which the entries collide around its end.
  @Test func whatFollowsAGapMovesBack() throws {
    let homes: [[UInt64]] = [[7, 7, 7, 7, 7], [6, 7, 6, 7, 0], [7, 0, 7, 0, 1], [5, 6, 7, 5, 6]]
    for homes in homes {
      let keys = homes.enumerated().map { Self.key(at: $1, log: 3, UInt64($0 + 1)) }
      var full = OpenTable<Entry>()
      full.layOut(length: 8)
      for (value, key) in keys.enumerated() { full.insert(Entry(key: key, value: value)) }
      #expect(full.length == 8)
      for order in permutations(Array(keys.indices)) {
        var table = full
        var left = Set(keys.indices)
        for index in order {
          remove(keys[index], &table)
          left.remove(index)
          try table.checkInvariants()
          #expect(contents(table) == Dictionary(uniqueKeysWithValues: left.map { (keys[$0], $0) }), "\(homes) \(order)")
        }
      }
    }
  }

  private func permutations(_ elements: [Int]) -> [[Int]] {
    guard elements.count > 1 else { return [elements] }
    return elements.indices.flatMap { index -> [[Int]] in
      var rest = elements
      let first = rest.remove(at: index)
      return permutations(rest).map { [first] + $0 }
    }
  }

  /// At most three fifths of the places in an `OpenTable` are used. A table for which room for 1000 entries was
  /// reserved is as long as a table that has grown to 1000 entries.
  @Test func growsBeforeItIsFull() {
    var table = OpenTable<Entry>()
    for key in 1...1_000 as ClosedRange<UInt64> {
      set(key, 0, &table)
      #expect(table.count * 5 <= table.length * 3)
    }
    var reserved = OpenTable<Entry>()
    reserved.makeRoom(for: 1_000)
    let length = reserved.length
    #expect(length == table.length)
    for key in 1...1_000 as ClosedRange<UInt64> { set(key, 0, &reserved) }
    #expect(reserved.length == length)
    #expect(OpenTable<Entry>.length(for: 0) == 8 && OpenTable<Entry>.length(for: 5) == 16)
  }

  /// Inserts 20 000 keys that were chosen to have the same home index. The table must detect this, and afterwards every
  /// entry must be close to its home index.
  @Test func keysThatWereChosenToCollideDoNotCrowd() throws {
    var table = OpenTable<Entry>()
    var longest = 0
    let keys = (1...20_000 as ClosedRange<UInt64>).map { Self.key(at: 0, log: 16, $0) }
    for (index, key) in keys.enumerated() {
      set(key, index, &table)
      if index % 1_000 == 999 { longest = max(longest, table.longestWayTaken) }
    }
    #expect(longest <= OpenTable<Entry>.longestWay + 1, "an entry was \(longest) steps from its home")
    try table.checkInvariants()
    for (index, key) in keys.enumerated() { #expect(table[place(key, table)].value == index) }
  }

  /// Keys with the same hash always collide. Even with 1500 keys of one hash, every key is found, and the table's
  /// multiplier changes at most twice.
  @Test func keysOfOneHashAreFoundAllTheSame() throws {
    struct Same: OpenTableEntry {
      var key = 0
      var isFree: Bool { key == 0 }
      func home(_ homes: OpenTableHomes) -> Int { homes.of(7) }
    }
    var table = OpenTable<Same>()
    var layouts = 0
    for key in 1...1_500 {
      let before = table.homes
      table.makeRoom(for: 1)
      if table.homes.multiplier != before.multiplier { layouts += 1 }
      table.insert(Same(key: key))
    }
    #expect(layouts <= 2, "a multiplier is drawn once for each length")
    for key in 1...1_500 { #expect(table.place(from: table.homes.of(7)) { $0.key == key } >= 0) }
    try table.checkInvariants()
  }

  /// In a table whose entries are all at their home index, every index may be used, and no entry moves.
  @Test func standsAtHome() throws {
    var table = OpenTable<Entry>()
    for key in 1...7 as ClosedRange<UInt64> { set(key, Int(key), &table) }
    table.layOutAtHome(length: 16)
    #expect(table.isAtHome)
    for key in 8...15 as ClosedRange<UInt64> { table.insert(Entry(key: key, value: Int(key))) }
    for key in 1...15 as ClosedRange<UInt64> { #expect(place(key, table) == Int(key)) }
    for key in [15, 1, 8] as [UInt64] { table.remove(at: place(key, table)) }
    for key in 1...15 as ClosedRange<UInt64> {
      #expect(place(key, table) == ([15, 1, 8].contains(key) ? -1 : Int(key)))
    }
    try table.checkInvariants()
    table.layOut(length: 32)
    #expect(!table.isAtHome && table.count == 12)
    for key in [2, 7, 9, 14] as [UInt64] { #expect(table[place(key, table)].value == Int(key)) }
    try table.checkInvariants()
  }

  /// `removeAll(keeping:)` keeps the memory of a short table and releases the memory of a long table; afterwards, the
  /// table works like a new one.
  @Test(arguments: [0, 64, 4_096], [false, true]) func isEmptied(longest: Int, atHome: Bool) throws {
    var table = OpenTable<Entry>()
    table.removeAll(keeping: longest)
    #expect(table.length == 0)
    for key in 1...30 as ClosedRange<UInt64> { set(key, 1, &table) }
    if atHome { table.layOutAtHome(length: 64) }
    table.removeAll(keeping: longest)
    #expect(table.count == 0 && table.length == (longest < 64 ? 0 : 64) && contents(table).isEmpty)
    #expect(place(1, table) == -1)
    try table.checkInvariants()
    table.layOut(length: 64)
    for key in 1...30 as ClosedRange<UInt64> { set(key, 2, &table) }
    #expect(table.count == 30 && place(7, table) >= 0)
    try table.checkInvariants()
  }

  /// A copy shares memory with the original until one of the two tables changes.
  @Test func aCopyIsItsOwn() {
    var table = OpenTable<Entry>()
    for key in 1...100 as ClosedRange<UInt64> { set(key, 0, &table) }
    let copy = table
    for key in 1...50 as ClosedRange<UInt64> { remove(key, &table) }
    set(60, 1, &table)
    #expect(copy.count == 100 && place(1, copy) >= 0 && copy[place(60, copy)].value == 0)
    #expect(table.count == 50 && place(1, table) == -1)
  }
}
