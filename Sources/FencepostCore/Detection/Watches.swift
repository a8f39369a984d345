import FencepostKernel

/// The watches of the shapes that are not settled outside: the device is inside, or the shape has a candidate, or it
/// was measured within its bounding circle. All other shapes can only be entered, and the index finds these.
struct Watches: Sendable {
  private(set) var watches: ContiguousArray<Watch> = []
  /// The measured position from which each watch was computed; empty while all shapes are circles, because circles do
  /// not need it.
  private var locals: ContiguousArray<Watch.Local?> = []
  /// The edges near the position at which the shape of a watch was measured, once they were searched; empty while there
  /// is no such shape.
  private var edges: ContiguousArray<NearEdges> = []

  /// The position at which the shape of a watch was measured last.
  @inline(__always)
  func local(_ index: UInt32) -> Watch.Local? { locals.isEmpty ? nil : locals[Int(index)] }

  mutating func removeAll() {
    guard !watches.isEmpty else { return }
    watches.removeAll(keepingCapacity: true)
    if !locals.isEmpty { locals.removeAll(keepingCapacity: true) }
    if !edges.isEmpty { edges.removeAll(keepingCapacity: true) }
  }

  @inline(__always)
  mutating func append(_ watch: Watch, _ local: Watch.Local?) -> UInt32 {
    watches.append(watch)
    if local != nil || !locals.isEmpty { append(local) }
    return UInt32(watches.count - 1)
  }

  @inline(never)
  private mutating func append(_ local: Watch.Local?) {
    while locals.count < watches.count - 1 { locals.append(nil) }
    locals.append(local)
  }

  mutating func update(_ index: UInt32, _ watch: Watch, _ local: Watch.Local?) {
    watches[Int(index)] = watch
    guard let local else { return }
    while locals.count < watches.count { locals.append(nil) }
    locals[Int(index)] = local
  }

  /// Notes where the shape of a watch was measured, before the watch is drawn from there.
  @inline(__always)
  mutating func note(_ index: UInt32, _ local: Watch.Local) {
    while locals.count < watches.count { locals.append(nil) }
    locals[Int(index)] = local
  }

  // MARK: - Near edges

  /// Whether the near edges of any shape were searched.
  @inline(__always)
  var knowsEdges: Bool { !edges.isEmpty }

  /// The bounds of a shape's distance at a position, computed from the edges near its last measured position; `nil` if
  /// these edges do not suffice.
  mutating func found(_ index: UInt32, _ area: Area, at position: EarthVector) -> FoundNear? {
    guard Int(index) < edges.count else { return nil }
    return area.shape.bounds(at: position, among: &edges[Int(index)])
  }

  /// Whether a way certainly stays on one side of a shape, as far as its last answer shows.
  func staysOnSide(
    _ index: UInt32, _ area: Area, from start: EarthVector, to end: EarthVector, sag: Double, isInside: Bool
  ) -> Bool {
    Int(index) < edges.count
      && edges[Int(index)].staysOnSide(of: area.shape, from: start, to: end, sag: sag, isInside: isInside)
  }

  /// Searches the edges of an area that are near a position.
  ///
  /// - Returns: The bounds computed from them; `nil` if they do not suffice.
  mutating func findEdges(_ index: UInt32, _ area: Area, at position: EarthVector) -> FoundNear? {
    while edges.count < watches.count { edges.append(NearEdges()) }
    edges[Int(index)] = NearEdges(of: area.shape, around: position)
    return found(index, area, at: position)
  }

  /// Recomputes a watch around a position if the edges near it show that its passage has not happened.
  ///
  /// - Returns: The chord that the device can move from there, in metres; `nil` if the near edges do not suffice, or if
  ///   the shape needs more than a new watch.
  mutating func redraw(_ index: UInt32, _ area: Area, at position: EarthVector) -> Double? {
    guard let passage = locals[Int(index)]?.passage else { return nil }
    // A device outside the bounding circle is watched by the index, not by a ball.
    if case .inwards = passage, area.bounds.isFarther(than: 1, position) { return nil }
    guard let (least, most) = bounds(index, area, at: position), let room = Area.room(passage, least, most),
      let threshold = Area.threshold(room)
    else { return nil }
    watches[Int(index)].centre = position
    watches[Int(index)].threshold = threshold
    locals[Int(index)] = Watch.Local(position: position, least: least, most: most, passage: passage)
    return threshold
  }

  /// Bounds of the distance of a measured shape, from as little as suffices: the last answer, the near edges, or those
  /// that are searched anew.
  @inline(__always)
  private mutating func bounds(
    _ index: UInt32, _ area: Area, at position: EarthVector
  ) -> (least: Double, most: Double)? {
    if Int(index) < edges.count {
      if let after = area.shape.boundsAfterMove(to: position, among: &edges[Int(index)]) { return after }
      if let found = area.shape.bounds(at: position, among: &edges[Int(index)]) { return (found.least, found.most) }
    }
    return findEdges(index, area, at: position).map { ($0.least, $0.most) }
  }

  /// Removes a watch; returns the slot that moved to its index, if any.
  @inline(__always)
  mutating func remove(_ index: UInt32) -> UInt32? {
    let last = watches.removeLast()
    if !locals.isEmpty { removeLocal(index) }
    guard Int(index) < watches.count else { return nil }
    watches[Int(index)] = last
    return last.slot
  }

  @inline(never)
  private mutating func removeLocal(_ index: UInt32) {
    let last = locals.removeLast()
    if Int(index) < locals.count { locals[Int(index)] = last }
    let lastEdges = edges.count > locals.count ? edges.removeLast() : NearEdges()
    if Int(index) < edges.count { edges[Int(index)] = lastEdges }
  }

  #if FENCEPOST_INVARIANTS
    var localCount: Int { locals.count }
  #endif
}
