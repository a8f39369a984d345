/// Removes edges that occur in both directions: they are not part of the boundary, because the shape lies on both sides
/// of them.
///
/// Edges that are traversed in both directions occur in rings that were cut at the antimeridian or follow a meridian to
/// a pole, and in parts that share an edge (RFC 7946, section 3.1.9). Every ring is traversed with the polygon on its
/// left.
struct SeamCancelling {
  /// An edge that remains after opposite edges have been removed, and the edge of the definition from which it comes.
  struct Edge {
    var start: SurfacePoint
    var end: SurfacePoint
    var place: ShapeDefect.Place
  }

  /// A place as a key: two places are the same if and only if their keys are equal.
  struct Key: Hashable {
    var latitude: UInt64
    var longitude: UInt64

    init(_ point: SurfacePoint) {
      latitude = point.latitude.bitPattern
      longitude = point.latitude.magnitude == 90 ? 0 : point.longitude.bitPattern
    }
  }

  struct Pair: Hashable {
    var start: Key
    var end: Key

    init(_ start: SurfacePoint, _ end: SurfacePoint) { (self.start, self.end) = (Key(start), Key(end)) }

    var reversed: Pair {
      var pair = self
      (pair.start, pair.end) = (end, start)
      return pair
    }
  }

  /// The remaining edges as chains, in which each edge starts where the previous edge ends; no chain is empty.
  private(set) var chains: [[Edge]] = []

  init(_ rings: [GivenRing]) {
    if !SeamCancelling.maySeam(rings) {
      chains = rings.map { ring in
        ring.pairs(isRing: true).map { start, end in
          Edge(start: ring.points[start], end: ring.points[end], place: ring.place(ring.edges[start]))
        }
      }
      return
    }
    var walked = [Pair: Int]()
    for ring in rings {
      for (start, end) in ring.pairs(isRing: true) where !SeamCancelling.isOnAntimeridian(ring, start, end) {
        walked[Pair(ring.points[start], ring.points[end]), default: 0] += 1
      }
    }
    // For each edge in each direction, the number of copies that are cancelled by copies in the opposite direction;
    // add() counts these numbers down.
    var cancelled = [Pair: Int]()
    for ring in rings {
      for (start, end) in ring.pairs(isRing: true) {
        let pair = Pair(ring.points[start], ring.points[end])
        let back = walked[pair.reversed] ?? 0
        if back > 0, let there = walked[pair] { cancelled[pair] = min(there, back) }
      }
    }
    var stretches: [Stretch] = []
    for ring in rings { add(ring, &cancelled, &stretches) }
    addAntimeridian(stretches)
    join()
  }

  /// If a chain ends where another chain begins, joins the two chains.
  private mutating func join() {
    var waiting = [Key: [Int]]()
    for (number, chain) in chains.enumerated().reversed() where !SeamCancelling.isClosed(chain) {
      waiting[Key(chain[0].start), default: []].append(number)
    }
    guard !waiting.isEmpty else { return }
    var isTaken = [Bool](repeating: false, count: chains.count)
    var joined: [[Edge]] = []
    for number in chains.indices where !isTaken[number] {
      isTaken[number] = true
      var chain = chains[number]
      while !SeamCancelling.isClosed(chain) {
        guard let end = chain.last?.end else { break }
        while let last = waiting[Key(end)]?.last, isTaken[last] { waiting[Key(end)]?.removeLast() }
        guard let next = waiting[Key(end)]?.last else { break }
        isTaken[next] = true
        chain += chains[next]
      }
      joined.append(chain)
    }
    chains = joined
  }

  private static func isClosed(_ chain: [Edge]) -> Bool {
    guard let first = chain.first, let last = chain.last else { return false }
    return Key(first.start) == Key(last.end)
  }

