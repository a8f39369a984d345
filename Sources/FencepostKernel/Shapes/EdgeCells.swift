/// Stores the edges of polygons near cubes of space, in contiguous memory. The edges tell which polygons contain a
/// position and how far away the nearest edge is, for repeated queries near the same place.
///
/// A cell contains every edge that is within the cell's margin of any position in its cube, and every cap of another
/// shape that is within this margin. The cell also stores which polygons contain one particular position of the cube,
/// its *reference*. For another position in the cube, the cell counts the edges that the straight segment from the
/// reference to that position crosses. If the segment crosses the edges of a polygon an odd number of times, the
/// position is on the other side of that polygon's boundary. The distance and the crossings are computed in one pass,
/// in single precision, after an orthographic projection onto the plane of the directions east and north at the
/// reference. If a position is so near an edge that rounding or the curvature of the Earth matters, the cell gives no
/// answer. Therefore each answer that a cell gives is exact.
///
/// A plane is sufficient: projection onto a plane never makes a distance longer, so a distance in the plane is a lower
/// bound. Each edge is surrounded by a *band*, in which a cell gives no answer. The width of the band is the edge's
/// sagitta, which is a bound of the edge's distance from its chord, plus an upper bound of all rounding errors. Both
/// the exact edge and the stored segment lie in the band. If both ends of the segment from the reference are outside
/// the band, the exact edge and the stored segment have the same parity of crossings.
///
/// Crowded regions have smaller cubes. If even the smallest cube at a place has too many edges, that cube has no cell.
/// For a shape that is not a polygon, or that has a buffer, a cell stores only a cap that contains the shape.
///
/// The cells are a cache of an index and its shapes: before each query, the owner calls ``keepUp(with:version:)``. The
/// memory of the cells is limited by a budget; when the budget is used up, the cache is emptied. A balance compares the
/// costs of creating cells with the savings of queries, so that little is spent on devices that never return to a
/// place, and on tables that change often.
public struct EdgeCells: Sendable {
  /// An entry of the index: its shape, or `nil` for a circle, and the centre and the reach of its cap.
  public typealias Subject = (shape: GeodesicShape?, centre: EarthVector, reach: Double)

  /// The edge of the smallest cubes, in metres. The cubes of each level have edges twice as long as those of the next
  /// level.
  private static let leastEdge = 64.0
  private static let levels = 7
  /// The margin of a cell, as a multiple of the edge of its cube.
  private static let marginShare = 0.5
  /// An upper bound of half the diagonal of a cube, as a multiple of the cube's edge.
  private static let halfDiagonal = 0.866_026
  /// An upper bound of the distance of the surface from a straight segment between two positions in a cube, in metres.
  private static let bulge = 1.0
  /// A cube with more than `mostEdges` edges, `mostShapes` polygons or `mostCaps` caps is crowded.
  private static let mostEdges = 32
  private static let mostShapes = 32
  private static let mostCaps = 16
  /// The maximum number of shapes near a cube that are examined. If the index finds more shapes, the cube is crowded,
  /// and none of its shapes is examined.
  private static let mostHits = 128
  /// The maximum length of an edge in a cell, in metres: the band of a longer edge would be too wide.
  private static let longestEdge = 20_000.0
  /// The part of an error bound in single precision that is proportional to the lengths in the computation.
  private static let singleError = 0x1p-19
  /// The part of an error bound in single precision that does not depend on any length, in metres.
  private static let leastError = 2e-3
  // The next three values are in units of about 1 000 instructions. `loan` is the initial and the largest balance,
  // `saving` is what an answer from a cell saves, and `costPerHit` is the cost of creating a cell, for each shape
  // examined.
  private static let loan = 1 << 16
  private static let saving = 8
  private static let costPerHit = 2

  private struct Entry: OpenTableEntry {
    /// A number that encodes the level and the cube; 0 marks a free slot of the table.
    var key: UInt64 = 0
    /// The number of the cell; `crowded` or `refused` if the cube has no cell.
    var cell: UInt32 = 0

    /// The cube has no cell, but smaller cubes within it may have one.
    static let crowded = UInt32.max
    /// Neither the cube nor the smaller cubes within it have a cell.
    static let refused = UInt32.max - 1

    var isFree: Bool { key == 0 }

    @inline(__always)
    func home(_ homes: OpenTableHomes) -> Int { homes.of(key) }
  }

