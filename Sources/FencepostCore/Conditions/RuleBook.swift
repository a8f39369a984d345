import FencepostKernel

/// The rules of a table, and the names of their parts. A name is a number for an identifier that a rule has, or that a
/// rule names as a part; the table need not have a condition with this identifier.
///
/// A table without rules has no book. A table that shares its book with a copy copies it before a change.
final class RuleBook: @unchecked Sendable {
  /// The values that the definition of a rule determines.
  struct Row {
    var form: RuleDefinition.Form
    var count: Int
    /// The names of the parts, in the order of the definition, each with the index of the rule among its containers.
    var parts: ContiguousArray<Link>
    /// 1 for a rule without rules as parts; otherwise 1 more than the depth of the deepest of them.
    var depth = 1
    /// The place in ``RuleBook/listed``, or −1.
    var place: Int32 = -1
    /// Whether the rule waits in ``RuleBook/settleDepths(of:)``.
    var isQueued = false

    var isNegated: Bool { form == .none }
  }

  /// A name, and the index of the link that leads back from it. A rule and each of its parts have such links to each
  /// other, so that a rule can be removed without a search.
  struct Link {
    var name: UInt32
    var index: UInt32
  }

  private struct Entry {
    /// The slot of the condition; `RuleBook.none` if the table has no such condition.
    var slot = RuleBook.none
    /// The names of the rules that have the condition as a part, each with the index of the part in the rule.
    var containers: ContiguousArray<Link> = []
    var row: Row?
  }

  static let none = UInt32.max

  private var names = IdentifierTable()
  private var entries: ContiguousArray<Entry> = []
  private var free: ContiguousArray<UInt32> = []
  /// The name of the condition in each slot, or ``none``. The array ends with the last slot that has a name.
  private var nameOfSlot: ContiguousArray<UInt32> = []
  private(set) var ruleCount = 0
  /// The generation of the last rule that was added.
  private(set) var lastGeneration: UInt64 = 0
  /// The names of the rules whose first determination may be an event although the device is outside all parts.
  private(set) var listed: ContiguousArray<UInt32> = []

  init() {}

  init(copying other: RuleBook) {
    names = other.names
    entries = other.entries
    free = other.free
    nameOfSlot = other.nameOfSlot
    ruleCount = other.ruleCount
    lastGeneration = other.lastGeneration
    listed = other.listed
  }

  // MARK: - Reading

  /// A bound of the names.
  var nameBound: Int { entries.count }

  /// The name of the condition in a slot, or ``none``.
  @inline(__always)
  func name(of slot: UInt32) -> UInt32 { Int(slot) < nameOfSlot.count ? nameOfSlot[Int(slot)] : Self.none }

  /// The name for an identifier.
  func name(of identifier: UnsafeBufferPointer<UInt8>) -> UInt32? { names.find(identifier) }

  /// The name of the condition in a slot, if a rule has it as a part.
  func part(in slot: UInt32) -> UInt32? {
    let name = name(of: slot)
    return name == Self.none || entries[Int(name)].containers.isEmpty ? nil : name
  }

  func slot(of name: UInt32) -> UInt32 { entries[Int(name)].slot }
  func isRule(_ name: UInt32) -> Bool { entries[Int(name)].row != nil }
  func containerCount(of name: UInt32) -> Int { entries[Int(name)].containers.count }
  func container(_ index: Int, of name: UInt32) -> UInt32 { entries[Int(name)].containers[index].name }
  func partCount(of name: UInt32) -> Int { entries[Int(name)].row?.parts.count ?? 0 }
  func part(_ index: Int, of name: UInt32) -> UInt32 { entries[Int(name)].row!.parts[index].name }
  func depth(of name: UInt32) -> Int { entries[Int(name)].row?.depth ?? 0 }
  func count(of name: UInt32) -> Int { entries[Int(name)].row!.count }
  func isNegated(_ name: UInt32) -> Bool { entries[Int(name)].row!.isNegated }
  func identifier(of name: UInt32) -> String { names.string(of: name) }

  /// The state of a rule with a number of satisfied and of unknown parts.
  func state(of name: UInt32, satisfied: Int, unknown: Int) -> Event.State {
    let count = count(of: name)
    let isNegated = isNegated(name)
    if satisfied >= count { return isNegated ? .unsatisfied : .satisfied }
    if satisfied + unknown < count { return isNegated ? .satisfied : .unsatisfied }
    return .unknown
  }

  func withIdentifier<Result>(of name: UInt32, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    names.withBytes(of: name, body)
  }

