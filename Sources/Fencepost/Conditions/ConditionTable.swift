import FencepostKernel

/// A circle as the detectors need it.
struct CircleGeometry: Sendable {
  var centre: EarthVector
  var latitude: Double
  var longitude: Double
  var radius: Double

  init(_ condition: CircularGeographicCondition) {
    centre = EarthVector(latitude: condition.center.latitude, longitude: condition.center.longitude)
    latitude = condition.center.latitude
    longitude = condition.center.longitude
    radius = condition.radius
  }

  var condition: CircularGeographicCondition {
    CircularGeographicCondition(center: Coordinate(latitude: latitude, longitude: longitude), radius: radius)
  }
}

/// What the table holds of a condition. One row is read for each step of an event: it is kept together, since with
/// many conditions each array that is touched costs a trip to memory.
struct ConditionRow: Sendable {
  /// Of a circle; of a beacon anywhere.
  var circle: CircleGeometry
  /// 0 marks a free row.
  var generation: UInt64 = 0
  var tag: UInt64 = 0
  var policy: UInt32 = 0
  var kind: ConditionKind = .circularGeographic
}

/// The definitions of all conditions and the spatial index over the circles.
///
/// It knows nothing of devices, states or events: many trackers could share one table. A condition is known by
/// its slot, a small number that is used again after the condition is removed; a replacement keeps the slot.
struct ConditionTable: Sendable {
  private(set) var identifiers = IdentifierTable()
  private(set) var order = AddOrder()
  private(set) var policies = PolicyTable()
  private(set) var index = CapIndex()
  private(set) var rows: ContiguousArray<ConditionRow> = []
  private var beacons: [UInt32: BeaconIdentityCondition] = [:]
  private var freeSlots: ContiguousArray<UInt32> = []

  private static let nowhere = CircleGeometry(
    CircularGeographicCondition(center: Coordinate(latitude: 0, longitude: 0), radius: 0))

  var count: Int { order.count }
  mutating func reserve(_ more: Int, identifierBytes: Int) {
    identifiers.reserve(more, bytes: identifierBytes)
    order.reserve(more)
    index.reserve(more)
    rows.reserveCapacity(rows.count + more)
  }

  @inline(__always)
  func kind(of slot: UInt32) -> ConditionKind { rows[Int(slot)].kind }

  @inline(__always)
  func isLive(_ slot: UInt32) -> Bool { rows[Int(slot)].generation != 0 }

  @inline(__always)
  func generation(of slot: UInt32) -> UInt64 { rows[Int(slot)].generation }

  @inline(__always)
  func circle(of slot: UInt32) -> CircleGeometry { rows[Int(slot)].circle }

  @inline(__always)
  func policy(of slot: UInt32) -> TransitionPolicy { policies[rows[Int(slot)].policy] }

  /// Of the policy; spares a copy of the whole.
  @inline(__always)
  func entryMargin(of slot: UInt32) -> Double { policies.policies[Int(rows[Int(slot)].policy)].entryMargin }

  /// Of the policy; spares a copy of the whole.
  @inline(__always)
  func notify(of slot: UInt32) -> TransitionPolicy.Notify { policies.policies[Int(rows[Int(slot)].policy)].notify }

  @inline(__always)
  func tag(of slot: UInt32) -> UInt64 { rows[Int(slot)].tag }

  func beacon(of slot: UInt32) -> BeaconIdentityCondition? { beacons[slot] }

  func definition(of slot: UInt32) -> Definition {
    let shape: Definition.Shape =
      if let beacon = beacons[slot] { .beacon(beacon) } else { .circle(circle(of: slot).condition) }
    return Definition(shape: shape, policy: policy(of: slot), tag: tag(of: slot))
  }

  func condition(of slot: UInt32) -> any Condition {
    if let beacon = beacons[slot] { beacon } else { circle(of: slot).condition }
  }