  private struct Cell: Sendable {
    var reference: EarthVector
    /// Unit vectors that span the plane onto which edges are projected.
    var east, north: EarthVector
    var margin: Double
    /// The indices of the cell's first elements in `groups`, `slots` and `caps`.
    var firstGroup, firstSlot, firstCap: UInt32
    var groupCount: UInt16
    /// The number of polygons with an edge in the cell, and the number of polygons that contain the whole cube. In
    /// `slots`, the polygons that contain the whole cube follow the polygons with an edge in the cell.
    var partCount, fullCount: UInt8
    var capCount: UInt8
    /// One bit for each polygon that has an edge in the cell; the bit is set if the polygon contains the reference.
    var sides: UInt32
  }

  /// Four edges, whose end points are coordinates on the plane, relative to the reference.
  private struct Group: Sendable {
    var ax = SIMD4<Float>(repeating: 1e9)
    var ay = SIMD4<Float>(repeating: 1e9)
    var bx = SIMD4<Float>(repeating: 1e9)
    var by = SIMD4<Float>(repeating: 1e9)
    /// 1 divided by the square of the edge's length; 0 if the edge is a point.
    var scale = SIMD4<Float>()
    /// The width of the band, in metres.
    var band = SIMD4<Float>()
    /// For each edge, the bit of the polygon to which the edge belongs.
    var parts = SIMD4<UInt32>()
  }

  private struct Cap: Sendable {
    /// The cap's centre relative to the reference, in metres.
    var x, y, z: Float
    /// The radius of the cap, increased by an upper bound of all rounding errors.
    var reach: Float
  }

  /// A polygon and its edges in a cell that is being created.
  private struct Line: Sendable {
    var slot: UInt32
    var firstEdge, endEdge: Int
  }

  private var entries = OpenTable<Entry>()
  private var cells: ContiguousArray<Cell> = []
  private var groups: ContiguousArray<Group> = []
  private var caps: ContiguousArray<Cap> = []
  private var slots: ContiguousArray<UInt32> = []
  private var capSlots: ContiguousArray<UInt32> = []
  // Scratch memory for creating a cell.
  private var found: ContiguousArray<CapHit> = []
  private var lines: ContiguousArray<Line> = []
  /// The version that the index had when the cells were created.
  private var version: UInt64 = 0
  private var count = -1
  /// The estimated savings from using the cells, minus the costs of creating them. While the balance is not positive,
  /// no cell is created, and each query adds 1 to the balance.
  private var balance = Self.loan

  /// The maximum amount of memory for the cells, in bytes. If the budget is 0, no cells are created.
  private let budget: Int

  public init(budget: Int = 64 << 20) { self.budget = budget }

  /// The number of bytes of memory in use.
  public var byteCount: Int {
    entries.length * MemoryLayout<Entry>.stride + cells.capacity * MemoryLayout<Cell>.stride
      + groups.capacity * MemoryLayout<Group>.stride + caps.capacity * MemoryLayout<Cap>.stride
      + 4 * (slots.capacity + capSlots.capacity)
  }

  /// Drops the cells if the index or one of its shapes has changed.
  ///
  /// - Parameters:
  ///   - count: The number of caps in the index.
  ///   - version: A number that changes whenever the index or one of its shapes changes.
  @inline(__always)
  public mutating func keepUp(with count: Int, version: UInt64) {
    if version != self.version || count != self.count { begin(count, version) }
  }

  @inline(never)
  private mutating func begin(_ count: Int, _ version: UInt64) {
    self.count = count
    self.version = version
    removeAll()
  }

  private mutating func removeAll() {
    entries = OpenTable()
    cells = []
    groups = []
    caps = []
    slots = []
    capSlots = []
  }

  // MARK: - Queries

  /// A position in a cell.
  public struct Place {
    fileprivate var cell: Int
    fileprivate var position: EarthVector
    /// One bit for each polygon that has an edge in the cell; the bit is set if the polygon contains the position.
    fileprivate var sides: UInt32
    /// A lower bound of the chord to the nearest edge, in metres, and at most the margin of the cell.
    fileprivate var slack: Double
    /// The number of polygons that contain the position.
    public fileprivate(set) var polygonCount: Int
  }

  /// The result of looking up the cell of a position.
  public enum Answer {
    case place(Place)
    /// The cell cannot answer: an edge is too near, or the region is too crowded.
    case undecided
    /// No cell has been created yet for the position.
    case missing
  }

