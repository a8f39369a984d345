import FencepostKernel

// Whose lines are nearest to a point.

/// A line, by how far it is from a point.
struct NearLine: Sendable {
  /// Metres, negative inside.
  var boundaryDistance: Double
  /// In the add order.
  var place: UInt32

  /// The nearer one first, of equally near ones the one that was added first.
  @inline(__always)
  func precedes(_ other: NearLine) -> Bool {
    let (own, its) = (boundaryDistance.magnitude, other.boundaryDistance.magnitude)
    return own != its ? own < its : place < other.place
  }
}

/// What one question after another needs on its way, and what the last one found.
struct NearestLines: Sendable {
  private var search = NearestSearch()
  /// The farthest first.
  private var nearest = BinaryHeap<NearLine>()

  /// Finds the nearest lines to a point, by a best-first search of the index; see ``CapIndex/visitNearest(to:_:_:)``.
  mutating func ask(_ table: ConditionTable, _ point: Coordinate, count: Int) {
    nearest.removeAll()
    guard count > 0 else { return }
    let position = EarthVector(latitude: point.latitude, longitude: point.longitude)
    var nearest = nearest
    self.nearest = BinaryHeap()
    defer { self.nearest = nearest }
    var limit = Double.infinity
    table.index.visitNearest(to: position, &search) { slot, _ in
      guard let (slack, isInside) = table.shape(of: slot).slack(at: point, position, limit: limit), slack < .infinity
      else { return limit }
      let line = NearLine(boundaryDistance: isInside ? 0 - slack : slack, place: table.order.place(of: slot))
      if nearest.count < count {
        nearest.insert(line) { $1.precedes($0) }
      } else if let last = nearest.first, line.precedes(last) {
        nearest.replaceFirst(with: line) { $1.precedes($0) }
      }
      if nearest.count == count, let last = nearest.first { limit = last.boundaryDistance.magnitude }
      return limit
    }
  }

  /// Hands over what was found, the farthest first, and forgets it.
  @inline(__always)
  mutating func take(_ body: (_ index: Int, _ line: NearLine) -> Void) {
    while let last = nearest.first {
      body(nearest.count - 1, last)
      nearest.removeFirst { $1.precedes($0) }
    }
  }

  var count: Int { nearest.count }
}

extension Places {
  /// The conditions whose lines are nearest to a point, the nearest first, of equally near ones the one that was added
  /// first. A circle that holds the whole Earth has no line.
  ///
  /// - Parameter count: How many; fewer when there are no more.
  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` when the point is out of range, or the count negative.
  /// - Complexity: O(count · log conditions) and the shapes whose circles hold the point.
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

  /// The conditions whose lines are nearest to each of some coordinates. See ``nearest(latitude:longitude:count:)``.
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
      throw .invalidArgument("count is \(count) for each of \(points.count) points; that is more than can be counted")
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

  /// The same of one valid point, by generation.
  package func nearest(
    _ point: Coordinate, count: Int
  ) -> (generations: [UInt64], distances: [Double]) {
    var lines = NearestLines()
    lines.ask(table, point, count: count)
    var generations = [UInt64](repeating: 0, count: lines.count)
    var distances = [Double](repeating: 0, count: lines.count)
    lines.take { index, line in
      generations[index] = table.order.generations[Int(line.place)]
      distances[index] = line.boundaryDistance
    }
    return (generations, distances)
  }

  /// The same into memory of the caller: `count` places for each point in each list that is not `nil`.
  ///
  /// - Returns: how many of them are filled, the same number for each point.
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
    guard count >= 0 else { throw .invalidArgument("count is \(count); accepted are values from 0") }
  }
}
