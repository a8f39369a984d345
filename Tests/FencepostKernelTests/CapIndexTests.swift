@testable import FencepostKernel
import Testing

/// Compares the index with a plain list in which every distance is computed.
@Suite struct CapIndexTests {
  // MARK: Worlds

  @Test(arguments: CapWorld.allCases)
  func agreesWithBruteForce(_ world: CapWorld) {
    let salt = world.rawValue.utf8.reduce(UInt64(1)) { $0 &* 31 &+ UInt64($1) }
    var random = SeededGenerator("index, \(world)", salt: salt)
    var subject = CapSubject()
    for step in 0..<3000 {
      // At first the index grows, then insertions and removals balance, and at the end the index shrinks.
      let removing = step < 1500 ? 10 : step < 2500 ? 50 : 90
      if Int(random.next() % 100) < removing, !subject.caps.isEmpty {
        subject.remove(at: Int(random.next() % UInt64(subject.caps.count)))
      } else {
        subject.insert(random.cap(of: world))
      }
      if step % 20 == 0 {
        subject.check(near: random.position(of: world, around: subject.caps), within: random.distance())
      }
    }
    for distance in [0, 1, 1000, 1e5, 1e6, 2e7, .infinity] {
      subject.check(near: random.position(of: world, around: subject.caps), within: distance)
    }
    while !subject.caps.isEmpty { subject.remove(at: Int(random.next() % UInt64(subject.caps.count))) }
    #expect(subject.index.count == 0)
    #expect(subject.index.byteCount < 4096)
    #expect(subject.collect(near: EarthVector(latitude: 0, longitude: 0), within: .infinity).isEmpty)
  }

  @Test func staysRightInACrowd() {
    var random = SeededGenerator("index, stays right in a crowd")
    var subject = CapSubject()
    for _ in 0..<20_000 { subject.insert(random.cap(of: .clustered)) }
    for _ in 0..<300 {
      subject.check(near: random.position(of: .clustered, around: subject.caps), within: random.distance())
    }
    for _ in 0..<19_000 { subject.remove(at: Int(random.next() % UInt64(subject.caps.count))) }
    for _ in 0..<100 {
      subject.check(near: random.position(of: .clustered, around: subject.caps), within: random.distance())
    }
  }

  /// A bug in the tree's structure would lose results or return removed caps.
  @Test func treeKeepsItsInvariants() throws {
    var random = SeededGenerator("index, tree keeps its invariants")
    for world in CapWorld.allCases {
      var subject = CapSubject()
      for step in 0..<4000 {
        if random.next() % 5 < (step < 2000 ? 1 : 3), !subject.caps.isEmpty {
          subject.remove(at: Int(random.next() % UInt64(subject.caps.count)))
        } else {
          subject.insert(random.cap(of: world))
        }
        if step % 500 == 499 { try subject.checkTree() }
      }
    }
  }

  // MARK: Borders

  /// A search finds a cap if the position is within `reach + distance` of the cap's centre, and not beyond that length
  /// plus a small tolerance.
  @Test func comparisonIsTight() {
    var random = SeededGenerator("index, comparison is tight")
    for exponent in 0...23 {
      let reach = Double(1 << exponent) * 0.7
      for _ in 0..<40 {
        let centre = random.anywhere()
        let away = random.anywhere()
        let distance = random.next() % 2 == 0 ? 0 : reach * random.uniform(0...1)
        let chord = centre.squaredChord(to: away).squareRoot()
        // The test needs only the length of the chord, so the point may lie on the straight line from `centre` through
        // `away` instead of on the surface.
        func point(_ length: Double) -> EarthVector {
          let part = length / chord
          return EarthVector(
            x: centre.x + (away.x - centre.x) * part, y: centre.y + (away.y - centre.y) * part,
            z: centre.z + (away.z - centre.z) * part)
        }
        var index = CapIndex()
        index.insert(5, centre: centre, reach: reach)
        var ids = ContiguousArray<UInt32>()
        index.collectIDs(near: point((reach + distance) * (1 - 1e-12) - 1e-7), within: distance, into: &ids)
        #expect(ids == [5], "reach \(reach) distance \(distance)")
        ids = []
        index.collectIDs(near: point(tolerated(reach, distance) + 1e-6), within: distance, into: &ids)
        #expect(ids.isEmpty, "reach \(reach) distance \(distance)")
      }
    }
  }