  private enum Search {
    case found(Int)
    case missing(level: Int)
    case crowded
  }

  @inline(__always)
  private func search(_ position: EarthVector) -> Search {
    let least = SpaceCubes.Numbers(position, edge: Self.leastEdge)
    for level in 0..<Self.levels {
      var wanted = Entry()
      wanted.key = least.key(level: level, doubled: Self.levels &- 1 &- level)
      let key = wanted.key
      let place = entries.place(from: wanted.home(entries.homes)) { $0.key == key }
      guard place >= 0 else { return .missing(level: level) }
      let cell = entries[place].cell
      if cell < Entry.refused { return .found(Int(cell)) }
      if cell == Entry.refused { break }
    }
    return .crowded
  }

  /// The answer of the cell that contains a position; the position must be on the surface.
  @inline(__always)
  public func answer(at position: EarthVector) -> Answer {
    guard SpaceCubes.isNumbered(position) else { return .undecided }
    switch search(position) {
    case .found(let cell): return look(cell, position)
    case .crowded: return .undecided
    case .missing: return .missing
    }
  }

  /// Returns the answer of the cell that contains a position; creates a missing cell if the balance of savings and
  /// costs allows this.
  @inline(never)
  public mutating func make(at position: EarthVector, _ index: CapIndex, _ subject: (UInt32) -> Subject) -> Answer {
    guard SpaceCubes.isNumbered(position), budget > 0 else { return .undecided }
    guard balance > 0 else {
      balance += 1
      return .missing
    }
    while true {
      switch search(position) {
      case .found(let cell): return look(cell, position)
      case .crowded: return .undecided
      case .missing(let level):
        // A growing array at most doubles its size.
        if byteCount > budget / 2 { removeAll() }
        let isMade = make(position, level, index, subject)
        balance -= Self.costPerHit * (found.count + 1)
        if !isMade { return .undecided }
      }
    }
  }

  /// Adds the savings of one useful answer to the balance.
  @inline(__always)
  public mutating func countSaving() { balance = min(balance &+ Self.saving, Self.loan) }

  // MARK: - Creating a cell

  /// Creates a cell for the cube that contains a position, and uses this position as the cell's reference. If the cube
  /// cannot have a cell, this fact is recorded instead.
  ///
  /// - Returns: `false` if the position is too near an edge to be a reference.
  private mutating func make(
    _ position: EarthVector, _ level: Int, _ index: CapIndex, _ subject: (UInt32) -> Subject
  ) -> Bool {
    let edge = Self.leastEdge * Double(1 << (Self.levels - 1 - level))
    let (key, centre) = SpaceCubes.cube(position, level: level, edge: edge)
    let margin = edge * Self.marginShare
    let within = edge * Self.halfDiagonal + margin + Self.bulge
    found.removeAll(keepingCapacity: true)
    index.collect(near: centre, within: within, into: &found)
    let (groupCount, capCount, slotCount) = (groups.count, caps.count, slots.count)
    let up = position / position.length
    let axis = up.z.magnitude < 0.9 ? EarthVector(x: 0, y: 0, z: 1) : EarthVector(x: 1, y: 0, z: 0)
    let across = axis.cross(up)
    let east = across / across.length
    var cell = Cell(
      reference: position, east: east, north: up.cross(east), margin: margin, firstGroup: UInt32(groupCount),
      firstSlot: UInt32(slotCount), firstCap: UInt32(capCount), groupCount: 0, partCount: 0, fullCount: 0, capCount: 0,
      sides: 0)
    let result = fill(&cell, around: centre, within: within, reach: 2 * Self.halfDiagonal * edge, subject)
    var entry = Entry()
    entry.key = key
    entry.cell = UInt32(cells.count)
    if result != .whole {
      // Remove the elements one by one: `removeSubrange` would add much code.
      while groups.count > groupCount { groups.removeLast() }
      while slots.count > slotCount { slots.removeLast() }
      while caps.count > capCount {
        caps.removeLast()
        capSlots.removeLast()
      }
      guard result != .undecided else { return false }
      entry.cell = result == .crowded ? Entry.crowded : Entry.refused
    } else {
      cells.append(cell)
    }
    entries.makeRoom(for: 1)
    entries.insert(entry)
    return true
  }

  private enum Filling {
    case whole
    case crowded
    case refused
    case undecided
  }

