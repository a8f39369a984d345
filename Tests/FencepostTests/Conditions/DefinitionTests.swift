import FencepostKernel
import Testing

@testable import Fencepost
@testable import FencepostCore

/// Tests which definitions of conditions count as equal, and how definitions are converted to bytes and back.
@Suite struct DefinitionTests {
  private func subject(_ condition: any Condition) throws -> Definition.Subject {
    try GivenCondition(condition).subject()
  }

  /// One definition of each kind, and other definitions that differ from it in one respect.
  private func families() throws -> [(kind: ConditionKind, same: [Definition.Subject], others: [Definition.Subject])] {
    let path = ring(0.001)
    var moved = square()
    moved.exterior[0].latitude += 0.9e-7
    return [
      (
        .circularGeographic, [.circle(circle(100)), .circle(circle(100.4)), .circle(circle(100, latitude: 0.9e-7))],
        [.circle(circle(101)), .circle(circle(100, latitude: 2e-7)), .circle(circle(100, longitude: 1))]
      ),
      (
        .beaconIdentity, [.beacon(BeaconIdentityCondition(uuid: someUUID, major: 1))],
        [
          .beacon(BeaconIdentityCondition(uuid: someUUID)), .beacon(BeaconIdentityCondition(uuid: someUUID, major: 2)),
          .beacon(BeaconIdentityCondition(uuid: someUUID, major: 1, minor: 1)),
        ]
      ),
      (
        .polygonalGeographic, [try subject(square()), try subject(square()), try subject(moved)],
        [
          try subject(square(0.001)), try subject(square(buffer: 1)),
          try subject(square(holes: [ring(0.000_1)])),
        ]
      ),
      (
        .corridorGeographic,
        [
          try subject(CorridorGeographicCondition(path: path, radius: 10)),
          try subject(CorridorGeographicCondition(path: path, radius: 10.4)),
        ],
        [
          try subject(CorridorGeographicCondition(path: path, radius: 11)),
          try subject(CorridorGeographicCondition(path: path, radius: 10, edges: .planar)),
          try subject(CorridorGeographicCondition(path: path.reversed(), radius: 10)),
        ]
      ),
      (
        .lineGeographic,
        [try subject(LineGeographicCondition(path: path)), try subject(LineGeographicCondition(paths: [path]))],
        [
          try subject(LineGeographicCondition(path: path.reversed())),
          try subject(LineGeographicCondition(path: path, edges: .planar)),
          try subject(LineGeographicCondition(paths: [path, path])),
        ]
      ),
      (
        .rule,
        [
          try subject(Rule.any(["a", "b"])), try subject(Rule.any(["b", "a"])),
          try subject(Rule.atLeast(1, of: ["a", "b"])),
        ],
        [
          try subject(Rule.all(["a", "b"])), try subject(Rule.none(["a", "b"])), try subject(Rule.any(["a", "c"])),
          try subject(Rule.any(["a"])),
        ]
      ),
    ]
  }

  @Test func nearlyEqualIsWhatACallerMeans() throws {
    let families = try families()
    #expect(Set(families.map(\.kind)) == Set(ConditionKind.allCases), "each kind is looked at")
    for family in families {
      for one in family.same {
        #expect(one.kind == family.kind)
        for other in family.same { #expect(one.isNearlyEqual(to: other), "\(one) \(other)") }
        for other in family.others {
          #expect(!one.isNearlyEqual(to: other) && !other.isNearlyEqual(to: one), "\(other)")
        }
        for stranger in families where stranger.kind != family.kind {
          #expect(!one.isNearlyEqual(to: stranger.same[0]), "\(one) \(stranger.kind)")
        }
      }
    }
  }

  /// Policy and tag are part of a definition; the state that was assumed when the condition was added is not.
  @Test func whatWasAssumedPlaysNoPart() {
    let base = Definition(subject: .circle(circle(100)), policy: .standard, tag: 7)
    var other = base
    other.assumed = .satisfied
    #expect(base.isNearlyEqual(to: other))
    other.tag = 8
    #expect(!base.isNearlyEqual(to: other))
    other = base
    other.policy = .exact
    #expect(!base.isNearlyEqual(to: other))
    #expect(
      base.isAnnounced && Definition(subject: base.subject, policy: .exact, tag: 0, assumed: .satisfied).isAnnounced)
    #expect(!Definition(subject: base.subject, policy: .exact, tag: 0, assumed: .unsatisfied).isAnnounced)
  }

  /// Two definitions are identical only if their numbers are equal bit for bit; an identical definition is not
  /// validated again.
  @Test func exactlyIsToTheLastBit() throws {
    let given: [any Condition] = [
      circle(100), BeaconIdentityCondition(uuid: someUUID, major: 1), square(),
      CorridorGeographicCondition(path: ring(0.001), radius: 10), LineGeographicCondition(path: ring(0.001)),
    ]
    for (index, condition) in given.enumerated() {
      let subject = try subject(condition)
      for (other, asked) in given.enumerated() {
        #expect(subject.isExactly(try GivenCondition(asked)) == (index == other), "\(index) \(other)")
      }
    }
    #expect(!Definition.Subject.circle(circle(100)).isExactly(.circle(circle(100.0.nextUp))))
    var moved = square()
    moved.exterior[0].latitude = moved.exterior[0].latitude.nextUp
    #expect(try !subject(square()).isExactly(try GivenCondition(moved)))
    var closed = square()
    closed.exterior.append(closed.exterior[0])
    #expect(try subject(square()).isExactly(try GivenCondition(closed)), "a ring may repeat its first vertex")
  }

  @Test func whatIsWrittenComesBack() throws {
    for family in try families() {
      for subject in family.same + family.others {
        var writer = ByteWriter(reserving: 64)
        subject.encode(to: &writer)
        var reader = ByteReader(writer.bytes)
        let again = try Definition.Subject(family.kind, reading: &reader)
        try reader.end()
        var second = ByteWriter(reserving: 64)
        again.encode(to: &second)
        #expect(Array(second.bytes) == Array(writer.bytes) && again.isNearlyEqual(to: subject))
      }
    }
  }

  /// Reading the bytes of a condition as a condition of another kind fails, or gives a valid condition of that other
  /// kind.
  @Test func bytesOfAnotherKindAreRefusedOrSound() throws {
    var refused = 0
    for family in try families() {
      var writer = ByteWriter(reserving: 64)
      family.same[0].encode(to: &writer)
      for kind in ConditionKind.allCases where kind != family.kind {
        var reader = ByteReader(writer.bytes)
        do {
          let subject = try Definition.Subject(kind, reading: &reader)
          #expect(subject.kind == kind)
          if case .circle(let circle) = subject { #expect(circle.defect == nil) }
        } catch { refused += 1 }
      }
    }
    #expect(refused > 6)
    var writer = ByteWriter(reserving: 64)
    circle(-1).encode(to: &writer)
    var reader = ByteReader(writer.bytes)
    #expect(throws: Damage.self) { try Definition.Subject(.circularGeographic, reading: &reader) }
  }
}
