import FencepostKernel

// Finds the conditions that contain a point.

/// The memory and the results of a series of searches: the add-order places of the conditions that contain each point,
/// ascending for each point, and the signed boundary distances if they are requested.
///
/// Consecutive points that are close together form a group. The search collects the caps near a group once
/// (`NearCaps`), and tests each point of the group against this copy only.
struct ContainingSearch: ~Copyable {
  /// The largest number of points in a group.
  static let group = 32
  /// The number of points that are processed at a time. The points of a block are read first and converted to vectors
  /// afterwards, so that the waits for memory overlap.
  static let block = 512

  struct Asked {
    var point: Coordinate
    var position: EarthVector
  }

  private var near = NearCaps()
  /// The cells of the points in a group may differ in this many low bits. The number of caps near a group determines
  /// the spread of the next group, because each point is tested against all of them.
  private var spread: UInt64 = 12
  private static let mostSpread: UInt64 = 18
  private static let many = 40
  private static let few = 10

  fileprivate(set) var found = ContiguousArray<UInt32>()
  fileprivate(set) var distances = ContiguousArray<Double>()

  /// Appends the conditions that contain one valid point.
  mutating func ask(_ table: ConditionTable, _ point: Coordinate, distances: Bool) {
    let position = EarthVector(latitude: point.latitude, longitude: point.longitude)
    gather(table, around: position, within: 0)
    ask(table, Asked(point: point, position: position), distances: distances)
  }

  /// Appends the conditions that contain each of several valid points, which are in the order of a ``RowOrder``.
  ///
  /// - Parameters:
  ///   - first: The index of the first point in `order`.
  ///   - most: If more conditions than this are found, the remaining points are not searched.
  ///   - body: Receives the index of each point in `order`, and the end of its results in `found`.
  /// - Returns: The number of points that were searched.
  @inline(__always)
  mutating func ask(
    _ table: ConditionTable, _ points: UnsafeMutableBufferPointer<Asked>, from first: Int, of order: borrowing RowOrder,
    distances: Bool, atMost most: Int, _ body: (_ index: Int, _ end: Int) -> Void
  ) -> Int {
    var next = 0
    while next < points.count, next == 0 || found.count <= most {
      let start = next
      let cell = order.cell(first &+ start) &>> spread
      repeat {
        next &+= 1
      } while next < points.count && next &- start < Self.group
        && order.cell(first &+ next) &>> spread == cell
      gather(table, around: UnsafeMutableBufferPointer(rebasing: points[start..<next]))
      for index in start..<next {
        ask(table, points[index], distances: distances)
        body(first &+ index, found.count)
      }
    }
    return next
  }

  /// Collects the caps near a group.
  private mutating func gather(_ table: ConditionTable, around group: UnsafeMutableBufferPointer<Asked>) {
    var (least, most) = (SIMD3(repeating: Double.infinity), SIMD3(repeating: -Double.infinity))
    for asked in group {
      let place = SIMD3(asked.position.x, asked.position.y, asked.position.z)
      least = pointwiseMin(least, place)
      most = pointwiseMax(most, place)
    }
    let middle = (least + most) / 2
    let centre = EarthVector(x: middle.x, y: middle.y, z: middle.z)
    var square = 0.0
    for asked in group { square = max(square, centre.squaredChord(to: asked.position)) }
    gather(table, around: centre, within: square.squareRoot() * (1 + 0x1p-40))
    if near.count > Self.many {
      spread = max(spread, 1) - 1
    } else if near.count < Self.few {
      spread = min(spread + 1, Self.mostSpread)
    }
  }

  /// Collects the caps that overlap a ball, and replaces their slots by places of the add order.
  private mutating func gather(_ table: ConditionTable, around centre: EarthVector, within radius: Double) {
    table.index.gather(around: centre, within: radius, bend: ChordThreshold.bend, into: &near)
    if table.order.isOfSlots && table.isOfCircles { return }
    near.rename { (table.order.place(of: $0), table.isRound($0)) }
  }

  /// Appends the collected conditions that contain a point.
  @inline(__always)
  private mutating func ask(_ table: ConditionTable, _ asked: Asked, distances wantsDistances: Bool) {
    let (certain, possible) = near.find(at: asked.position)
    guard let own = certain.baseAddress else { return }
    var count = certain.count
    // A condition that certainly contains the point needs no measurement.
    for place in possible {
      if !wantsDistances {
        guard table.holds(asked.point, at: asked.position, table.order.slots[Int(place)]) else { continue }
      }
      own[count] = place
      count &+= 1
    }
    if count > 1 { Self.sort(UnsafeMutableBufferPointer(start: own, count: count)) }
    guard wantsDistances else {
      found.append(contentsOf: UnsafeBufferPointer(start: own, count: count))
      return
    }
    for index in 0..<count {
      let slot = table.order.slots[Int(own[index])]
      guard let distance = table.distanceWithin(slot, asked.point, at: asked.position) else { continue }
      found.append(own[index])
      distances.append(distance)
    }
  }