  /// - Parameter reach: An upper bound of the distance between a position in the cube and the reference, in metres.
  private mutating func fill(
    _ cell: inout Cell, around centre: EarthVector, within: Double, reach: Double, _ subject: (UInt32) -> Subject
  ) -> Filling {
    guard found.count <= Self.mostHits else { return .crowded }
    // Examine the edges first, because this is the fastest way to find that the cube has too many edges for one cell.
    var edgeCount = 0
    lines.removeAll(keepingCapacity: true)
    for hit in found {
      let known = subject(hit.id)
      guard let shape = known.shape, shape.isPolygon, shape.offset == 0 else {
        guard Int(cell.capCount) < Self.mostCaps else { return .crowded }
        append(hit.id, known.centre, known.reach, cell.reference, reach)
        cell.capCount += 1
        continue
      }
      let before = edgeCount
      var failure: Filling?
      LineSearch.run(shape.line, at: centre, limit: within) { found, search in
        if edgeCount == Self.mostEdges {
          failure = .crowded
        } else if append(found.edge, shape.line, edgeCount, cell, reach) {
          edgeCount += 1
        } else {
          failure = .refused
        }
        if failure != nil { search.limit = -.infinity }
      }
      if let failure { return failure }
      lines.append(Line(slot: hit.id, firstEdge: before, endEdge: edgeCount))
    }
    var full: ContiguousArray<UInt32> = []
    for line in lines {
      guard let bounds = subject(line.slot).shape?.bounds(at: cell.reference),
        bounds.least > Self.leastError || bounds.most < -Self.leastError
      else { return .undecided }
      let isInside = bounds.most < 0
      if line.endEdge > line.firstEdge {
        guard Int(cell.partCount) < Self.mostShapes else { return .crowded }
        let part = UInt32(1) << UInt32(cell.partCount)
        if isInside { cell.sides |= part }
        slots.append(line.slot)
        for number in line.firstEdge..<line.endEdge {
          groups[Int(cell.firstGroup) + number / 4].parts[number & 3] = part
        }
        cell.partCount += 1
      } else if isInside {
        // A shape that contains the whole cube also contains every smaller cube in it.
        guard full.count < Self.mostShapes else { return .refused }
        full.append(line.slot)
      }
    }
    for slot in full { slots.append(slot) }
    cell.fullCount = UInt8(full.count)
    cell.groupCount = UInt16((edgeCount + 3) / 4)
    // Whether a shape contains the reference point was determined for the reference point itself, but each scan starts
    // at the projection of that point.
    return scan(cell, SIMD2()).slack > 0 ? .whole : .undecided
  }

  private mutating func append(
    _ slot: UInt32, _ middle: EarthVector, _ length: Double, _ reference: EarthVector, _ reach: Double
  ) {
    let apart = middle - reference
    let error = (apart.length + reach + length) * Self.singleError + Self.leastError
    caps.append(Cap(x: Float(apart.x), y: Float(apart.y), z: Float(apart.z), reach: Float(length + error).nextUp))
    capSlots.append(slot)
  }

  /// - Returns: Whether the edge is short enough for a cell.
  private mutating func append(_ edge: Int, _ line: ShapeLine, _ number: Int, _ cell: Cell, _ reach: Double) -> Bool {
    let (start, end) = (line.vertices[edge], line.vertices[edge + 1])
    guard start.squaredChord(to: end) < Self.longestEdge * Self.longestEdge else { return false }
    let (a, b) = (start - cell.reference, end - cell.reference)
    let error = (a.length + b.length + reach) * Self.singleError + Self.leastError
    if number & 3 == 0 { groups.append(Group()) }
    let lane = number & 3
    var group = groups[groups.count - 1]
    group.ax[lane] = Float(a.dot(cell.east))
    group.ay[lane] = Float(a.dot(cell.north))
    group.bx[lane] = Float(b.dot(cell.east))
    group.by[lane] = Float(b.dot(cell.north))
    let (x, y) = (group.bx[lane] - group.ax[lane], group.by[lane] - group.ay[lane])
    let square = x * x + y * y
    group.scale[lane] = square > 1e-12 ? 1 / square : 0
    group.band[lane] = Float(line.sagitta(edge) + error).nextUp
    groups[groups.count - 1] = group
    return true
  }

  // MARK: - Reading a cell