  /// Even in a crowd of caps at the lowest level, a search from just inside the border of a cap finds the cap.
  @Test func comparisonIsTightInACrowd() {
    var random = SeededGenerator("index, comparison is tight in a crowd")
    var subject = CapSubject()
    for _ in 0..<2000 {
      let place = EarthVector(
        latitude: 45 + random.uniform(-0.002...0.002), longitude: 7 + random.uniform(-0.002...0.002))
      subject.insert((place, random.uniform(5...60)))
    }
    var hasLowest = false
    subject.index.nodes.forEach { if $0.key >> 57 == 1 && $0.count > 0 { hasLowest = true } }
    #expect(hasLowest)
    for (number, cap) in subject.caps.enumerated() where number % 16 == 0 {
      var way = SIMD3(random.uniform(-1...1), random.uniform(-1...1), random.uniform(-1...1))
      way *= (cap.reach - 1e-7) / (way * way).sum().squareRoot()
      let border = EarthVector(x: cap.centre.x + way.x, y: cap.centre.y + way.y, z: cap.centre.z + way.z)
      subject.check(near: border, within: 0)
      #expect(subject.collect(near: border, within: 0).contains(cap.id))
    }
  }

  @Test func infiniteReachIsAlwaysNear() {
    var index = CapIndex()
    let centre = EarthVector(latitude: 10, longitude: 20)
    index.insert(1, centre: centre, reach: .infinity)
    index.insert(2, centre: centre, reach: 1e12)
    index.insert(3, centre: centre, reach: 1)
    var ids = ContiguousArray<UInt32>([9])
    index.collectIDs(near: EarthVector(latitude: -10, longitude: -160), within: 0, into: &ids)
    #expect(ids.sorted() == [1, 2, 9])
    index.remove(1, centre: centre, reach: .infinity)
    #expect(index.count == 2)
    ids = []
    index.collectIDs(near: centre, within: .infinity, into: &ids)
    #expect(ids.sorted() == [2, 3])
  }

  @Test func copiesAreIndependent() {
    var random = SeededGenerator("index, copies are independent")
    var original = CapSubject()
    for _ in 0..<2000 { original.insert(random.cap(of: .mixed)) }
    var fork = original
    for _ in 0..<1000 { fork.remove(at: Int(random.next() % UInt64(fork.caps.count))) }
    for _ in 0..<300 { fork.insert(random.cap(of: .mixed)) }
    for _ in 0..<500 { original.insert(random.cap(of: .mixed)) }
    for _ in 0..<100 {
      let position = random.position(of: .mixed, around: original.caps)
      let distance = random.distance()
      original.check(near: position, within: distance)
      fork.check(near: position, within: distance)
    }
  }

  @Test func sameCallsGiveTheSameOrder() {
    func run() -> ContiguousArray<UInt32> {
      var random = SeededGenerator("index, same calls give the same order")
      var subject = CapSubject()
      for step in 0..<3000 {
        subject.insert(random.cap(of: .clustered))
        if step % 3 == 0 { subject.remove(at: Int(random.next() % UInt64(subject.caps.count))) }
      }
      return subject.collect(near: EarthVector(latitude: 48, longitude: 11), within: 1e5)
    }
    let first = run()
    #expect(!first.isEmpty)
    #expect(first == run())
  }

  // MARK: Removal and memory

  @Test func unknownCapsAreNotRemoved() {
    var index = CapIndex()
    let centre = EarthVector(latitude: 1, longitude: 2)
    index.remove(1, centre: centre, reach: 5)
    index.remove(1, centre: centre, reach: .infinity)
    index.insert(1, centre: centre, reach: 5)
    index.remove(2, centre: centre, reach: 5)
    index.remove(1, centre: EarthVector(latitude: 50, longitude: 2), reach: 5)
    index.remove(1, centre: centre, reach: 5e6)
    index.remove(1, centre: centre, reach: .infinity)
    #expect(index.count == 1)
    index.remove(1, centre: centre, reach: 5)
    #expect(index.count == 0)
  }