  /// The definition of the rule in a slot.
  @_optimize(size)
  func definition(of slot: UInt32) -> RuleDefinition {
    let row = entries[Int(name(of: slot))].row!
    var definition = RuleDefinition(row.form, atLeast: row.form == .atLeast ? Int64(row.count) : 0)
    for part in row.parts { names.withBytes(of: part.name) { definition.append($0) } }
    return definition
  }

  // MARK: - Changes

  /// Notes that a condition was put into a slot.
  ///
  /// - Parameters:
  ///   - rule: The definition if the condition is a rule.
  ///   - identifiers: Those of the table.
  @_optimize(size)
  func enter(
    _ slot: UInt32, _ identifier: UnsafeBufferPointer<UInt8>, _ rule: RuleDefinition?,
    _ identifiers: IdentifierTable
  ) {
    guard let rule else {
      if let name = names.find(identifier) { place(name, slot) }
      return
    }
    let name = take(identifier)
    place(name, slot)
    ruleCount += 1
    var parts: ContiguousArray<Link> = []
    parts.reserveCapacity(rule.partCount)
    for index in 0..<rule.partCount {
      let bound = entries.count - free.count
      let part = rule.withPart(index) { take($0) }
      if entries.count - free.count != bound, let slot = rule.find(index, in: identifiers) { place(part, slot) }
      parts.append(Link(name: part, index: UInt32(entries[Int(part)].containers.count)))
      entries[Int(part)].containers.append(Link(name: name, index: UInt32(index)))
    }
    entries[Int(name)].row = Row(form: rule.form, count: Int(rule.count), parts: parts)
    entries[Int(name)].row!.depth = 0
    settleDepths(of: [name])
  }

  /// Notes that a condition was removed from a slot.
  @_optimize(size)
  func leave(_ slot: UInt32) {
    let name = name(of: slot)
    guard name != Self.none else { return }
    place(name, Self.none)
    nameOfSlot[Int(slot)] = Self.none
    if let row = entries[Int(name)].row {
      ruleCount -= 1
      entries[Int(name)].row = nil
      for part in row.parts {
        // The last container takes the place of this one.
        let last = entries[Int(part.name)].containers.removeLast()
        if last.name != name {
          entries[Int(part.name)].containers[Int(part.index)] = last
          entries[Int(last.name)].row!.parts[Int(last.index)].index = part.index
        }
        release(part.name)
      }
      if row.place >= 0 {
        let last = listed.removeLast()
        if last != name {
          listed[Int(row.place)] = last
          entries[Int(last)].row!.place = row.place
        }
      }
      var containers: ContiguousArray<UInt32> = []
      for container in entries[Int(name)].containers { containers.append(container.name) }
      settleDepths(of: containers)
    }
    release(name)
  }

  /// Notes the generation of a rule that was entered, and whether it is in ``listed``.
  func note(_ slot: UInt32, generation: UInt64, isListed: Bool) {
    lastGeneration = max(lastGeneration, generation)
    guard isListed else { return }
    let name = name(of: slot)
    entries[Int(name)].row!.place = Int32(listed.count)
    listed.append(name)
  }

  @inline(never) @_optimize(size)
  private func take(_ identifier: UnsafeBufferPointer<UInt8>) -> UInt32 {
    let new = free.last ?? UInt32(entries.count)
    let name = names.slot(of: identifier, orNew: new)
    // The new name is not in use, so it is that of the identifier only if the identifier is new.
    guard name == new else { return name }
    if free.popLast() == nil { entries.append(Entry()) }
    return name
  }

  private func place(_ name: UInt32, _ slot: UInt32) {
    entries[Int(name)].slot = slot
    guard slot != Self.none else { return }
    while nameOfSlot.count <= Int(slot) { nameOfSlot.append(Self.none) }
    nameOfSlot[Int(slot)] = name
  }

  /// Frees a name that no rule has or names.
  private func release(_ name: UInt32) {
    guard entries[Int(name)].containers.isEmpty, entries[Int(name)].row == nil else { return }
    let slot = entries[Int(name)].slot
    if slot != Self.none { nameOfSlot[Int(slot)] = Self.none }
    entries[Int(name)] = Entry()
    names.remove(slot: name)
    free.append(name)
  }

  /// Sets the depths of rules, and those of the rules that contain them. While a table is made equal to a set, rules may
  /// have a cycle; their depth is then one more than the greatest.
  @_optimize(size)
  private func settleDepths(of names: ContiguousArray<UInt32>) {
    // The rules of one level settle before those that contain them, and each waits at most once.
    var changed = names
    for name in changed { entries[Int(name)].row!.isQueued = true }
    var next = 0
    while next < changed.count {
      let name = Int(changed[next])
      next += 1
      entries[name].row!.isQueued = false
      var deepest = 0
      for part in entries[name].row!.parts { deepest = max(deepest, depth(of: part.name)) }
      let depth = min(deepest, RuleDefinition.greatestDepth) + 1
      guard entries[name].row!.depth != depth else { continue }
      entries[name].row!.depth = depth
      for container in entries[name].containers where !entries[Int(container.name)].row!.isQueued {
        entries[Int(container.name)].row!.isQueued = true
        changed.append(container.name)
      }
    }
  }

