@testable import FencepostKernel
import TestSupport
import Testing

/// Compares the lists of the caps near many positions with lists that are computed without an index.
@Suite struct NearCapsTests {
  private let bend = ChordThreshold.bend

  /// Checks that the list of near caps contains every cap that contains the position. A cap may be listed as certain
  /// only if it contains the position even with its reach r shortened to r - `bend` r³. Finite caps that are far from
  /// the position must not be listed.
  private func check(
    _ near: inout NearCaps, _ subject: CapSubject, at position: EarthVector, radius: Double,
    names: [UInt32: UInt32]? = nil
  ) {
    let (certain, possible) = near.find(at: position)
    let (within, perhaps) = (Set(certain), Set(possible))
    #expect(within.count == certain.count && perhaps.count == possible.count && within.isDisjoint(with: perhaps))
    var mistakes = 0
    for cap in subject.caps {
      let id = names?[cap.id] ?? cap.id
      let chord = cap.centre.squaredChord(to: position).squareRoot()
      if chord <= cap.reach, !within.contains(id), !perhaps.contains(id) { mistakes += 1 }
      if within.contains(id), chord > cap.reach - bend * cap.reach * cap.reach * cap.reach { mistakes += 1 }
      if cap.reach.isFinite, chord > tolerated(cap.reach, 0) + 1e-5 * (radius + cap.reach) + 20, perhaps.contains(id) {
        mistakes += 1
      }
      // If a position is well within a small cap, that cap must be listed as certain to contain the position.
      if cap.reach < 1e5, chord < 0.9 * cap.reach - 0.5 - 1e-5 * radius, !within.contains(id) { mistakes += 1 }
    }
    #expect(mistakes == 0, "at \(position), within \(radius)")
  }

  private func positions(_ random: inout SeededGenerator, around centre: EarthVector, within radius: Double)
    -> [EarthVector]
  {
    (0..<12).map { index in
      guard index > 0, radius > 0 else { return centre }
      // The last four points are slightly inside the sphere.
      let length = index < 8 ? radius * random.uniform(0...1) : radius * (1 - 1e-12)
      var way = SIMD3(random.uniform(-1...1), random.uniform(-1...1), random.uniform(-1...1))
      way *= length / max(1e-3, (way * way).sum().squareRoot())
      return EarthVector(x: centre.x + way.x, y: centre.y + way.y, z: centre.z + way.z)
    }
  }

  @Test(arguments: CapWorld.allCases) func tellsWhatTheListSays(_ world: CapWorld) {
    let salt = world.rawValue.utf8.reduce(UInt64(17)) { $0 &* 31 &+ UInt64($1) }
    var random = SeededGenerator("near caps, \(world)", salt: salt)
    var subject = CapSubject()
    var near = NearCaps()
    for step in 0..<900 {
      if step > 600, random.chance(0.8) {
        subject.remove(at: random.integer(0...subject.caps.count - 1))
      } else {
        subject.insert(random.cap(of: world))
      }
      guard step % 20 == 0 || subject.caps.isEmpty else { continue }
      let centre = random.position(of: world, around: subject.caps)
      let radius = random.chance(0.3) ? 0 : random.logarithmic(1e-3, random.chance(0.2) ? 6e6 : 2e4)
      subject.index.gather(around: centre, within: radius, bend: bend, into: &near)
      for position in positions(&random, around: centre, within: radius) {
        check(&near, subject, at: position, radius: radius)
      }
    }
  }

  /// Replaces the ids of the caps, and later lists all caps as uncertain.
  @Test func namesAreReturned() {
    var random = SeededGenerator("names of near caps")
    var subject = CapSubject()
    for _ in 0..<3_001 { subject.insert(random.cap(of: .clustered)) }
    let names = Dictionary(uniqueKeysWithValues: subject.caps.enumerated().map { ($1.id, UInt32($0)) })
    var near = NearCaps()
    for _ in 0..<30 {
      let centre = random.position(of: .clustered, around: subject.caps)
      subject.index.gather(around: centre, within: 500, bend: bend, into: &near)
      near.rename { (names[$0]!, true) }
      for position in positions(&random, around: centre, within: 500) {
        check(&near, subject, at: position, radius: 500, names: names)
      }
      subject.index.gather(around: centre, within: 500, bend: bend, into: &near)
      let all = Set(near.find(at: centre).certain).union(near.find(at: centre).possible)
      near.rename { ($0, false) }
      let (certain, possible) = near.find(at: centre)
      #expect(certain.isEmpty && Set(possible) == all)
    }
  }

  @Test func nothingIsNearInAnEmptyIndex() {
    var near = NearCaps()
    let here = EarthVector(latitude: 1, longitude: 2)
    CapIndex().gather(around: here, within: 1e6, bend: bend, into: &near)
    #expect(near.count == 0 && near.find(at: here).certain.isEmpty && near.find(at: here).possible.isEmpty)
  }
}
