import FencepostKernel

// Which places hold a point.

/// What one question after another needs on its way, and what was found: places of the add order, ascending for each point,
/// and the signed boundary distances where they were asked for.
///
/// Points are asked about in groups, one step for all of a group and then the next: most of the time goes to waiting for
/// memory, and then they wait together.
struct ContainingSearch: Sendable {
  /// Points of a group.
  static let group = 32

  struct Asked {
    var point: Coordinate
    var position: EarthVector
    /// Where its hits end.
    var end: Int
  }

  private var hits: ContiguousArray<CapHit> = []
  private var places: ContiguousArray<UInt32> = []
  fileprivate(set) var found: ContiguousArray<UInt32> = []
  fileprivate(set) var distances: ContiguousArray<Double> = []

  /// Appends what holds one valid point.
  mutating func ask(_ table: ConditionTable, _ point: Coordinate, distances: Bool) {
    withUnsafeTemporaryAllocation(of: Asked.self, capacity: 1) { group in
      group.initializeElement(
        at: 0,
        to: Asked(
          point: point, position: EarthVector(latitude: point.latitude, longitude: point.longitude), end: 0))
      ask(table, UnsafeMutableBufferPointer(rebasing: group[0..<1]), distances: distances) { _, _ in }
    }
  }

  /// Appends what holds each point of a group.
  ///
  /// - Parameter body: gets the number of each point of the group, and the end of what was found for it.
  @inline(__always)
  mutating func ask(
    _ table: ConditionTable, _ group: UnsafeMutableBufferPointer<Asked>, distances wantsDistances: Bool,
    _ body: (_ index: Int, _ end: Int) -> Void
  ) {
    hits.removeAll(keepingCapacity: true)
    table.index.collectHolding(count: group.count, bend: ChordThreshold.bend, into: &hits) {
      group[$0].position
    } end: {
      group[$0].end = $1
    }
    places.removeAll(keepingCapacity: true)
    for hit in hits { places.append(table.order.place(of: hit.id)) }
    var next = 0
    for index in 0..<group.count {
      let first = found.count
      while next < group[index].end {
        let hit = hits[next]
        let place = places[next]
        next &+= 1
        if wantsDistances {
          guard let distance = table.distanceWithin(hit.id, group[index].point, at: group[index].position) else {
            continue
          }
          distances.append(distance)
        } else if !(hit.slack < 0 && table.isRound(hit.id)) {
          // Of a hit within its circle for certain the condition need not be looked at.
          guard table.holds(group[index].point, at: group[index].position, hit.id) else { continue }
        }
        found.append(place)
      }
      sort(from: first, withDistances: wantsDistances)
      body(index, found.count)
    }
  }

  mutating func removeAll() {
    found.removeAll(keepingCapacity: true)
    distances.removeAll(keepingCapacity: true)
  }

  /// Few are put in order where they are, many as others are.
  @inline(__always)
  private mutating func sort(from first: Int, withDistances: Bool) {
    guard found.count &- first <= 32 else { return sortMany(from: first, withDistances: withDistances) }
    var index = first &+ 1
    while index < found.count {
      let own = found[index]
      var place = index
      while place > first, found[place &- 1] > own {
        found[place] = found[place &- 1]
        place &-= 1
      }
      if place != index {
        found[place] = own
        if withDistances {
          let distance = distances.remove(at: index)
          distances.insert(distance, at: place)
        }
      }
      index &+= 1
    }
  }

  @inline(never)
  private mutating func sortMany(from first: Int, withDistances: Bool) {
    guard withDistances else { return found[first...].sort() }
    let sorted = zip(found[first...], distances[first...]).sorted { $0.0 < $1.0 }
    for (offset, (place, distance)) in sorted.enumerated() {
      found[first + offset] = place
      distances[first + offset] = distance
    }
  }
}

extension ConditionTable {
  /// Whether a geographic condition holds a point.
  func holds(_ point: Coordinate, at position: EarthVector, _ slot: UInt32) -> Bool {
    shape(of: slot).measure(point, at: position, margins: (0, 0)).isInside
  }

  /// The signed boundary distance of a point that a geographic condition holds, metres; `nil` when it does not.
  func distanceWithin(_ slot: UInt32, _ point: Coordinate, at position: EarthVector) -> Double? {
    let shape = shape(of: slot)
    let measure = shape.measure(point, at: position, margins: (0, 0))
    return measure.isInside ? shape.boundaryDistance(measure, point, at: position) : nil
  }
}

extension Places {
  /// The conditions that hold a point, in add order.
  ///
  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` when the point is out of range.
  /// - Complexity: O(log conditions) and the shapes whose circles hold the point.
  public func containing(latitude: Double, longitude: Double) throws(MonitorError) -> [LocatedCondition] {
    let point = Coordinate(latitude: latitude, longitude: longitude)
    if let defect = point.defect { throw .invalidArgument(defect) }
    var search = ContainingSearch()
    search.ask(table, point, distances: true)
    return zip(search.found, search.distances).map { located(table.order.slots[Int($0)], $1) }
  }

  /// The conditions that hold each of many points.
  ///
  /// - Parameters:
  ///   - points: Columns in memory of the caller.
  ///   - distances: Whether to tell the distances to the lines too: a geodesic for each that is far.
  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` for the first row that is no point.
  /// - Complexity: O(log conditions) for each point, and the shapes whose circles hold it.
  public func containing(
    _ points: PointColumns, distances: Bool = false
  ) throws(MonitorError) -> ContainingConditions {
    var answer = ContainingConditions()
    answer.offsets.reserveCapacity(points.count + 1)
    try forEachContaining(points, distances: distances) { found, ownDistances in
      for place in found { answer.generations.append(table.order.generations[Int(place)]) }
      answer.boundaryDistances.append(contentsOf: ownDistances)
      answer.offsets.append(answer.generations.count)
    }
    return answer
  }