  /// Whether any edge may occur twice or lie on the antimeridian. If all vertices differ, no edge occurs twice.
  private static func maySeam(_ rings: [GivenRing]) -> Bool {
    var places = ContiguousArray<UInt64>()
    places.reserveCapacity(rings.reduce(0) { $0 + $1.points.count })
    for ring in rings {
      for point in ring.points {
        if point.longitude == -180 || point.latitude.magnitude == 90 { return true }
        places.append(point.latitude.bitPattern &* 0x9e37_79b9_7f4a_7c15 ^ point.longitude.bitPattern)
      }
    }
    places.arrange()
    return zip(places, places.dropFirst()).contains { $0 == $1 }
  }

  /// Appends the chains of one ring to `chains`, and the ring's edges on the antimeridian to `stretches`.
  private mutating func add(_ ring: GivenRing, _ cancelled: inout [Pair: Int], _ stretches: inout [Stretch]) {
    var own: [[Edge]] = []
    var chain: [Edge] = []
    var isWhole = true
    for (start, end) in ring.pairs(isRing: true) {
      let edge = Edge(start: ring.points[start], end: ring.points[end], place: ring.place(ring.edges[start]))
      let pair = Pair(edge.start, edge.end)
      if SeamCancelling.isOnAntimeridian(ring, start, end) {
        stretches.append(Stretch(edge))
      } else if let left = cancelled[pair], left > 0 {
        cancelled[pair] = left - 1
      } else {
        chain.append(edge)
        continue
      }
      isWhole = false
      if !chain.isEmpty { own.append(chain) }
      chain = []
    }
    if !chain.isEmpty {
      // The last edge of the ring ends where the first chain starts, so the two are joined, unless an edge between them
      // was cancelled.
      if !isWhole, let first = own.first, first[0].start == ring.points[0] {
        own[0] = chain + first
      } else {
        own.append(chain)
      }
    }
    chains += own
  }

  /// A stretch of the antimeridian between two latitudes.
  private struct Stretch {
    var from: Double
    var to: Double
    var place: ShapeDefect.Place

    init(_ edge: Edge) {
      (from, to, place) = (edge.start.latitude, edge.end.latitude, edge.place)
    }
  }

  private static func isOnAntimeridian(_ ring: GivenRing, _ start: Int, _ end: Int) -> Bool {
    let ends = [ring.points[start], ring.points[end]]
    return ends.allSatisfy { $0.longitude == -180 || $0.latitude.magnitude == 90 }
      && !ends.allSatisfy { $0.latitude.magnitude == 90 }
  }

  /// Cancels opposite stretches of the antimeridian where they overlap, even if their vertices differ.
  private mutating func addAntimeridian(_ stretches: [Stretch]) {
    guard !stretches.isEmpty else { return }
    // Scans from the south and counts how many more edges run north than south.
    var marks: [(latitude: Double, change: Int, place: ShapeDefect.Place)] = []
    for stretch in stretches {
      let change = stretch.from < stretch.to ? 1 : -1
      marks.append((min(stretch.from, stretch.to), change, stretch.place))
      marks.append((max(stretch.from, stretch.to), -change, stretch.place))
    }
    marks.arrange { $0.latitude < $1.latitude }
    var walking = 0
    var place = marks[0].place
    for (mark, next) in zip(marks, marks.dropFirst()) {
      walking += mark.change
      if mark.change * walking > 0 { place = mark.place }
      if walking == 0 || mark.latitude == next.latitude { continue }
      let low = SurfacePoint(latitude: mark.latitude, longitude: -180)
      let high = SurfacePoint(latitude: next.latitude, longitude: -180)
      // Two adjacent vertices on the antimeridian that are less than one micrometre apart were meant to be one vertex.
      if low.vector.squaredChord(to: high.vector) < 1e-12 { continue }
      let edge =
        walking > 0 ? Edge(start: low, end: high, place: place) : Edge(start: high, end: low, place: place)
      // A stretch that occurs more than once becomes several equal edges, which the check for overlaps then finds.
      for _ in 0..<walking.magnitude { chains.append([edge]) }
    }
  }
}
