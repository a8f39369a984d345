import FencepostKernel

/// The data of a condition in the table. Each step of an event reads one row. The data is kept together in one array,
/// because with many conditions, each further array costs an access to main memory.
struct ConditionRow: Sendable {
  /// For a circle, the circle itself; for another shape, a circle that contains it; meaningless for a beacon.
  var bounds: Circle
  /// ``Shape/size``.
  var size = 0.0
  /// The generation of the condition; 0 in a free row.
  var generation: UInt64 = 0
  var tag: UInt64 = 0
  var policy: UInt32 = 0
  /// The state of the first record.
  var assumed: Event.State = .unknown
  var kind: ConditionKind
  /// Whether the condition waits for a place under the condition limit.
  var isOverLimit = false
}

/// The definitions of all conditions, with the data that is needed to find them: the identifiers, the spatial index of
/// the shapes, and the identities of the beacons. The table also knows which conditions exceed the condition limit.
///
/// The table contains no devices, states or events, so many trackers can share one table. They learn from `changes`
/// which conditions were added and removed. A condition is identified by its slot, a small number that is reused after
/// the condition is removed. A replacement gets the slot of the condition that it replaces.
package struct ConditionTable: Sendable {
  private(set) var identifiers = IdentifierTable()
  private(set) var order = AddOrder()
  private(set) var policies = PolicyTable()
  private(set) var index = CapIndex()
  private(set) var rows: ContiguousArray<ConditionRow> = []
  private(set) var changes = TableChanges()
  /// The rules, and the names of their parts; `nil` without rules.
  private(set) var rules: RuleBook?
  /// The polygons, corridors and lines, each at the index of its slot. The array ends with the last of them.
  private(set) var shapes: ContiguousArray<GeodesicShape?> = []
  private var rare: ContiguousArray<Rare>
  /// The generations of the last added beacon condition, and of the last added one that was not assumed to be absent.
  private(set) var lastBeacon: UInt64 = 0
  private(set) var lastAnnouncedBeacon: UInt64 = 0
  /// The last generation of the beacon conditions, and of the rules if there are beacon conditions, which may be their
  /// parts.
  var lastBeaconOrRule: UInt64 { lastBeacon == 0 ? 0 : max(lastBeacon, rules?.lastGeneration ?? 0) }
  /// A device that has seen the conditions up to this generation lists the beacon conditions that it must list.
  var lastListing: UInt64 { rules == nil ? lastAnnouncedBeacon : lastBeaconOrRule }
  /// The generation of the last added condition with a timing that needs a record in each device.
  private(set) var lastTracked: UInt64 = 0
  /// The generation of the newest shape with a timing that a rule had as a part when the shape was added.
  private var lastTimedPart: UInt64 = 0
  /// The generation of the newest rule or part with a timing, if the table has rules and timings; otherwise 0. The edges
  /// of schedules may change a rule for the devices that have not seen it.
  var lastTimedRule: UInt64 {
    rules.map { policies.hasTimings ? max($0.lastGeneration, lastTimedPart) : 0 } ?? 0
  }
  /// The last generation; a greater number than each generation if a condition has a timing, so that no device counts as
  /// having seen it.
  private(set) var passable: UInt64 = 0

  /// Data that fixes seldom need. An array stores it apart, so that a copy of the table on the stack is smaller.
  private struct Rare: Sendable {
    var limit: ConditionLimit
    var beacons = [UInt32: BeaconIdentityCondition]()
    /// The conditions of each beacon identity, in no particular order.
    var beaconSlots = [BeaconIdentityCondition: ContiguousArray<UInt32>]()
    var freeSlots: ContiguousArray<UInt32> = []
  }

  private(set) var limit: ConditionLimit {
    get { rare[0].limit }
    _modify { yield &rare[0].limit }
  }

  /// The content of a free row.
  private static let nothing = ConditionRow(
    bounds: Circle(latitude: 0, longitude: 0, radius: 0), kind: .beaconIdentity)

  /// - Parameter limit: The maximum number of conditions that are monitored at the same time; `nil` for no limit.
  init(limit: Int?) {
    rare = [Rare(limit: ConditionLimit(capacity: limit))]
  }

  /// Stops the log of changes, because devices find changes by generations.
  mutating func stopLog() { changes.stopLog() }

  /// Counts the replacement of a whole table as one change. The version continues after that of the replaced table.
  mutating func startVersions(after version: UInt64) { changes.startVersions(after: version) }

  package var count: Int { order.count }

  /// A number that changes with each change of the index.
  @inline(__always)
  var indexVersion: UInt64 { changes.version &+ order.lastGeneration }

  /// Whether there is a beacon condition.
  var hasBeacons: Bool { !rare[0].beacons.isEmpty }

  /// The number of lines. Only a path can cross a line.
  private(set) var lineCount = 0
  /// Whether a fleet without a path uses the table, so that lines must be refused.
  var refusesLines = false
  /// Whether a fleet uses the table that cannot have timings, so that they must be refused.
  var refusesTimings = false
  /// Whether a rule cannot be added.
  var refusesRules = false

  /// The slots that have a condition, in add order.
  var live: some Collection<UInt32> { order.live }

  /// Sorts slots of conditions in add order, and removes duplicates.
  func putInOrder(_ slots: inout ContiguousArray<UInt32>) {
    guard slots.count > 1 else { return }
    // The closure uses only the rows, because a closure that uses the table would copy it.
    let rows = rows
    slots.arrange { rows[Int($0)].generation < rows[Int($1)].generation }
    var kept = 1
    for index in 1..<slots.count where slots[index] != slots[index - 1] {
      slots[kept] = slots[index]
      kept += 1
    }
    slots.removeSubrange(kept...)
  }

  package mutating func reserve(_ more: Int, identifierBytes: Int) {
    identifiers.reserve(more, bytes: identifierBytes)
    order.reserve(more)
    index.reserve(more)
    rows.reserveCapacity(rows.count + more)
  }

  @inline(__always)
  package func kind(of slot: UInt32) -> ConditionKind { rows[Int(slot)].kind }

  @inline(__always)
  func isLive(_ slot: UInt32) -> Bool { rows[Int(slot)].generation != 0 }

  @inline(__always)
  package func generation(of slot: UInt32) -> UInt64 { rows[Int(slot)].generation }

  /// Begins to read the row of a condition into the cache.
  @inline(__always)
  func readAhead(_ slot: UInt32) { ReadAhead.begin(rows, Int(slot)) }

  /// Whether a slot still contains the condition with a generation.
  @inline(__always)
  func holds(_ slot: UInt32, _ generation: UInt64) -> Bool { rows[Int(slot)].generation == generation }

  /// The shape of a geographic condition.
  @inline(__always)
  func shape(of slot: UInt32) -> Shape {
    let row = rows[Int(slot)]
    switch row.kind {
    case .circularGeographic, .beaconIdentity, .rule: return .circle(row.bounds)
    case .polygonalGeographic: return .polygon(Area(shapes[Int(slot)]!, bounds: row.bounds))
    case .corridorGeographic: return .corridor(Area(shapes[Int(slot)]!, bounds: row.bounds))
    case .lineGeographic: return .line(Area(shapes[Int(slot)]!, bounds: row.bounds))
    }
  }

  /// Whether all geographic conditions, including removed ones, are circles.
  var isOfCircles: Bool { shapes.isEmpty }

  /// Whether a geographic condition is a circle; its row is not read.
  @inline(__always)
  func isRound(_ slot: UInt32) -> Bool { Int(slot) >= shapes.count || shapes[Int(slot)] == nil }

  /// Whether a slot contains a circle.
  @inline(__always)
  func isCircle(_ slot: UInt32) -> Bool {
    guard rows[Int(slot)].generation != 0 else { return false }
    switch rows[Int(slot)].kind {
    case .circularGeographic: return true
    case .beaconIdentity, .polygonalGeographic, .corridorGeographic, .lineGeographic, .rule: return false
    }
  }

  /// Returns a circle that contains the shape of a geographic condition.
  @inline(__always)
  func bounds(of slot: UInt32) -> Circle { rows[Int(slot)].bounds }

  @inline(__always)
  package func policy(of slot: UInt32) -> TransitionPolicy { policies[rows[Int(slot)].policy] }

  /// Returns the entry margin of a condition's policy, without the effect of the accuracy. This avoids a copy of the
  /// whole policy.
  @inline(__always)
  func entryMargin(of slot: UInt32) -> Double {
    policies.policies[Int(rows[Int(slot)].policy)].entryMargin(size: rows[Int(slot)].size)
  }

  /// Returns the exit margin of a condition's policy, without the effect of the accuracy. This avoids a copy of the
  /// whole policy.
  @inline(__always)
  func exitMargin(of slot: UInt32) -> Double {
    policies.policies[Int(rows[Int(slot)].policy)].exitMargin(size: rows[Int(slot)].size)
  }

  /// Whether a condition's policy has probabilities. This avoids a copy of the whole policy.
  @inline(__always)
  func hasProbability(_ slot: UInt32) -> Bool {
    policies.hasProbabilities && policies.policies[Int(rows[Int(slot)].policy)].hasProbability
  }

  /// Returns the changes for which a condition's policy asks for events. This avoids a copy of the whole policy.
  @inline(__always)
  func notify(of slot: UInt32) -> TransitionPolicy.Notify { policies.policies[Int(rows[Int(slot)].policy)].notify }

  /// Returns the timing of a condition; `nil` if the condition is always active and has no other option of time.
  package func timing(of slot: UInt32) -> ConditionTiming? {
    policies.hasTimings ? policies.timing(rows[Int(slot)].policy) : nil
  }

  /// Returns the band of a condition; `nil` if its height does not matter.
  @inline(__always)
  package func band(of slot: UInt32) -> AltitudeBand? {
    policies.hasBands ? policies.band(rows[Int(slot)].policy) : nil
  }

  /// Returns the slot of the condition with an identifier if its schedule differs from that of a definition.
  @inline(never)
  func slotToRetime(_ definition: Definition, _ identifier: UnsafeBufferPointer<UInt8>) -> UInt32? {
    guard policies.hasTimings || !definition.timing.isNone, let slot = identifiers.slot(of: identifier),
      timing(of: slot)?.schedule != definition.timing.schedule
    else { return nil }
    return slot
  }

  /// Sets the timing of a condition, whose generation stays the same.
  package mutating func retime(_ slot: UInt32, _ timing: ConditionTiming) {
    let before = rows[Int(slot)].policy
    rows[Int(slot)].policy = policies.take(policies[before], timing, policies.band(before) ?? .none)
    policies.release(before)
    notePassable()
  }

  @inline(__always)
  package func tag(of slot: UInt32) -> UInt64 { rows[Int(slot)].tag }

  @inline(__always)
  package func assumed(of slot: UInt32) -> Event.State { rows[Int(slot)].assumed }

  @inline(__always)
  func isOverLimit(_ slot: UInt32) -> Bool { rows[Int(slot)].isOverLimit }

  /// Whether a slot contains a geographic condition.
  @inline(__always)
  func isGeographic(_ slot: UInt32) -> Bool {
    let row = rows[Int(slot)]
    return row.generation != 0 && row.kind.isGeographic
  }

  func beacon(of slot: UInt32) -> BeaconIdentityCondition? { rare[0].beacons[slot] }

  /// Returns the conditions with exactly this beacon identity.
  func slots(of beacon: BeaconIdentityCondition) -> ContiguousArray<UInt32> { rare[0].beaconSlots[beacon] ?? [] }

  /// Returns the slot of the condition with an identifier.
  package func slot(of identifier: String) -> UInt32? {
    var text = identifier
    return text.withUTF8 { identifiers.slot(of: $0) }
  }

  /// Returns the circle, shape or beacon that a condition describes.
  package func subject(of slot: UInt32) -> Definition.Subject {
    switch kind(of: slot) {
    case .circularGeographic: .circle(bounds(of: slot).condition)
    case .beaconIdentity: .beacon(rare[0].beacons[slot]!)
    case .polygonalGeographic: .polygon(shapes[Int(slot)]!)
    case .corridorGeographic: .corridor(shapes[Int(slot)]!)
    case .lineGeographic: .line(shapes[Int(slot)]!)
    case .rule: .rule(rules!.definition(of: slot))
    }
  }

  func definition(of slot: UInt32) -> Definition {
    Definition(
      subject: subject(of: slot), policy: policy(of: slot), tag: tag(of: slot), assumed: assumed(of: slot),
      timing: timing(of: slot) ?? .none, band: band(of: slot) ?? .none)
  }

  /// Adds a condition at the end of the add order. If a condition with the identifier exists, it is replaced.
  package mutating func enter(_ definition: Definition, identifier: UnsafeBufferPointer<UInt8>) {
    if let slot = identifiers.slot(of: identifier) {
      let replaced = generation(of: slot)
      var isOverLimit = isOverLimit(slot)
      let (wasRule, isRule) = (kind(of: slot).isRule, definition.subject.kind.isRule)
      empty(slot)
      fill(slot, definition, nil)
      if wasRule && !isRule { isOverLimit = !limit.enter(slot) }
      rows[Int(slot)].isOverLimit = isOverLimit && !isRule
      changes.append(.entered(slot, replaced: replaced))
      if isRule && !wasRule { giveUpPlace(slot) }
    } else {
      let slot = insert(definition, identifier: identifier, generation: nil)
      if !definition.subject.kind.isRule { rows[Int(slot)].isOverLimit = !limit.enter(slot) }
      changes.append(.entered(slot, replaced: 0))
    }
  }

  /// Removes a condition. The condition that has waited longest under the limit gets its place.
  package mutating func remove(_ slot: UInt32) {
    let left = generation(of: slot)
    let isRule = kind(of: slot).isRule
    empty(slot)
    identifiers.remove(slot: slot)
    rare[0].freeSlots.append(slot)
    changes.append(.left(slot, generation: left))
    if !isRule { giveUpPlace(slot) }
  }

  /// Gives the place of a condition under the limit to the condition that has waited longest.
  @inline(never)
  private mutating func giveUpPlace(_ slot: UInt32) {
    guard let promoted = limit.leave(slot) else { return }
    rows[Int(promoted)].isOverLimit = false
    changes.append(.promoted(promoted))
  }

  /// Drops the changes up to a version, which everybody who follows the table has seen.
  mutating func dropChanges(through version: UInt64) {
    changes.drop(through: version)
  }

  // MARK: - Restoring

  /// Adds a saved condition, and returns its slot.
  mutating func restore(
    _ definition: Definition, identifier: UnsafeBufferPointer<UInt8>, generation: UInt64
  ) -> UInt32 {
    if !definition.subject.kind.isRule { limit.restoreHeld() }
    return insert(definition, identifier: identifier, generation: generation)
  }

  /// Notes that a restored condition waits for a place under the limit.
  ///
  /// - Parameter ticket: The place of the condition among those that wait.
  mutating func restoreWaiting(_ slot: UInt32, ticket: UInt64) {
    rows[Int(slot)].isOverLimit = true
    limit.restoreWaiting(slot, ticket: ticket)
  }

  /// Puts in order who waits under the limit.
  mutating func endRestoring() {
    limit.sortWaiting()
  }

  mutating func startTickets(after ticket: UInt64) {
    limit.startTickets(after: ticket)
  }

  mutating func startGenerations(after generation: UInt64) {
    order.startGenerations(after: generation)
    notePassable()
  }

  // MARK: - Slots

  private mutating func insert(
    _ definition: Definition, identifier: UnsafeBufferPointer<UInt8>, generation: UInt64?
  ) -> UInt32 {
    let slot: UInt32
    if let reused = rare[0].freeSlots.popLast() {
      slot = reused
    } else {
      slot = UInt32(rows.count)
      rows.append(Self.nothing)
    }
    identifiers.insert(identifier, slot: slot)
    fill(slot, definition, generation)
    return slot
  }

  private mutating func notePassable() { passable = policies.hasTimings ? .max : order.lastGeneration }

  private mutating func fill(_ slot: UInt32, _ definition: Definition, _ generation: UInt64?) {
    var row = Self.nothing
    row.kind = definition.subject.kind
    let isAnnounced = definition.isAnnounced
    if let generation {
      order.append(slot, generation: generation, isAnnounced: isAnnounced)
      row.generation = generation
    } else {
      row.generation = order.append(slot, isAnnounced: isAnnounced)
    }
    row.policy = policies.take(definition.policy, definition.timing, definition.band)
    notePassable()
    if isAnnounced, !row.kind.isBeacon, !definition.timing.isNone { lastTracked = row.generation }
    row.tag = definition.tag
    row.assumed = definition.assumed
    switch definition.subject {
    case .circle(let circle):
      row.bounds = Circle(circle)
    case .beacon(let beacon):
      lastBeacon = row.generation
      if isAnnounced { lastAnnouncedBeacon = row.generation }
      rare[0].beacons[slot] = beacon
      rare[0].beaconSlots[beacon, default: []].append(slot)
    case .polygon(let shape), .corridor(let shape), .line(let shape):
      row.bounds = Area.bounds(of: shape)
      while shapes.count <= Int(slot) { shapes.append(nil) }
      shapes[Int(slot)] = shape
    case .rule(let rule):
      if rules == nil { rules = RuleBook() }
      enter(slot, rule)
      rules?.note(
        slot, generation: row.generation, isListed: rule.form == .none || definition.assumed != .unsatisfied)
    }
    rows[Int(slot)] = row
    if rules != nil, !row.kind.isRule {
      enter(slot, nil)
      if !definition.timing.isNone, rules?.part(in: slot) != nil { lastTimedPart = row.generation }
    }
    guard row.kind.isGeographic else { return }
    if row.kind.isLine { lineCount += 1 }
    rows[Int(slot)].size = shape(of: slot).size
    index.insert(slot, centre: row.bounds.centre, reach: row.bounds.reach)
  }

  /// Enters a condition into the book of rules.
  @inline(never)
  private mutating func enter(_ slot: UInt32, _ rule: RuleDefinition?) {
    ownRules()
    guard let rules else { return }
    identifiers.withBytes(of: slot) { rules.enter(slot, $0, rule, identifiers) }
  }

  /// Copies the book of rules before a change if a copy of the table shares it.
  private mutating func ownRules() {
    if !isKnownUniquelyReferenced(&rules), let shared = rules { rules = RuleBook(copying: shared) }
  }

  private mutating func empty(_ slot: UInt32) {
    let row = rows[Int(slot)]
    order.remove(slot)
    if rules != nil {
      ownRules()
      rules?.leave(slot)
      if rules?.ruleCount == 0 { rules = nil }
    }
    policies.release(row.policy)
    notePassable()
    if row.kind.isGeographic { index.remove(slot, centre: row.bounds.centre, reach: row.bounds.reach) }
    if row.kind.isLine { lineCount -= 1 }
    switch row.kind {
    case .circularGeographic, .rule: break
    case .polygonalGeographic, .corridorGeographic, .lineGeographic:
      shapes[Int(slot)] = nil
    case .beaconIdentity:
      if let beacon = rare[0].beacons.removeValue(forKey: slot),
        var slots = rare[0].beaconSlots.removeValue(forKey: beacon)
      {
        slots.removeAll { $0 == slot }
        if !slots.isEmpty { rare[0].beaconSlots[beacon] = slots }
      }
    }
    rows[Int(slot)] = Self.nothing
  }
}