  // MARK: - Checks

  /// Returns the reason why a rule would have a cycle or be too deep, as a message.
  @_optimize(size)
  func defect(of rule: RuleDefinition, _ identifier: UnsafeBufferPointer<UInt8>) -> String? {
    for index in 0..<rule.partCount
    where rule.withPart(index, { $0.count == identifier.count && $0.elementsEqual(identifier) }) {
      return Self.cycle(identifier, String(decoding: identifier, as: UTF8.self))
    }
    // The number of levels: the condition, the rules that contain it, those that contain these, and so on. The last
    // level of each name; 0 if it is not above the condition.
    var levelCount = 0
    var levels: ContiguousArray<UInt8> = []
    if let own = names.find(identifier), !entries[Int(own)].containers.isEmpty {
      levels = ContiguousArray(repeating: 0, count: entries.count)
      var level: ContiguousArray<UInt32> = [own]
      while !level.isEmpty {
        levelCount += 1
        var next: ContiguousArray<UInt32> = []
        for name in level {
          for container in entries[Int(name)].containers where levels[Int(container.name)] != UInt8(levelCount) {
            levels[Int(container.name)] = UInt8(levelCount)
            next.append(container.name)
          }
        }
        level = next
      }
    }
    var deepest = 0
    for index in 0..<rule.partCount {
      guard let part = rule.find(index, in: names) else { continue }
      // No other rule than those above the condition can lead back to it.
      if !levels.isEmpty, levels[Int(part)] != 0, let own = names.find(identifier), let way = way(from: part, to: own) {
        return Self.cycle(identifier, way)
      }
      deepest = max(deepest, depth(of: part))
    }
    let depth = deepest + max(1, levelCount)
    return depth > RuleDefinition.greatestDepth
      ? "depth: the rule makes \(depth) rules one in another; at most 8 are possible" : nil
  }

  @inline(never) @_optimize(size)
  private static func cycle(_ identifier: UnsafeBufferPointer<UInt8>, _ way: String) -> String {
    "cycle: " + String(decoding: identifier, as: UTF8.self) + ", " + way
      + ": a rule must not depend on itself; leave out one of these parts"
  }

  /// Returns the identifiers on a way down from a rule to a name, or `nil`. Ways are no longer than the greatest depth.
  private func way(from start: UInt32, to goal: UInt32) -> String? {
    var isTried = ContiguousArray(repeating: false, count: entries.count)
    return way(from: start, to: goal, &isTried)
  }

  @_optimize(size)
  private func way(from start: UInt32, to goal: UInt32, _ isTried: inout ContiguousArray<Bool>) -> String? {
    if start == goal { return names.string(of: start) }
    guard !isTried[Int(start)] else { return nil }
    isTried[Int(start)] = true
    for index in 0..<partCount(of: start) {
      if let way = way(from: part(index, of: start), to: goal, &isTried) { return names.string(of: start) + ", " + way }
    }
    return nil
  }
}

#if FENCEPOST_INVARIANTS
  extension RuleBook {
    func checkInvariants(_ table: ConditionTable) throws(Invariant.Broken) {
      let rules = table.live.filter { table.kind(of: $0).isRule }
      try Invariant.hold(rules.count == ruleCount && ruleCount > 0, "the book has each rule")
      for (place, name) in listed.enumerated() {
        try Invariant.hold(entries[Int(name)].row?.place == Int32(place), "a listed rule knows its place")
      }
      for slot in table.live {
        let name = name(of: slot)
        let known = table.identifiers.withBytes(of: slot) { self.name(of: $0) }
        try Invariant.hold(known ?? Self.none == name, "a slot has the name of its identifier")
        guard name != Self.none else { continue }
        try Invariant.hold(self.slot(of: name) == slot, "a name has the slot of its condition")
        try Invariant.hold(isRule(name) == table.kind(of: slot).isRule, "exactly the rules have a row")
        var deepest = 0
        for index in 0..<partCount(of: name) {
          let part = part(index, of: name)
          deepest = max(deepest, depth(of: part))
          let count = (0..<containerCount(of: part)).count { container($0, of: part) == name }
          try Invariant.hold(count == 1, "a part knows the rules that have it")
        }
        try Invariant.hold(!isRule(name) || depth(of: name) == deepest + 1, "the depth of a rule is right")
      }
    }
  }
#endif
