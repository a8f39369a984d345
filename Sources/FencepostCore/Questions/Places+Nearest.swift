import FencepostKernel

// Finds the conditions whose lines are nearest to a point.

/// A line and its distance from a point.
struct NearLine: Sendable {
  /// Metres, negative inside. While the distance is open, an upper bound of the magnitude.
  var boundaryDistance: Double
  /// The place in the add order.
  var place: UInt32
  /// Whether only bounds of the distance are known.
  var isOpen = false

  /// Whether this line ranks before another: the nearer line first, and of equally near lines the one that was added
  /// first.
  @inline(__always)
  func precedes(_ other: NearLine) -> Bool {
    let (own, its) = (boundaryDistance.magnitude, other.boundaryDistance.magnitude)
    return own != its ? own < its : place < other.place
  }
}

/// The lines that are nearest to a point, according to the distances and bounds that are known so far.
private struct Ranking {
  let count: Int
  /// Metres. A line whose distance is larger is not among the nearest.
  private(set) var limit = Double.infinity
  /// The farthest line first.
  var nearest: BinaryHeap<NearLine>

  init(_ count: Int, memory: BinaryHeap<NearLine>) {
    (self.count, nearest) = (count, memory)
    nearest.removeAll()
  }

  @inline(__always)
  mutating func take(_ line: NearLine) {
    if nearest.count < count {
      nearest.insert(line) { $1.precedes($0) }
    } else if let last = nearest.first, line.precedes(last) {
      nearest.replaceFirst(with: line) { $1.precedes($0) }
    }
    if nearest.count == count, let last = nearest.first { limit = min(limit, last.boundaryDistance.magnitude) }
  }

  /// Removes the lines whose distances are open; the limit stays.
  mutating func dropOpen() {
    let known = nearest.elements
    nearest.removeAll()
    for line in known where !line.isOpen { take(line) }
  }
}

/// The memory of a series of searches, and the result of the last one.
///
/// The distances of circles are computed when the search visits them. The distances of other shapes stay open until the
/// search has visited all shapes: they are bounded first by the bounding circles, then, the nearest first, by the
/// edges, as long as the bounds may matter. Finally the search computes the distances of the shapes that may be among
/// the nearest.
struct NearestLines: Sendable {
  private var search = NearestSearch()
  /// The farthest line first.
  private var nearest = BinaryHeap<NearLine>()
  private var open: ContiguousArray<OpenLine> = []

  /// A line that may be among the nearest, and a lower bound of its distance in metres.
  private struct OpenLine: Sendable {
    var least: Double
    var place: UInt32
    /// Whether the bound comes from the edges.
    var isBounded: Bool
  }

  /// Finds the nearest lines to a point, by a best-first search of the index; see ``CapIndex/visitNearest(to:_:_:)``.
  mutating func ask(_ table: ConditionTable, _ point: Coordinate, count: Int) {
    guard count > 0 else { return nearest.removeAll() }
    let position = EarthVector(latitude: point.latitude, longitude: point.longitude)
    var (ranking, open) = (Ranking(count, memory: nearest), open)
    (nearest, self.open) = (BinaryHeap(), [])
    open.removeAll(keepingCapacity: true)
    defer { (nearest, self.open) = (ranking.nearest, open) }
    table.index.visitNearest(to: position, &search) { slot, slack in
      switch table.shape(of: slot) {
      case .circle(let circle):
        if let (slack, isInside) = circle.slack(at: point, position, limit: ranking.limit), slack < .infinity {
          ranking.take(NearLine(boundaryDistance: isInside ? 0 - slack : slack, place: table.order.place(of: slot)))
        }
      case .polygon(let area), .corridor(let area), .line(let area):
        let bounds = area.slackBounds(at: position, slack, limit: ranking.limit)
        guard let (least, most, isBounded) = bounds else { break }
        let place = table.order.place(of: slot)
        open.append(OpenLine(least: least, place: place, isBounded: isBounded))
        ranking.take(NearLine(boundaryDistance: most, place: place, isOpen: true))
      }
      return ranking.limit
    }
    if !open.isEmpty { NearestLines.close(&open, &ranking, table, point, position) }
  }

  /// Computes the distances of the open lines that may be among the nearest.
  private static func close(
    _ open: inout ContiguousArray<OpenLine>, _ ranking: inout Ranking, _ table: ConditionTable, _ point: Coordinate,
    _ position: EarthVector
  ) {
    ranking.dropOpen()
    sort(&open, within: ranking.limit)
    for index in open.indices where !open[index].isBounded {
      guard open[index].least <= ranking.limit else { break }
      let slot = table.order.slots[Int(open[index].place)]
      let bounds = table.shape(of: slot).area?.shape.slackBounds(at: position, limit: ranking.limit)
      open[index].least = bounds?.least ?? .infinity
      if let bounds { ranking.take(NearLine(boundaryDistance: bounds.most, place: open[index].place, isOpen: true)) }
    }
    ranking.dropOpen()
    sort(&open, within: ranking.limit)
    for line in open {
      guard line.least <= ranking.limit else { return }
      let slot = table.order.slots[Int(line.place)]
      guard let area = table.shape(of: slot).area else { continue }
      ranking.take(NearLine(boundaryDistance: area.distance(point, at: position), place: line.place))
    }
  }