#if FENCEPOST_INVARIANTS
  extension ConditionTable {
    func checkInvariants() throws(Invariant.Broken) {
      try order.checkInvariants()
      let live = rows.indices.lazy.filter { rows[$0].generation != 0 }.map { UInt32($0) }
      try identifiers.checkInvariants(live)
      try policies.checkInvariants(live.map { rows[Int($0)].policy })
      try Invariant.hold(
        live.count == order.count, "the add order has \(order.count) conditions, the table \(live.count)")
      let free = rare[0].freeSlots
      try Invariant.hold(
        Set(free).count == free.count && free.count + live.count == rows.count
          && !free.contains { rows[Int($0)].generation != 0 }, "a slot is free or has a condition")
      try limit.checkInvariants(conditions: count - (rules?.ruleCount ?? 0))
      for slot in order.live {
        try Invariant.hold(
          isOverLimit(slot) == (limit.ticket(of: slot) != nil), "a condition that waits under the limit is marked")
        try Invariant.hold(
          order.next(after: generation(of: slot) - 1) == slot, "a generation belongs to one add")
      }
      try checkKinds(Array(live))
    }

    private func checkKinds(_ live: [UInt32]) throws(Invariant.Broken) {
      var places = 0
      for slot in live {
        let kind = kind(of: slot)
        switch kind {
        case .circularGeographic: try Invariant.hold(rare[0].beacons[slot] == nil, "a circle has no beacon")
        case .polygonalGeographic, .corridorGeographic, .lineGeographic:
          try Invariant.hold(
            Int(slot) < shapes.count && shapes[Int(slot)] != nil, "a polygon, corridor or line has its shape")
        case .beaconIdentity: try Invariant.hold(rare[0].beacons[slot] != nil, "a beacon condition has its beacon")
        case .rule: try Invariant.hold(rules?.name(of: slot) ?? RuleBook.none != RuleBook.none, "a rule is in the book")
        }
        guard kind.isGeographic else { continue }
        try Invariant.hold(rows[Int(slot)].size == shape(of: slot).size, "a row has the size of its shape")
        places += 1
        var hits: ContiguousArray<CapHit> = []
        index.collect(near: bounds(of: slot).centre, within: 0, into: &hits)
        try Invariant.hold(hits.count { $0.id == slot } == 1, "the index finds a shape at its centre, once")
      }
      try Invariant.hold(index.count == places, "the index holds \(index.count) caps for \(places) shapes")
      let areas = live.count { slot in
        switch kind(of: slot) {
        case .circularGeographic, .beaconIdentity, .rule: false
        case .polygonalGeographic, .corridorGeographic, .lineGeographic: true
        }
      }
      try Invariant.hold(
        shapes.count { $0 != nil } == areas, "only polygons, corridors and lines have a shape")
      try Invariant.hold(lineCount == live.count { kind(of: $0).isLine }, "the count of lines, \(lineCount), is right")
      try Invariant.hold(
        rare[0].beacons.count == live.count - places - (rules?.ruleCount ?? 0), "only beacon conditions have a beacon")
      let identities = Dictionary(grouping: rare[0].beacons.keys) { rare[0].beacons[$0] }
      try Invariant.hold(
        identities.count == rare[0].beaconSlots.count
          && rare[0].beaconSlots.allSatisfy {
            Set($1) == Set(identities[$0] ?? []) && $1.count == identities[$0]?.count
          },
        "a beacon's identity leads to its conditions, each once")
      try index.checkInvariants()
    }
  }
#endif
