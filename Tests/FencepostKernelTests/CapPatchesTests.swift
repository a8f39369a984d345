@testable import FencepostKernel
import TestSupport
import Testing

/// Compares the answers from the patches of an index with the answers from a plain list of caps.
@Suite struct CapPatchesTests {
  private static func asked(_ patches: inout CapPatches, _ subject: CapSubject, at position: EarthVector) -> CapPatches
    .Place?
  {
    let caps = Dictionary(subject.caps.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    return patches.place(of: position)
      ?? patches.makePlace(of: position, subject.index) { (caps[$0]!.centre, caps[$0]!.reach) }
  }

  /// Returns by how much a computed slack may be smaller than the true slack. The allowed difference grows with the
  /// size of the cap, because single precision is coarser for larger numbers.
  private static func tolerated(_ cap: CapSubject.Cap, _ chord: Double) -> Double {
    0.02 + (cap.reach + chord) * 0x1p-18
  }

  private static func check(
    _ patches: CapPatches, _ subject: CapSubject, _ place: CapPatches.Place, at position: EarthVector,
    _ random: inout SeededGenerator
  ) {
    let chords = subject.caps.map { $0.centre.squaredChord(to: position).squareRoot() }
    let nearest = subject.caps.indices.sorted {
      chords[$0] - subject.caps[$0].reach < chords[$1] - subject.caps[$1].reach
    }
    let count = min(random.integer(0...4), nearest.count)
    var excepted = SIMD16<UInt32>(repeating: .max)
    for index in 0..<count { excepted[index] = subject.caps[nearest[index]].id }
    let distance = random.uniform(0...place.margin)
    let found = patches.nearest(at: place, within: distance, except: excepted, count: count)
    let others = nearest.dropFirst(count).map { index in
      (
        id: subject.caps[index].id, slack: chords[index] - subject.caps[index].reach,
        tolerated: Self.tolerated(subject.caps[index], chords[index])
      )
    }
    // The tolerance grows with the size of a cap, so a cap that is not the nearest may have the smallest lower bound.
    let least = others.map { $0.slack - $0.tolerated }.sorted()
    #expect(found.slack <= min(distance, others.first?.slack ?? .infinity))
    #expect(found.slack >= min(distance, least.first ?? .infinity) - distance * 1e-6)
    #expect(found.next >= found.slack)
    #expect(found.next >= min(distance, least.dropFirst().first ?? .infinity) - distance * 1e-6)
    for other in others where other.id != found.id { #expect(found.next <= min(distance, other.slack)) }
    #expect(found.id == .max ? found.slack == found.next : others.contains { $0.id == found.id })
    var hits: ContiguousArray<CapHit> = []
    patches.collect(at: place, within: distance, into: &hits)
    let ids = Set(hits.map(\.id))
    #expect(ids.count == hits.count)
    for (cap, chord) in zip(subject.caps, chords) {
      if chord - cap.reach <= distance { #expect(ids.contains(cap.id)) }
    }
    for hit in hits {
      let index = subject.caps.firstIndex { $0.id == hit.id }!
      #expect(Double(hit.slack) <= chords[index] - subject.caps[index].reach)
    }
  }

  @Test(arguments: CapWorld.allCases) func aPatchSaysWhatTheListSays(_ world: CapWorld) {
    let salt = world.rawValue.utf8.reduce(UInt64(11)) { $0 &* 31 &+ UInt64($1) }
    var random = SeededGenerator("patches, \(world)", salt: salt)
    var subject = CapSubject()
    var patches = CapPatches()
    var answered = 0
    var version: UInt64 = 0
    for _ in 0..<60 {
      for _ in 0..<random.integer(1...12) {
        if random.next() % 3 == 0, !subject.caps.isEmpty {
          subject.remove(at: Int(random.next() % UInt64(subject.caps.count)))
        } else {
          let cap = random.cap(of: world)
          // Patches do not contain a cap that is too large for any cube; only the index contains it.
          if cap.1.isFinite, cap.1 < 1e7 { subject.insert(cap) }
        }
        version += 1
      }
      patches.keepUp(with: subject.index.count, version: version)
      for _ in 0..<6 {
        let position = random.position(of: world, around: subject.caps)
        guard let place = Self.asked(&patches, subject, at: position) else { continue }
        answered += 1
        Self.check(patches, subject, place, at: position, &random)
      }
    }
    // For a while after a change of the index, queries search the index instead of creating patches.
    #expect(answered > 0 || world == .identical || world == .concentric || world == .huge)
  }

  /// In areas with very many caps, cubes are small or have no patch. Wherever there is a patch, it must find every cap.
  @Test func aWalkThroughACrowd() {
    var random = SeededGenerator("patches, a walk")
    var subject = CapSubject()
    let home = EarthVector(latitude: 48, longitude: 11)
    func near(_ spread: Double) -> EarthVector {
      EarthVector(latitude: 48 + random.uniform(-spread...spread), longitude: 11 + random.uniform(-spread...spread))
    }
    for _ in 0..<300 { subject.insert((near(0.01), random.uniform(10...300))) }
    for _ in 0..<200 { subject.insert((near(0.3), random.uniform(10...3_000))) }
    for _ in 0..<200 { subject.insert((home, 20)) }
    var patches = CapPatches()
    patches.keepUp(with: subject.index.count, version: 1)
    var (found, refused) = (0, 0)
    for step in 0..<300 {
      let position = step == 0 ? home : near(0.1)
      guard let place = Self.asked(&patches, subject, at: position) else {
        refused += 1
        continue
      }
      found += 1
      Self.check(patches, subject, place, at: position, &random)
    }
    #expect(found > 100 && refused > 0)
    #expect(patches.byteCount < 4_000_000)
    // After a change, the cache is empty. Queries then search the index, until there have been enough of them to
    // justify a new patch.
    patches.keepUp(with: subject.index.count, version: 2)
    #expect(patches.place(of: near(0.1)) == nil && patches.byteCount == 0)
    #expect(Self.asked(&patches, subject, at: near(0.1)) == nil)
  }

  /// A small cube that contains many caps still gets a patch, but the patch extends less far around the cube.
  @Test func aPatchAmongManyCapsIsNarrow() {
    var random = SeededGenerator("patches, narrow")
    var subject = CapSubject()
    // The area is 4 km by 4 km, with 12 caps per square kilometre.
    func near() -> EarthVector {
      EarthVector(latitude: 48 + random.uniform(-0.018...0.018), longitude: 11 + random.uniform(-0.027...0.027))
    }
    for _ in 0..<190 { subject.insert((near(), random.uniform(50...200))) }
    var patches = CapPatches()
    patches.keepUp(with: subject.index.count, version: 1)
    var margins: Set<Double> = []
    for _ in 0..<300 {
      guard let place = Self.asked(&patches, subject, at: near()) else { continue }
      margins.insert(place.margin)
    }
    #expect(margins.contains(256) && margins.isSubset(of: [256, 512]))
    for _ in 0..<300 {
      let position = near()
      guard let place = patches.place(of: position) else { continue }
      Self.check(patches, subject, place, at: position, &random)
    }
  }

  @Test func whatIsNoPlaceHasNoPatch() {
    var subject = CapSubject()
    subject.insert((EarthVector(latitude: 1, longitude: 2), 50))
    var patches = CapPatches()
    patches.keepUp(with: 1, version: 1)
    let nan = Double.nan
    for position in [
      EarthVector(x: nan, y: 0, z: 0), EarthVector(x: 0, y: .infinity, z: 0), EarthVector(x: 0, y: 0, z: -1e300),
      EarthVector(x: 0x1p23, y: 0, z: 0),
    ] {
      #expect(Self.asked(&patches, subject, at: position) == nil)
    }
    #expect(patches.byteCount == 0)
    // Patches do not contain a cap that is too large for any cube; only the index contains it.
    subject.insert((EarthVector(x: 0, y: 0, z: 0), .infinity))
    patches.keepUp(with: 2, version: 2)
    #expect(Self.asked(&patches, subject, at: EarthVector(latitude: 1, longitude: 2)) == nil)
  }

  /// However far devices travel, the number of patches is limited.
  @Test func whatIsKeptHasABound() {
    var random = SeededGenerator("patches, the bound")
    var subject = CapSubject()
    for _ in 0..<60 { subject.insert((EarthVector(latitude: 10, longitude: 10), 2_000_000)) }
    var patches = CapPatches()
    patches.keepUp(with: subject.index.count, version: 1)
    var most = 0
    for _ in 0..<16_000 {
      let position = EarthVector(latitude: random.uniform(2...18), longitude: random.uniform(2...18))
      #expect(Self.asked(&patches, subject, at: position) != nil)
      most = max(most, patches.byteCount)
    }
    #expect(most > 5_000_000 && most < 25_000_000)
  }
}