  @Test func storageIsReused() throws {
    var random = SeededGenerator("index, storage is reused")
    var subject = CapSubject()
    for _ in 0..<5000 { subject.insert(random.cap(of: .clustered)) }
    for _ in 0..<5000 {
      subject.remove(at: Int(random.next() % UInt64(subject.caps.count)))
      subject.insert(random.cap(of: .clustered))
    }
    let bytes = subject.index.byteCount
    for _ in 0..<30_000 {
      subject.remove(at: Int(random.next() % UInt64(subject.caps.count)))
      subject.insert(random.cap(of: .clustered))
    }
    #expect(subject.index.byteCount <= bytes * 2)
    try subject.checkTree()
  }

  @Test func reservingChangesNothing() {
    var index = CapIndex()
    index.reserve(-5)
    index.reserve(1000)
    let centre = EarthVector(latitude: 1, longitude: 2)
    index.insert(1, centre: centre, reach: 5)
    index.reserve(2)
    var ids = ContiguousArray<UInt32>()
    index.collectIDs(near: centre, within: 0, into: &ids)
    #expect(ids == [1])
    #expect(index.count == 1)
  }

  // MARK: Hostile values

  @Test func nothingTraps() {
    let values: [Double] = [
      0, -0.0, 1, -1, 6.4e6, -6.4e6, 1.6e7, -1.7e7, 1e30, -1e300, .leastNonzeroMagnitude, .greatestFiniteMagnitude,
      .infinity, -.infinity, .nan, .signalingNaN, -.nan,
    ]
    var random = SeededGenerator("index, nothing traps")
    func any() -> Double { values[Int(random.next() % UInt64(values.count))] }
    var caps: [(EarthVector, Double)] = []
    var index = CapIndex()
    for id in 0..<3000 {
      let cap = (EarthVector(x: any(), y: any(), z: any()), any())
      caps.append(cap)
      index.insert(UInt32(id), centre: cap.0, reach: cap.1)
      #expect(index.count == id + 1)
    }
    for _ in 0..<500 {
      var ids = ContiguousArray<UInt32>()
      let position = EarthVector(x: any(), y: any(), z: any())
      let distance = any()
      index.collectIDs(near: position, within: distance, into: &ids)
      let found = Set(ids)
      #expect(found.count == ids.count)
      guard distance >= 0 else {
        #expect(ids.isEmpty)
        continue
      }
      for (id, cap) in caps.enumerated() {
        let limit = cap.1 + distance
        // Squares of such values overflow; the result does not matter, only that the call ends.
        guard position.squaredChord(to: cap.0).isFinite, limit.isFinite, limit * limit < .infinity else { continue }
        if position.squaredChord(to: cap.0).squareRoot() <= limit { #expect(found.contains(UInt32(id))) }
      }
    }
    for (id, cap) in caps.enumerated() { index.remove(UInt32(id), centre: cap.0, reach: cap.1) }
    #expect(index.count == 0)
    #expect(index.byteCount < 4096)
  }

  /// `leastSlack` returns −∞ for a position with a coordinate that is NaN, infinite or far from the Earth.
  @Test func theLeastSlackOfNowhere() {
    var index = CapIndex()
    for id in 0..<300 {
      index.insert(
        UInt32(id), centre: EarthVector(latitude: Double(id % 18) * 10 - 85, longitude: Double(id) - 150), reach: 5e5)
    }
    let here = EarthVector(latitude: 5, longitude: 7)
    #expect(index.leastSlack(near: here, within: 1e6, except: SIMD16(), count: 0) < 1e6)
    for hostile in [Double.nan, -.nan, .infinity, -.infinity, 1e300, -1e9] {
      for position in [
        EarthVector(x: hostile, y: here.y, z: here.z), EarthVector(x: here.x, y: hostile, z: here.z),
        EarthVector(x: here.x, y: here.y, z: hostile), EarthVector(x: hostile, y: hostile, z: hostile),
      ] {
        #expect(index.leastSlack(near: position, within: 1e6, except: SIMD16(), count: 0) == -.infinity)
      }
      if !(hostile > 0) {
        #expect(index.leastSlack(near: here, within: hostile, except: SIMD16(), count: 0) == -.infinity)
      }
    }
  }
}
