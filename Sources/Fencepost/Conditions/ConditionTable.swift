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

/// What a caller adds: the geometry or identity, with the policy and the tag.
struct Definition: Sendable {
  enum Shape: Sendable {
    case circle(CircularGeographicCondition)
    case beacon(BeaconIdentityCondition)
  }
  var shape: Shape
  var policy: TransitionPolicy
  var tag: UInt64
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
  /// Per slot; `nil` marks a free one.
  private var kinds: ContiguousArray<UInt8> = []
  private(set) var circles: ContiguousArray<CircleGeometry> = []
  private var policyIndices: ContiguousArray<UInt32> = []
  private var tags: ContiguousArray<UInt64> = []
  private var beacons: [UInt32: BeaconIdentityCondition] = [:]
  private var freeSlots: ContiguousArray<UInt32> = []

  private static let nowhere = CircleGeometry(
    CircularGeographicCondition(center: Coordinate(latitude: 0, longitude: 0), radius: 0))

  var count: Int { order.count }
  /// One more than the largest slot in use.
  var slotCount: Int { kinds.count }

  mutating func reserve(_ more: Int, identifierBytes: Int) {
    identifiers.reserve(more, bytes: identifierBytes)
    order.reserve(more)
    index.reserve(more)
    kinds.reserveCapacity(kinds.count + more)
    circles.reserveCapacity(circles.count + more)
    policyIndices.reserveCapacity(policyIndices.count + more)
    tags.reserveCapacity(tags.count + more)
  }

  @inline(__always)
  func kind(of slot: UInt32) -> ConditionKind { kinds[Int(slot)] == 1 ? .circularGeographic : .beaconIdentity }

  @inline(__always)
  func isLive(_ slot: UInt32) -> Bool { kinds[Int(slot)] != 0 }

  @inline(__always)
  func policy(of slot: UInt32) -> TransitionPolicy { policies[policyIndices[Int(slot)]] }

  func tag(of slot: UInt32) -> UInt64 { tags[Int(slot)] }

  func beacon(of slot: UInt32) -> BeaconIdentityCondition? { beacons[slot] }

  func definition(of slot: UInt32) -> Definition {
    let shape: Definition.Shape =
      if let beacon = beacons[slot] { .beacon(beacon) } else { .circle(circles[Int(slot)].condition) }
    return Definition(shape: shape, policy: policy(of: slot), tag: tag(of: slot))
  }

  func condition(of slot: UInt32) -> any Condition {
    if let beacon = beacons[slot] { beacon } else { circles[Int(slot)].condition }
  }

  /// Enters a new condition and returns its slot.
  mutating func insert(_ definition: Definition, identifier: UnsafeBufferPointer<UInt8>) -> UInt32 {
    let slot: UInt32
    if let reused = freeSlots.popLast() {
      slot = reused
    } else {
      slot = UInt32(kinds.count)
      kinds.append(0)
      circles.append(Self.nowhere)
      policyIndices.append(0)
      tags.append(0)
    }
    identifiers.insert(identifier, slot: slot)
    fill(slot, definition)
    return slot
  }

  /// Puts another condition into a slot; it goes to the end of the add order.
  mutating func replace(_ slot: UInt32, _ definition: Definition) {
    empty(slot)
    fill(slot, definition)
  }

  mutating func remove(_ slot: UInt32) {
    empty(slot)
    identifiers.remove(slot: slot)
    freeSlots.append(slot)
  }

  private mutating func fill(_ slot: UInt32, _ definition: Definition) {
    _ = order.append(slot)
    policyIndices[Int(slot)] = policies.take(definition.policy)
    tags[Int(slot)] = definition.tag
    switch definition.shape {
    case .circle(let circle):
      kinds[Int(slot)] = ConditionKind.circularGeographic.rawValue
      let geometry = CircleGeometry(circle)
      circles[Int(slot)] = geometry
      index.insert(slot, centre: geometry.centre, reach: ChordThreshold.approaching(geometry.radius))
    case .beacon(let beacon):
      kinds[Int(slot)] = ConditionKind.beaconIdentity.rawValue
      beacons[slot] = beacon
    }
  }

  private mutating func empty(_ slot: UInt32) {
    order.remove(slot)
    policies.release(policyIndices[Int(slot)])
    switch kind(of: slot) {
    case .circularGeographic:
      let geometry = circles[Int(slot)]
      index.remove(slot, centre: geometry.centre, reach: ChordThreshold.approaching(geometry.radius))
      circles[Int(slot)] = Self.nowhere
    case .beaconIdentity:
      beacons[slot] = nil
    }
    kinds[Int(slot)] = 0
  }
}