  mutating func removeAll() {
    found.removeAll(keepingCapacity: true)
    distances.removeAll(keepingCapacity: true)
  }

  /// Sorts distinct places in ascending order. The rank of each of at most 32 places is the number of smaller places;
  /// counting them needs no branch, and such a branch would often be mispredicted.
  @inline(__always)
  private static func sort(_ places: UnsafeMutableBufferPointer<UInt32>) {
    guard places.count <= 32 else { return sortMany(places) }
    withUnsafeTemporaryAllocation(of: SIMD4<UInt32>.self, capacity: 8) { copy in
      let groups = (places.count &+ 3) &>> 2
      copy.initialize(repeating: SIMD4(repeating: .max))
      let lanes = UnsafeMutableRawBufferPointer(copy)
      lanes.copyMemory(from: UnsafeRawBufferPointer(places))
      for index in 0..<places.count {
        let own = lanes.load(fromByteOffset: 4 &* index, as: UInt32.self)
        let key = SIMD4(repeating: own)
        var less = SIMD4<UInt32>()
        for group in 0..<groups { less = less &- unsafeBitCast(copy[group] .< key, to: SIMD4<UInt32>.self) }
        places[Int(less.wrappedSum())] = own
      }
    }
  }

  @inline(never)
  private static func sortMany(_ places: UnsafeMutableBufferPointer<UInt32>) {
    var places = places
    places.sort()
  }
}

extension ConditionTable {
  /// Whether a geographic condition contains a point; a point on the line counts as contained.
  func holds(_ point: Coordinate, at position: EarthVector, _ slot: UInt32) -> Bool {
    shape(of: slot).measure(point, at: position, margins: (0, 0)).isInside
  }

  /// The signed boundary distance of a point in metres; `nil` if the geographic condition does not contain the point.
  func distanceWithin(_ slot: UInt32, _ point: Coordinate, at position: EarthVector) -> Double? {
    let shape = shape(of: slot)
    let measure = shape.measure(point, at: position, margins: (0, 0))
    return measure.isInside ? shape.boundaryDistance(measure, point, at: position) : nil
  }

  /// The generations of the conditions that contain one valid point, in add order, and the distances if they are
  /// requested.
  @inline(__always)
  package func containing(
    _ point: Coordinate, distances: Bool
  ) -> (generations: ContiguousArray<UInt64>, distances: ContiguousArray<Double>) {
    var search = ContainingSearch()
    search.ask(self, point, distances: distances)
    return (ContiguousArray(search.found.map { order.generations[Int($0)] }), search.distances)
  }
}

extension Places {
  /// The conditions that contain a point, in add order.
  ///
  /// - Parameters:
  ///   - height: The height of the point; `nil` if it is not known. A limit of an ``AltitudeBand`` whose height
  ///     is not known is ignored.
  ///   - time: The time of the point; `nil` = schedules are ignored. A condition contains the point only in the intervals
  ///     of its schedule.
  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` if the point or the time is out of range.
  /// - Complexity: O(log conditions), plus the shapes whose bounding circles contain the point.
  public func containing(
    latitude: Double, longitude: Double, height: FixHeight? = nil, time: Timestamp? = nil
  ) throws(MonitorError) -> [LocatedCondition] {
    let point = Coordinate(latitude: latitude, longitude: longitude)
    if let defect = point.defect ?? time?.defect { throw .invalidArgument(defect) }
    var search = ContainingSearch()
    search.ask(table, point, distances: true)
    let heights = height?.heights ?? .none
    return zip(search.found, search.distances).compactMap { place, distance in
      contains(place, heights, at: time?.microseconds ?? .min)
        ? located(table.order.slots[Int(place)], distance) : nil
    }
  }

  /// The conditions that contain each of many points.
  ///
  /// - Parameters:
  ///   - points: Columns in the caller's memory.
  ///   - distances: Whether to return the distances to the lines too; each distance from a far line costs the full
  ///     geodesic solution.
  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` for the first row that is not a valid point, or that has a
  ///   time out of range.
  /// - Complexity: O(log conditions) for each point, plus the shapes whose bounding circles contain it.
  public func containing(
    _ points: PointColumns, distances: Bool = false
  ) throws(MonitorError) -> ContainingConditions {
    try points.checkTimes()
    var answer = ContainingConditions()
    answer.offsets.reserveCapacity(points.count + 1)
    try forEachContaining(points, distances: distances) { found, ownDistances in
      for place in found { answer.generations.append(table.order.generations[Int(place)]) }
      answer.boundaryDistances.append(contentsOf: ownDistances)
      answer.offsets.append(answer.generations.count)
    }
    return answer
  }

  /// The conditions that contain each of several coordinates. See ``containing(_:distances:)-(PointColumns,_)``.
  public func containing(
    _ coordinates: [Coordinate], distances: Bool = false
  ) throws(MonitorError) -> ContainingConditions {
    try withColumns(coordinates) { points throws(MonitorError) in try containing(points, distances: distances) }
  }