  /// The conditions that hold each of some coordinates. See ``containing(_:distances:)-(PointColumns,_)``.
  public func containing(
    _ coordinates: [Coordinate], distances: Bool = false
  ) throws(MonitorError) -> ContainingConditions {
    try withColumns(coordinates) { points throws(MonitorError) in try containing(points, distances: distances) }
  }

  /// The same of one valid point, by generation.
  package func containing(
    _ point: Coordinate, distances: Bool
  ) -> (generations: ContiguousArray<UInt64>, distances: ContiguousArray<Double>) {
    var search = ContainingSearch()
    search.ask(table, point, distances: distances)
    return (ContiguousArray(search.found.map { table.order.generations[Int($0)] }), search.distances)
  }

  /// The same into memory of the caller.
  ///
  /// - Parameters:
  ///   - offsets: one more than there are points; may be `nil`.
  ///   - capacity: of the two lists; what does not fit is only counted.
  /// - Returns: how many conditions there are for all points together.
  package func containing(
    _ points: PointColumns, offsets: UnsafeMutablePointer<Int64>?, generations: UnsafeMutablePointer<UInt64>?,
    distances: UnsafeMutablePointer<Double>?, capacity: Int
  ) throws(MonitorError) -> Int {
    try points.checkRows()
    var row = 0
    var size = 0
    offsets?[0] = 0
    try table.order.generations.withUnsafeBufferPointer { (known) throws(MonitorError) in
      try forEachContaining(points, distances: distances != nil) { found, ownDistances in
        if found.count <= capacity &- size {
          if let generations {
            var next = generations + size
            for place in found {
              next.pointee = known[Int(place)]
              next += 1
            }
          }
          if let distances {
            for (index, distance) in ownDistances.enumerated() { distances[size &+ index] = distance }
          }
        }
        size &+= found.count
        row &+= 1
        offsets?[row] = Int64(size)
      }
    }
    return size
  }

  /// Calls `body` for each point in turn, with places of the add order, ascending, and the distances.
  @inline(__always)
  private func forEachContaining(
    _ points: PointColumns, distances: Bool,
    _ body: (_ found: UnsafeBufferPointer<UInt32>, _ distances: UnsafeBufferPointer<Double>) -> Void
  ) throws(MonitorError) {
    var order = RowOrder()
    var search = ContainingSearch()
    // Per row of a part: where what was found begins and ends.
    var ranges = ContiguousArray(repeating: (first: UInt32, end: UInt32)(0, 0), count: min(points.count, RowOrder.part))
    var first = 0
    var part = RowOrder.part
    while first < points.count {
      let rows = first..<min(first + part, points.count)
      try order.sort(rows, of: points)
      search.removeAll()
      var asked = 0
      try withUnsafeTemporaryAllocation(
        of: ContainingSearch.Asked.self, capacity: ContainingSearch.group
      ) { (group) throws(MonitorError) in
        // Where points lie in very many places, fewer of them are asked about at a time.
        while asked < rows.count, asked == 0 || search.found.count <= mostAtATime {
          let count = min(ContainingSearch.group, rows.count - asked, part)
          for index in 0..<count {
            group.initializeElement(
              at: index,
              to: ContainingSearch.Asked(
                point: points[unchecked: first + order[asked + index]], position: EarthVector(x: 0, y: 0, z: 0), end: 0)
            )
          }
          for index in 0..<count {
            let point = group[index].point
            guard point.isValid else { throw PointColumns.refused(point, first + order[asked + index]) }
            group[index].position = EarthVector(latitude: point.latitude, longitude: point.longitude)
          }
          var start = search.found.count
          search.ask(table, UnsafeMutableBufferPointer(rebasing: group[0..<count]), distances: distances) {
            index, end in
            ranges[order[asked + index]] = (UInt32(truncatingIfNeeded: start), UInt32(truncatingIfNeeded: end))
            start = end
          }
          asked += count
        }
      }
      guard asked == rows.count else {
        part = max(1, asked / 4)
        continue
      }
      search.found.withUnsafeBufferPointer { found in
        search.distances.withUnsafeBufferPointer { own in
          for row in 0..<rows.count {
            let range = Int(ranges[row].first)..<Int(ranges[row].end)
            body(
              UnsafeBufferPointer(rebasing: found[range]),
              distances ? UnsafeBufferPointer(rebasing: own[range]) : UnsafeBufferPointer(start: nil, count: 0))
          }
        }
      }
      first = rows.upperBound
    }
  }

  func withColumns<Result>(
    _ coordinates: [Coordinate], _ body: (PointColumns) throws(MonitorError) -> Result
  ) throws(MonitorError) -> Result {
    try coordinates.withUnsafeBufferPointer { (buffer) throws(MonitorError) in
      // Nothing is read of a column without rows.
      let start = UnsafeRawPointer(buffer.baseAddress ?? UnsafePointer(bitPattern: 8).unsafelyUnwrapped)
      let stride = MemoryLayout<Coordinate>.stride
      return try body(
        PointColumns(
          count: buffer.count, latitudes: .init(start: start, stride: stride),
          longitudes: .init(start: start + MemoryLayout<Double>.stride, stride: stride)))
    }
  }
}