  /// Returns the smallest distance between the edges of a cell and a point of the plane, but at most the margin. In
  /// `flips`, the bits of the polygons whose edges separate the point from the reference are set.
  @inline(never)
  private func scan(_ cell: Cell, _ point: SIMD2<Float>) -> (slack: Float, flips: UInt32) {
    groups.withUnsafeBufferPointer { groups in
      var least = SIMD4(repeating: Float(cell.margin))
      var flips: UInt32 = 0
      guard let base = groups.baseAddress, cell.groupCount > 0 else { return (least[0], 0) }
      let (x, y) = (SIMD4(repeating: point.x), SIMD4(repeating: point.y))
      let square = SIMD4(repeating: point.x * point.x + point.y * point.y)
      for number in Int(cell.firstGroup)..<(Int(cell.firstGroup) &+ Int(cell.groupCount)) {
        let group = base + number
        let (ax, ay) = (group.pointee.ax, group.pointee.ay)
        let (bx, by) = (group.pointee.bx, group.pointee.by)
        let (ex, ey) = (bx - ax, by - ay)
        let (wx, wy) = (x - ax, y - ay)
        var share = (wx * ex + wy * ey) * group.pointee.scale
        share = share.replacing(with: 0, where: share .< 0)
        share = share.replacing(with: 1, where: share .> 1)
        let (dx, dy) = (wx - share * ex, wy - share * ey)
        let gap = (dx * dx + dy * dy).squareRoot() - group.pointee.band
        least = least.replacing(with: gap, where: gap .< least)
        // Computes on which side of the ray from the reference to the point each end of the edge lies. Edges that share
        // a vertex get the same value for this vertex.
        let (ofA, ofB) = (x * ay - y * ax, x * by - y * bx)
        let separates = (ofA .> 0) .^ (ofB .> 0)
        guard any(separates) else { continue }
        // `along` is the position where the edge crosses the ray from the reference to the point: 0 at the reference,
        // and `square` at the point.
        let part = ofA / (ofA - ofB).replacing(with: 1, where: .!separates)
        let alongA = x * ax + y * ay
        let along = alongA + part * (x * bx + y * by - alongA)
        var crossed = CapIndex.bits(separates .& (along .> 0) .& (along .< square))
        while crossed != 0 {
          flips ^= group.pointee.parts[crossed.trailingZeroBitCount]
          crossed &= crossed &- 1
        }
      }
      return (min(min(least.x, least.y), min(least.z, least.w)), flips)
    }
  }

  @inline(__always)
  private func look(_ number: Int, _ position: EarthVector) -> Answer {
    let cell = cells[number]
    let apart = position - cell.reference
    let (slack, flips) = scan(cell, SIMD2(Float(apart.dot(cell.east)), Float(apart.dot(cell.north))))
    guard slack > 0 else { return .undecided }
    let sides = cell.sides ^ flips
    return .place(
      Place(
        cell: number, position: position, sides: sides, slack: Double(slack),
        polygonCount: sides.nonzeroBitCount &+ Int(cell.fullCount)))
  }

  /// Whether a polygon contains a position.
  @inline(__always)
  public func holds(_ slot: UInt32, _ place: Place) -> Bool {
    let cell = cells[place.cell]
    let (first, parts) = (Int(cell.firstSlot), Int(cell.partCount))
    return slots.withUnsafeBufferPointer { slots in
      var rest = place.sides
      while rest != 0 {
        if slots[first &+ rest.trailingZeroBitCount] == slot { return true }
        rest &= rest &- 1
      }
      for index in (first &+ parts)..<(first &+ parts &+ Int(cell.fullCount)) where slots[index] == slot { return true }
      return false
    }
  }

  /// A lower bound of the chord from a position to the nearest edge or cap, in metres, ignoring caps for which
  /// `isExcluded` is true. The result is at most the margin of the cell.
  @inline(__always)
  public func slack(_ place: Place, except isExcluded: (UInt32) -> Bool) -> Double {
    let cell = cells[place.cell]
    guard cell.capCount > 0 else { return place.slack }
    let apart = place.position - cell.reference
    let (x, y, z) = (Float(apart.x), Float(apart.y), Float(apart.z))
    var least = Float(place.slack)
    for index in Int(cell.firstCap)..<(Int(cell.firstCap) &+ Int(cell.capCount)) {
      let cap = caps[index]
      let (dx, dy, dz) = (cap.x - x, cap.y - y, cap.z - z)
      let slack = (dx * dx + dy * dy + dz * dz).squareRoot() - cap.reach
      if slack < least, !isExcluded(capSlots[index]) { least = slack }
    }
    return Double(least)
  }
}