  /// Writes the conditions that contain each of many points into the caller's memory.
  ///
  /// - Parameters:
  ///   - offsets: One element more than there are points; may be `nil`.
  ///   - capacity: The number of elements of `generations` and of `distances`; conditions that do not fit are only
  ///     counted.
  /// - Returns: The number of conditions of all points together.
  package func containing(
    _ points: PointColumns, offsets: UnsafeMutablePointer<Int64>?, generations: UnsafeMutablePointer<UInt64>?,
    distances: UnsafeMutablePointer<Double>?, capacity: Int
  ) throws(MonitorError) -> Int {
    try points.checkRows()
    try points.checkTimes()
    var row = 0
    var size = 0
    offsets?[0] = 0
    let oldest = table.order.isWithoutGaps ? table.order.generations.first : nil
    try table.order.generations.withUnsafeBufferPointer { (known) throws(MonitorError) in
      try forEachContaining(points, distances: distances != nil) { found, ownDistances in
        if found.count <= capacity &- size {
          if let generations {
            let next = generations + size
            if let oldest {
              for index in 0..<found.count { next[index] = oldest &+ UInt64(found[index]) }
            } else {
              for index in 0..<found.count { next[index] = known[Int(found[index])] }
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

  /// Calls `body` for each point in row order, with the places of the add order, ascending, and with the distances.
  @inline(__always)
  private func forEachContaining(
    _ points: PointColumns, distances: Bool,
    _ body: (_ found: UnsafeBufferPointer<UInt32>, _ distances: UnsafeBufferPointer<Double>) -> Void
  ) throws(MonitorError) {
    var order = RowOrder()
    var search = ContainingSearch()
    var first = 0
    var part = rowsAtATime
    // For each row of a part, the range of its results.
    var ranges = ContiguousArray(repeating: (first: UInt32, end: UInt32)(0, 0), count: min(points.count, part))
    while first < points.count {
      let rows = first..<min(first + part, points.count)
      try order.sort(rows, of: points)
      search.removeAll()
      var asked = 0
      try withUnsafeTemporaryAllocation(
        of: ContainingSearch.Asked.self, capacity: ContainingSearch.block
      ) { (block) throws(MonitorError) in
        // If the points lie in very many conditions, a part gets fewer points.
        while asked < rows.count, asked == 0 || search.found.count <= mostAtATime {
          let count = min(ContainingSearch.block, rows.count - asked, part)
          for index in 0..<count {
            let point = points[unchecked: first + order[asked + index]]
            block.initializeElement(
              at: index, to: ContainingSearch.Asked(point: point, position: EarthVector(x: 0, y: 0, z: 0)))
          }
          for index in 0..<count {
            let point = block[index].point
            guard point.isValid else { throw PointColumns.refused(point, first + order[asked + index]) }
            block[index].position = EarthVector(latitude: point.latitude, longitude: point.longitude)
          }
          var start = search.found.count
          asked += search.ask(
            table, UnsafeMutableBufferPointer(rebasing: block[0..<count]), from: asked, of: order, distances: distances,
            atMost: mostAtATime
          ) { index, end in
            ranges[order[index]] = (UInt32(truncatingIfNeeded: start), UInt32(truncatingIfNeeded: end))
            start = end
          }
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
            if points.isQualified, table.policies.hasBands || table.policies.hasTimings {
              let height = points.heights?.height(first + row)?.heights ?? .none
              let time = points.time(first + row)
              let kept = range.filter { contains(found[$0], height, at: time) }
              ContiguousArray(kept.lazy.map { found[$0] }).withUnsafeBufferPointer { found in
                let own = ContiguousArray(distances ? kept.map { own[$0] } : [])
                own.withUnsafeBufferPointer { body(found, $0) }
              }
              continue
            }
            body(
              UnsafeBufferPointer(rebasing: found[range]),
              distances ? UnsafeBufferPointer(rebasing: own[range]) : UnsafeBufferPointer(start: nil, count: 0))
          }
        }
      }
      first = rows.upperBound
    }
  }

  /// Whether the band of the condition at a place of the add order contains a height, and its schedule a time;
  /// `Int64.min` stands for a missing time.
  private func contains(_ place: UInt32, _ heights: Heights, at time: Int64) -> Bool {
    let slot = table.order.slots[Int(place)]
    if time != .min, table.policies.hasTimings, table.timing(of: slot)?.schedule?.isActive(at: time) == false {
      return false
    }
    return table.band(of: slot)?.contains(heights) ?? true
  }

  func withColumns<Result>(
    _ coordinates: [Coordinate], _ body: (PointColumns) throws(MonitorError) -> Result
  ) throws(MonitorError) -> Result {
    try coordinates.withUnsafeBufferPointer { (buffer) throws(MonitorError) in
      // The address does not matter, because a column without rows is never read.
      let start = UnsafeRawPointer(buffer.baseAddress ?? UnsafePointer(bitPattern: 8).unsafelyUnwrapped)
      let stride = MemoryLayout<Coordinate>.stride
      return try body(
        PointColumns(
          count: buffer.count, latitudes: .init(start: start, stride: stride),
          longitudes: .init(start: start + MemoryLayout<Double>.stride, stride: stride)))
    }
  }
}