  /// Removes the lines whose lower bound exceeds a limit, and sorts the others by this bound, the smallest first.
  private static func sort(_ open: inout ContiguousArray<OpenLine>, within limit: Double) {
    open.removeAll { $0.least > limit }
    open.arrange { $0.least != $1.least ? $0.least < $1.least : $0.place < $1.place }
  }

  /// Calls `body` with each line found, the farthest first, and removes them.
  @inline(__always)
  mutating func take(_ body: (_ index: Int, _ line: NearLine) -> Void) {
    while let last = nearest.first {
      body(nearest.count - 1, last)
      nearest.removeFirst { $1.precedes($0) }
    }
  }

  var count: Int { nearest.count }
}

extension ConditionTable {
  /// The generations and boundary distances of the conditions whose lines are nearest to one valid point, the nearest
  /// first.
  @inline(__always)
  package func nearest(
    _ point: Coordinate, count: Int
  ) -> (generations: [UInt64], distances: [Double]) {
    var lines = NearestLines()
    lines.ask(self, point, count: count)
    var generations = [UInt64](repeating: 0, count: lines.count)
    var distances = [Double](repeating: 0, count: lines.count)
    lines.take { index, line in
      generations[index] = order.generations[Int(line.place)]
      distances[index] = line.boundaryDistance
    }
    return (generations, distances)
  }
}

extension Places {
  /// The conditions whose lines are nearest to a point, the nearest first; of equally near lines, the one that was
  /// added first comes first. A circle that covers the whole Earth has no line.
  ///
  /// - Parameter count: The number of conditions; the result is shorter if there are fewer lines.
  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` if the point is out of range or `count` is negative.
  /// - Complexity: O(count · log conditions), plus the shapes whose bounding circles contain the point.
  public func nearest(
    latitude: Double, longitude: Double, count: Int = 1
  ) throws(MonitorError) -> [LocatedCondition] {
    try Self.check(count)
    let point = Coordinate(latitude: latitude, longitude: longitude)
    if let defect = point.defect { throw .invalidArgument(defect) }
    var lines = NearestLines()
    lines.ask(table, point, count: count)
    var found: [LocatedCondition] = []
    lines.take { found.append(located(table.order.slots[Int($1.place)], $1.boundaryDistance)) }
    return found.reversed()
  }

  /// The conditions whose lines are nearest to each of several coordinates. See ``nearest(latitude:longitude:count:)``.
  public func nearest(_ coordinates: [Coordinate], count: Int = 1) throws(MonitorError) -> NearestConditions {
    try withColumns(coordinates) { points throws(MonitorError) in try nearest(points, count: count) }
  }

  /// The conditions whose lines are nearest to each of many points. See ``nearest(latitude:longitude:count:)``.
  public func nearest(_ points: PointColumns, count: Int = 1) throws(MonitorError) -> NearestConditions {
    try Self.check(count)
    var answer = NearestConditions()
    guard points.count > 0 else { return answer }
    var lines = NearestLines()
    lines.ask(table, try points.point(0), count: count)
    answer.count = lines.count
    let (size, isTooLarge) = points.count.multipliedReportingOverflow(by: answer.count)
    guard !isTooLarge else {
      throw .invalidArgument("count is \(count) for each of \(points.count) points; the product is too large")
    }
    answer.generations = [UInt64](repeating: 0, count: size)
    answer.boundaryDistances = [Double](repeating: 0, count: size)
    let each = answer.count
    try answer.generations.withUnsafeMutableBufferPointer { (generations) throws(MonitorError) in
      try answer.boundaryDistances.withUnsafeMutableBufferPointer { (distances) throws(MonitorError) in
        _ = try nearest(
          points, count: each, generations: generations.baseAddress, distances: distances.baseAddress)
      }
    }
    return answer
  }

  /// Writes the conditions whose lines are nearest to each of many points into the caller's memory: `count` elements
  /// for each point, in each list that is not `nil`.
  ///
  /// - Returns: The number of these elements that are filled, which is the same for each point.
  package func nearest(
    _ points: PointColumns, count: Int, generations: UnsafeMutablePointer<UInt64>?,
    distances: UnsafeMutablePointer<Double>?
  ) throws(MonitorError) -> Int {
    try points.checkRows()
    var order = RowOrder()
    var lines = NearestLines()
    var first = 0
    var filled = 0
    while first < points.count {
      let rows = first..<min(first + rowsAtATime, points.count)
      try order.sort(rows, of: points)
      for index in 0..<rows.count {
        let row = first + order[index]
        lines.ask(table, try points.point(row), count: count)
        filled = lines.count
        lines.take { place, line in
          generations?[row &* count &+ place] = table.order.generations[Int(line.place)]
          distances?[row &* count &+ place] = line.boundaryDistance
        }
      }
      first = rows.upperBound
    }
    return filled
  }

  private static func check(_ count: Int) throws(MonitorError) {
    guard count >= 0 else { throw .invalidArgument("count is \(count); must be at least 0") }
  }
}
