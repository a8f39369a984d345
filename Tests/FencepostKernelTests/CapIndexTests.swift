import FencepostKernel
import Testing

/// The index against a plain list that is measured in full.
@Suite struct CapIndexTests {
  // MARK: Worlds

  enum World: String, CaseIterable {
    case uniform, clustered, nested, concentric, identical, tiny, huge, poles, antimeridian, antipodes, mixed
  }

  @Test(arguments: World.allCases)
  func agreesWithBruteForce(_ world: World) {
    let seed = UInt64(truncatingIfNeeded: 0x5EED_0001 &+ world.rawValue.utf8.reduce(0) { $0 &* 31 &+ Int($1) })
    print("CapIndexTests \(world) seed \(seed)")
    var random = SplitMix(state: seed)
    var subject = Subject()
    for step in 0..<3000 {
      // Grows, then churns, then shrinks.
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
    let seed: UInt64 = 20_250_901
    print("CapIndexTests crowd seed \(seed)")
    var random = SplitMix(state: seed)
    var subject = Subject()
    for _ in 0..<20_000 { subject.insert(random.cap(of: .clustered)) }
    for _ in 0..<300 {
      subject.check(near: random.position(of: .clustered, around: subject.caps), within: random.distance())
    }
    for _ in 0..<19_000 { subject.remove(at: Int(random.next() % UInt64(subject.caps.count))) }
    for _ in 0..<100 {
      subject.check(near: random.position(of: .clustered, around: subject.caps), within: random.distance())
    }
  }

  /// A bug in the shape of the tree shows as a result that is lost or kept too long.
  @Test func treeKeepsItsInvariants() {
    let seed: UInt64 = 4711
    print("CapIndexTests invariants seed \(seed)")
    var random = SplitMix(state: seed)
    for world in World.allCases {
      var subject = Subject()
      for step in 0..<4000 {
        if random.next() % 5 < (step < 2000 ? 1 : 3), !subject.caps.isEmpty {
          subject.remove(at: Int(random.next() % UInt64(subject.caps.count)))
        } else {
          subject.insert(random.cap(of: world))
        }
        if step % 500 == 499 { subject.checkTree() }
      }
    }
  }

  // MARK: The nearest first

  /// With a limit that follows the k-th best, the k caps of least slack are among those visited.
  @Test(arguments: World.allCases)
  func visitsTheNearest(_ world: World) {
    let seed = UInt64(truncatingIfNeeded: 0x5EED_0002 &+ world.rawValue.utf8.reduce(0) { $0 &* 31 &+ Int($1) })
    print("CapIndexTests nearest \(world) seed \(seed)")
    var random = SplitMix(state: seed)
    var subject = Subject()
    for step in 0..<3000 {
      if random.next() % 4 == 0, !subject.caps.isEmpty {
        subject.remove(at: Int(random.next() % UInt64(subject.caps.count)))
      } else {
        subject.insert(random.cap(of: world))
      }
      if step % 40 == 0 {
        let position = random.position(of: world, around: subject.caps)
        subject.checkNearest(to: position, 1 + Int(random.next() % 30))
      }
    }
  }

  @Test func visitsFewOfMany() {
    var random = SplitMix(state: 2024)
    var subject = Subject()
    for _ in 0..<20_000 { subject.insert((random.anywhere(), 100)) }
    var visited = 0
    let position = random.anywhere()
    var nearest: [Double] = []
    subject.index.visitNearest(to: position) { _, slack in
      visited += 1
      nearest = Array((nearest + [slack]).sorted().prefix(20))
      return nearest.count == 20 ? nearest[19] : .infinity
    }
    #expect(visited < 1_000, "\(visited) visited")
    subject.index.visitNearest(to: EarthVector(x: .nan, y: 0, z: 0)) { _, _ in
      Issue.record("visited from nowhere")
      return 0
    }
    CapIndex().visitNearest(to: position) { _, _ in
      Issue.record("visited nothing")
      return 0
    }
  }

  // MARK: Borders

  /// Results end where reach and distance end.
  @Test func comparisonIsTight() {
    var random = SplitMix(state: 77)
    for exponent in 0...23 {
      let reach = Double(1 << exponent) * 0.7
      for _ in 0..<40 {
        let centre = random.anywhere()
        let away = random.anywhere()
        let distance = random.next() % 2 == 0 ? 0 : reach * random.unit()
        let chord = centre.squaredChord(to: away).squareRoot()
        // A point on the line between the two, so that the chord is what we want; the surface does not matter.
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

  /// The same at the lowest levels, where only the rounding of centres is made good.
  @Test func comparisonIsTightInACrowd() {
    let seed: UInt64 = 606
    print("CapIndexTests crowded borders seed \(seed)")
    var random = SplitMix(state: seed)
    var subject = Subject()
    for _ in 0..<2000 {
      let place = EarthVector(
        latitude: 45 + random.between(-0.002, 0.002), longitude: 7 + random.between(-0.002, 0.002))
      subject.insert((place, random.between(5, 60)))
    }
    #expect(subject.index.nodes.contains { $0.key >> 57 == 1 && $0.count > 0 })
    for (number, cap) in subject.caps.enumerated() where number % 16 == 0 {
      var way = SIMD3(random.between(-1, 1), random.between(-1, 1), random.between(-1, 1))
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
    let seed: UInt64 = 99
    print("CapIndexTests copies seed \(seed)")
    var random = SplitMix(state: seed)
    var original = Subject()
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
      var random = SplitMix(state: 31)
      var subject = Subject()
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

  @Test func storageIsReused() {
    var random = SplitMix(state: 12)
    var subject = Subject()
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
    subject.checkTree()
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
    var random = SplitMix(state: 8)
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
        // Squares of such values overflow; what they then mean does not matter, only that it ends.
        guard position.squaredChord(to: cap.0).isFinite, limit.isFinite, limit * limit < .infinity else { continue }
        if position.squaredChord(to: cap.0).squareRoot() <= limit { #expect(found.contains(UInt32(id))) }
      }
    }
    for (id, cap) in caps.enumerated() { index.remove(UInt32(id), centre: cap.0, reach: cap.1) }
    #expect(index.count == 0)
    #expect(index.byteCount < 4096)
  }
}

/// What a result may be farther than reach and distance together: a millionth, and two centimetres or a ten-millionth
/// of the edge of the cube of the cap.
private func tolerated(_ reach: Double, _ distance: Double) -> Double {
  var level = CapLevel.base
  while level < CapLevel.top && Double(CapLevel.reach(level)) < reach * 1.00001 { level += 1 }
  return (reach + distance) * (1 + 1e-6) + CapLevel.quantum * 2 + CapLevel.edge(level) * 4e-7
}

/// An index and the list it has to agree with.
private struct Subject {
  struct Cap {
    var id: UInt32
    var centre: EarthVector
    var reach: Double
  }

  var index = CapIndex()
  var caps: [Cap] = []
  var next: UInt32 = 0

  mutating func insert(_ cap: (EarthVector, Double)) {
    // Identifiers with all bits in use.
    let id = next &* 0x9E37_79B1
    next += 1
    caps.append(Cap(id: id, centre: cap.0, reach: cap.1))
    index.insert(id, centre: cap.0, reach: cap.1)
  }

  mutating func remove(at place: Int) {
    let cap = caps[place]
    caps.swapAt(place, caps.count - 1)
    caps.removeLast()
    index.remove(cap.id, centre: cap.centre, reach: cap.reach)
  }

  func collect(near position: EarthVector, within distance: Double) -> ContiguousArray<UInt32> {
    var ids = ContiguousArray<UInt32>()
    index.collectIDs(near: position, within: distance, into: &ids)
    return ids
  }

  /// A slack is never more than the true one, and less by no more than the tolerances.
  func checkSlacks(near position: EarthVector, within distance: Double) {
    var hits = ContiguousArray<CapHit>()
    index.collect(near: position, within: distance, into: &hits)
    let byID = Dictionary(caps.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    var mistakes = 0
    for hit in hits {
      guard let cap = byID[hit.id], cap.reach.isFinite else { continue }
      let slack = cap.centre.squaredChord(to: position).squareRoot() - cap.reach
      let span = min(distance, 1.3e7) + cap.reach
      if !(Double(hit.slack) <= slack && Double(hit.slack) >= slack - 8 - 1e-5 * span) { mistakes += 1 }
    }
    #expect(mistakes == 0)
  }

  func checkNearest(to position: EarthVector, _ count: Int) {
    let slacks = Dictionary(
      caps.map { ($0.id, max(0, $0.centre.squaredChord(to: position).squareRoot() - $0.reach)) },
      uniquingKeysWith: { first, _ in first })
    var seen: [UInt32: Double] = [:]
    var mistakes = 0
    var best: [Double] = []
    index.visitNearest(to: position) { id, bound in
      guard let slack = slacks[id], seen[id] == nil, bound <= slack else {
        mistakes += 1
        return .infinity
      }
      seen[id] = bound
      best = Array((best + [slack]).sorted().prefix(count))
      return best.count == count ? best[count - 1] : .infinity
    }
    let limit = slacks.values.sorted().prefix(count).last ?? 0
    let missed = slacks.filter { $0.value <= limit && seen[$0.key] == nil }
    #expect(mistakes == 0)
    #expect(missed.isEmpty)
  }

  func check(near position: EarthVector, within distance: Double) {
    #expect(index.count == caps.count)
    checkSlacks(near: position, within: distance)
    let ids = collect(near: position, within: distance)
    let found = Set(ids)
    var mistakes = ids.count - found.count
    var known = 0
    for cap in caps {
      let chord = cap.centre.squaredChord(to: position).squareRoot()
      let reported = found.contains(cap.id)
      if reported { known += 1 }
      if chord <= cap.reach + distance {
        if !reported { mistakes += 1 }
      } else if reported && chord > tolerated(cap.reach, distance) {
        mistakes += 1
      }
    }
    #expect(mistakes == 0 && known == found.count, "near \(position) within \(distance)")
  }

  /// Every node can be reached, knows its children, bounds its reach, and holds what belongs there.
  func checkTree() {
    var total = 0
    var groups = 0
    var live = 0
    let keys = Set(index.nodes.lazy.filter { $0.key != 0 }.map(\.key))
    for node in index.nodes where node.key != 0 {
      live += 1
      #expect(node.count > 0 || node.children != 0)
      let level = Int(node.key >> 57) - 1
      let cell = [node.key >> 38 & 0x7FFFF, node.key >> 19 & 0x7FFFF, node.key & 0x7FFFF].map { Int($0) }
      total += Int(node.count)
      if node.count > 0 { groups += 1 << Int(node.blockLog) }
      if level < CapLevel.top {
        let parent = CapLevel.key(level: level + 1, x: cell[0] >> 2, y: cell[1] >> 2, z: cell[2] >> 2)
        let bit = UInt64(cell[0] & 3 | (cell[1] & 3) << 2 | (cell[2] & 3) << 4)
        let above = index.nodes.first { $0.key == parent }
        #expect((above?.children ?? 0) >> bit & 1 == 1)
        #expect((above?.reach ?? 0) >= node.reach)
      }
      for bit in 0..<64 where node.children >> UInt64(bit) & 1 == 1 {
        let child = CapLevel.key(
          level: level - 1, x: cell[0] << 2 | bit & 3, y: cell[1] << 2 | bit >> 2 & 3, z: cell[2] << 2 | bit >> 4)
        #expect(keys.contains(child))
      }
      for place in 0..<Int(node.count) {
        let group = index.groups[Int(node.block) + place / 4]
        let half = Float(CapLevel.edge(level) / 2)
        #expect(group.reach[place % 4] <= min(node.reach, CapLevel.reach(level)))
        #expect(abs(group.x[place % 4]) <= half && abs(group.y[place % 4]) <= half && abs(group.z[place % 4]) <= half)
      }
    }
    #expect(live == index.nodeCount)
    #expect(groups == index.liveGroups)
    #expect(total == index.treeCount)
  }
}

private struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
    return z ^ z >> 31
  }

  mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }
  mutating func between(_ low: Double, _ high: Double) -> Double { low + (high - low) * unit() }
  mutating func bell() -> Double { (0..<6).reduce(0.0) { sum, _ in sum + between(-1, 1) } / 2 }

  /// From `low` to `high`, every order of magnitude alike.
  mutating func scaled(_ low: Double, _ high: Double) -> Double {
    var value = low
    while value * 10 < high && next() % 4 != 0 { value *= 10 }
    return min(value * between(1, 10), high)
  }

  mutating func anywhere() -> EarthVector {
    let height = between(-1, 1)
    return EarthVector(latitude: height * height * height * 30 + height * 60, longitude: between(-180, 180))
  }

  mutating func distance() -> Double {
    switch next() % 6 {
    case 0: 0
    case 1: between(0, 2e7)
    case 2: .infinity
    default: scaled(1, 2e7)
    }
  }

  mutating func cap(of world: CapIndexTests.World) -> (EarthVector, Double) {
    switch world {
    case .uniform:
      return (anywhere(), scaled(1, 1e5))
    case .clustered:
      return (near(latitude: 48, longitude: 11, spread: 0.1), scaled(20, 5000))
    case .nested:
      return (near(latitude: -33, longitude: 151, spread: 0.001), scaled(1, 1.2e7))
    case .concentric:
      return (EarthVector(latitude: 35.1, longitude: 139.2), between(1, 3e6))
    case .identical:
      return (EarthVector(latitude: 51.5, longitude: 0), 64)
    case .tiny:
      return (near(latitude: 0, longitude: 0, spread: 0.0005), between(0, 1))
    case .huge:
      return (anywhere(), between(1e6, 1.276e7))
    case .poles:
      let latitude = 90 - scaled(1e-6, 1)
      let pole = EarthVector(latitude: next() % 2 == 0 ? latitude : -latitude, longitude: between(-180, 180))
      return (pole, scaled(1, 1e6))
    case .antimeridian:
      let longitude = 180 - scaled(1e-6, 1)
      let side = EarthVector(latitude: between(-1, 1), longitude: next() % 2 == 0 ? longitude : -longitude)
      return (side, scaled(1, 1e5))
    case .antipodes:
      return next() % 2 == 0
        ? (near(latitude: 20, longitude: 30, spread: 1), scaled(1, 1.2e7))
        : (near(latitude: -20, longitude: -150, spread: 1), scaled(1, 1.2e7))
    case .mixed:
      if next() % 50 == 0 { return (anywhere(), .infinity) }
      let others = CapIndexTests.World.allCases
      let other = others[Int(next() % UInt64(others.count))]
      return other == .mixed ? (anywhere(), scaled(1, 1e7)) : cap(of: other)
    }
  }

  mutating func position(of world: CapIndexTests.World, around caps: [Subject.Cap]) -> EarthVector {
    switch next() % 4 {
    case 0: anywhere()
    case 1: caps.isEmpty ? anywhere() : caps[Int(next() % UInt64(caps.count))].centre
    default: cap(of: world).0
    }
  }

  private mutating func near(latitude: Double, longitude: Double, spread: Double) -> EarthVector {
    EarthVector(latitude: latitude + bell() * spread, longitude: longitude + bell() * spread)
  }
}

extension CapIndex {
  func collectIDs(near position: EarthVector, within distance: Double, into ids: inout ContiguousArray<UInt32>) {
    var hits = ContiguousArray<CapHit>()
    collect(near: position, within: distance, into: &hits)
    ids.append(contentsOf: hits.map(\.id))
  }
}