  /// Enters a new condition and returns its slot.
  ///
  /// - Parameter generation: That of a condition that is restored; else it gets the next one.
  mutating func insert(
    _ definition: Definition, identifier: UnsafeBufferPointer<UInt8>, generation: UInt64? = nil
  ) -> UInt32 {
    let slot: UInt32
    if let reused = freeSlots.popLast() {
      slot = reused
    } else {
      slot = UInt32(rows.count)
      rows.append(ConditionRow(circle: Self.nowhere))
    }
    identifiers.insert(identifier, slot: slot)
    fill(slot, definition, generation)
    return slot
  }

  /// Puts another condition into a slot; it goes to the end of the add order.
  mutating func replace(_ slot: UInt32, _ definition: Definition) {
    empty(slot)
    fill(slot, definition, nil)
  }

  mutating func remove(_ slot: UInt32) {
    empty(slot)
    identifiers.remove(slot: slot)
    freeSlots.append(slot)
  }

  mutating func startGenerations(after generation: UInt64) {
    order.startGenerations(after: generation)
  }

  private mutating func fill(_ slot: UInt32, _ definition: Definition, _ generation: UInt64?) {
    var row = ConditionRow(circle: Self.nowhere)
    if let generation {
      order.append(slot, generation: generation)
      row.generation = generation
    } else {
      row.generation = order.append(slot)
    }
    row.policy = policies.take(definition.policy)
    row.tag = definition.tag
    switch definition.shape {
    case .circle(let circle):
      row.circle = CircleGeometry(circle)
      index.insert(slot, centre: row.circle.centre, reach: ChordThreshold.approaching(circle.radius))
    case .beacon(let beacon):
      row.kind = .beaconIdentity
      beacons[slot] = beacon
    }
    rows[Int(slot)] = row
  }

  private mutating func empty(_ slot: UInt32) {
    let row = rows[Int(slot)]
    order.remove(slot)
    policies.release(row.policy)
    switch row.kind {
    case .circularGeographic:
      index.remove(slot, centre: row.circle.centre, reach: ChordThreshold.approaching(row.circle.radius))
    case .beaconIdentity:
      beacons[slot] = nil
    }
    rows[Int(slot)] = ConditionRow(circle: Self.nowhere)
  }
}

#if FENCEPOST_INVARIANTS
  extension ConditionTable {
    func checkInvariants() throws(Invariant.Broken) {
      try order.checkInvariants()
      let live = rows.indices.lazy.filter { rows[$0].generation != 0 }.map { UInt32($0) }
      try identifiers.checkInvariants(live)
      try policies.checkInvariants(live.map { rows[Int($0)].policy })
      try Invariant.hold(live.count == order.count, "\(order.count) conditions are in order, \(live.count) are there")
      try Invariant.hold(
        Set(freeSlots).count == freeSlots.count && freeSlots.count + live.count == rows.count
          && !freeSlots.contains { rows[Int($0)].generation != 0 }, "a slot is free or has a condition")
      for slot in order.slots where slot != AddOrder.gap {
        try Invariant.hold(
          order.next(after: generation(of: slot) - 1) == slot, "a generation belongs to one add")
      }
      try checkKinds(Array(live))
    }

    private func checkKinds(_ live: [UInt32]) throws(Invariant.Broken) {
      var circles = 0
      for slot in live {
        switch kind(of: slot) {
        case .circularGeographic:
          circles += 1
          try Invariant.hold(beacons[slot] == nil, "a circle is no beacon")
          var hits: ContiguousArray<CapHit> = []
          index.collect(near: circle(of: slot).centre, within: 0, into: &hits)
          try Invariant.hold(hits.count { $0.id == slot } == 1, "the index finds a circle at its centre, once")
        case .beaconIdentity:
          try Invariant.hold(beacons[slot] != nil, "a beacon condition has its beacon")
        }
      }
      try Invariant.hold(index.count == circles, "the index holds \(index.count) caps for \(circles) circles")
      try Invariant.hold(beacons.count == live.count - circles, "only beacon conditions have a beacon")
      try index.checkInvariants()
    }
  }
#endif
