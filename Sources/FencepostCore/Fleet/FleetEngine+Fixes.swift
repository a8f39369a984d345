import FencepostKernel

/// The fixes of devices. An accepted fix takes the first of these ways that applies:
///
/// 1. `passes`: the fix is in the device's safe region and nothing is due. Only the device's line changes.
/// 2. `stays`, for devices with a path or plausibility: the same, but the last fix is stored too.
/// 3. `measures`: the fix reaches no threshold and nothing is due. The safe region moves to the fix.
/// 4. `evaluate`: the device is unpacked into the tracker, which applies the fix by the rules of a monitor; then the device
///    is packed again and its events are queued.
extension FleetEngine {
  /// Feeds one fix of a device. A fix without a position (accuracy negative or NaN) is accepted, ignored and counted.
  ///
  /// - Throws: ``MonitorError/noSuchDevice(_:position:)``; ``MonitorError/invalidArgument(_:position:)`` if the
  ///   coordinate or the time is out of range (counted); ``MonitorError/lateInput(time:clock:)`` and
  ///   ``MonitorError/aheadOfClock(time:clock:limit:)`` (counted); ``MonitorError/queueFull(limit:position:)``. A
  ///   refused fix changes nothing except the counters.
  public mutating func feed(_ fix: Fix, for number: UInt64) throws(MonitorError) {
    let device = try line(of: number)
    devices.ownLines()
    let isFull = delivery.count >= options.maxPendingEvents
    let clock = devices.lines[device].clock
    if !isFull, gate.withGeneration({ passes(fix, device, $0) }) {
      devices.move(device)
      devices.take(device, at: fix.time.microseconds, after: max(clock, watermark.time))
      counters.acceptedFixes += 1
      return
    }
    devices.own()
    switch try gate.read({ table throws(MonitorError) in try take(fix, device, row: 0, table) }) {
    case .accepted: counters.acceptedFixes += 1
    case .invalid: if let defect = fix.defect { throw .invalidArgument(defect) }
    case .doubted: break
    }
  }

  /// Feeds one fix of a device that may have an error ellipse and a height. See ``feed(_:for:)``.
  ///
  /// - Returns: Whether the fix was accepted, invalid or doubted.
  @discardableResult
  public mutating func feed(
    _ fix: Fix, ellipse: FixEllipse?, height: FixHeight? = nil, for number: UInt64, row: Int = 0
  ) throws(MonitorError) -> FeedResult {
    try feed(fix, FixExtras(ellipse: ellipse, height: height), for: number, row: row)
  }

  private mutating func feed(
    _ fix: Fix, _ extras: FixExtras, for number: UInt64, row: Int
  ) throws(MonitorError) -> FeedResult {
    let device = try line(of: number)
    devices.own()
    let outcome = try gate.read { table throws(MonitorError) in try take(fix, extras, device, row: row, table) }
    if outcome == .invalid, let defect = fix.defect ?? extras.ellipse?.defect { throw .invalidArgument(defect) }
    let result = FeedResult(outcome)
    counters.acceptedFixes += UInt64(result.accepted)
    return result
  }

  /// Accepts a fix if it is in the safe region and nothing is due at its time.
  ///
  /// - Parameter generation: The last generation of the table.
  /// - Returns: Whether the fix was accepted.
  @inline(__always)
  private func passes(_ fix: Fix, _ device: UInt32, _ generation: UInt64) -> Bool {
    let line = devices.lines.lines + Int(device)
    let time = fix.time.microseconds
    guard line.pointee.seen == generation, line.pointee.region.isOpen, fix.coordinate.isValid, fix.accuracy >= 0,
      line.pointee.region.skips(fix.coordinate), time >= line.pointee.clock, time >= watermark.time,
      time < line.pointee.earliest,
      time <= Timestamp.latest.microseconds, time &- max(line.pointee.clock, watermark.time) <= maxTimeStep,
      line.pointee.acceptedFixes != .max
    else { return false }
    line.pointee.clock = time
    line.pointee.acceptedFixes &+= 1
    line.pointee.keepPlace(fix.coordinate)
    return true
  }

  /// Feeds a fix that may change a state or be refused. An unusable or doubted fix is only counted.
  private mutating func take(
    _ fix: Fix, _ device: UInt32, row: Int, _ table: ConditionTable
  ) throws(MonitorError) -> FixOutcome {
    guard fix.isUsable else {
      counters.invalidFixes += 1
      count(device) { $0.invalidFixes += 1 }
      return .invalid
    }
    let clock = try checkTime(fix.time, device, table)
    var isLeap = false
    if let plausibility = options.plausibility {
      switch judge(fix, device, plausibility) {
      case .follows: break
      case .doubted: return .doubted
      case .corroborated: isLeap = options.path.isGeodesic
      }
    }
    devices.take(device, at: fix.time.microseconds, after: clock == .min ? fix.time.microseconds : clock)
    accept(fix, device, row: row, isLeap: isLeap, table)
    return .accepted
  }

  /// Feeds a fix that may have an error ellipse and a height. An unusable or doubted fix is only counted.
  @inline(never)
  private mutating func take(
    _ fix: Fix, _ extras: FixExtras, _ device: UInt32, row: Int, _ table: ConditionTable
  ) throws(MonitorError) -> FixOutcome {
    var fix = fix
    // A fix with a defect has no position.
    if extras.ellipse?.defect != nil { fix.accuracy = .nan }
    self.extras = FixExtras(ellipse: extras.ellipse, height: extras.knownHeight)
    defer { self.extras = FixExtras() }
    // Without a band, only the path from this fix may need its height later, when the table has a band.
    if self.extras.height != nil, fix.isUsable, options.path.isGeodesic || table.policies.hasBands {
      features.insert(.heights)
    }
    return try take(fix, device, row: row, table)
  }

  /// Decides whether a device can have reached a fix with an acceptable time, as ``Timeline/judge(_:_:)`` does. Counts a
  /// doubted fix.
  @inline(never)
  private mutating func judge(_ fix: Fix, _ device: UInt32, _ plausibility: Plausibility) -> Verdict {
    let handle = devices.lines[device].cold
    guard handle != ColdStore.none, let known = DeviceState.lastFix(in: devices.cold.words(handle)) else {
      return .follows
    }
    let follows = plausibility.follows(known, fix)
    if follows, !DeviceState.hasChain(in: devices.cold.words(handle)) { return .follows }
    devices.load(device, into: &state)
    var verdict = Verdict.follows
    if follows {
      state.chain = DoubtChain()
    } else if state.chain.extend(with: fix, plausibility) {
      verdict = .corroborated
    } else {
      verdict = .doubted
      state.counters.doubtedFixes += 1
      counters.doubtedFixes += 1
    }
    devices.store(device, state)
    return verdict
  }

  /// Applies a fix that was not refused.
  ///
  /// - Parameter isLeap: Whether the path to the fix is unknown; see ``Tracker/leap(to:_:_:_:)``.
  private mutating func accept(
    _ fix: Fix, _ device: UInt32, row: Int, isLeap: Bool, _ table: ConditionTable
  ) {
    if devices.lines[device].acceptedFixes == .max { count(device) { $0.acceptedFixes &+= 1 << 32 } }
    devices.lines[device].acceptedFixes &+= 1
    devices.lines[device].keepPlace(fix.coordinate)
    patches.keepUp(with: table.index.count, version: table.indexVersion)
    let hasEllipse = extras.ellipse != nil
    if hasEllipse { features.insert(.ellipses) }
    if table.policies.hasTimings { return acceptTimed(fix, device, row: row, table) }
    if options.keepsEachFix, !isLeap, !hasEllipse, stays(fix, device, table) { return }
    let position = EarthVector(latitude: fix.coordinate.latitude, longitude: fix.coordinate.longitude)
    var nearest: NearestCap?
    if !isLeap, !hasEllipse, measures(fix, at: position, device, table, &nearest) { return }
    // The changes on the path to the fix are not known yet.
    if options.path.isGeodesic { nearest = nil }
    let radius = devices.lines[device].lookRadius
    let patches = patches
    evaluate(device, at: fix.time.microseconds, row: row, isFix: true, table) { tracker, observed, survey, _ in
      if isLeap { tracker.leap(to: fix, table, &observed, &survey) }
      return tracker.evaluateAlone(fix, at: position, within: radius, nearest, patches, table, &observed, &survey)
    }
  }

  /// If a device is inside more shapes than this, or about to cross more, only the tracker evaluates it, because the
  /// index can skip at most this many shapes.
  private static var mostMeasured: Int { 16 }

  /// If a fix reaches no threshold and nothing is due at its time, accepts the fix and moves the safe region to it.
  ///
  /// - Parameter nearest: Receives the nearest of the shapes that the device is settled outside of, if it becomes
  ///   known.
  /// - Returns: Whether the fix was accepted; otherwise nothing has changed.
  @inline(__always)
  private mutating func measures(
    _ fix: Fix, at position: EarthVector, _ device: UInt32, _ table: ConditionTable, _ nearest: inout NearestCap?
  ) -> Bool {
    let line = devices.lines[device]
    guard line.seen == table.order.lastGeneration, line.earliest > fix.time.microseconds, line.cold != ColdStore.none,
      let record = DeviceRecord(devices.cold.words(line.cold)),
      record.insideCount + record.crossingCount <= Self.mostMeasured
    else { return false }
    // The length of the path to the fix, which is an upper bound of how far the path leads away from the fix.
    var way = 0.0
    if options.path.isGeodesic {
      guard let length = lengthOfWay(to: fix, at: position, device) else { return false }
      way = length
    }
    let hasBands = table.policies.hasBands
    if !table.isOfCircles, table.lineCount == 0, record.crossingCount == 0, !hasBands,
      let slack = slackByEdges(record, at: position, isNew: !line.region.isNear(fix.coordinate), table), slack > way
    {
      devices.lines[device].clock = fix.time.microseconds
      devices.drawSafeRegion(
        device, at: fix.coordinate, slack: slack, nearest: .max, room: slack, isHidden: options.keepsEachFix)
      replaceLastFix(device, fix)
      return true
    }
    let moved = line.region.isOpen ? line.region.moved(to: fix.coordinate) : .infinity
    var found = nearestKnown(to: device, moved, at: position, table)
    nearest = found
    var least = Double.infinity
    for index in 0..<record.insideCount {
      let slot = record.inside(index)
      if record.crossingCount == 0, !hasBands, let slack = table.exitSlack(ofCircle: slot, at: position) {
        guard slack > 0 else { return false }
        least = min(least, slack)
        continue
      }
      guard isClear(of: slot, .inside, record, at: position, table, &least) else { return false }
    }
    for index in 0..<record.crossingCount {
      let slot = record.crossing(index)
      guard record.isInside(slot) || isClear(of: slot, .outside, record, at: position, table, &least) else {
        return false
      }
    }
    // If the free distance is short and no known shape causes that, another search may give a longer distance.
    if let near = found, near.next < Self.leastRoom * moved, near.next <= min(least, near.slack) { found = nil }
    let near: NearestCap
    if let found {
      near = found
    } else {
      let radius = line.lookRadius
      near = search(near: position, within: radius, except: record, isNew: !line.region.isNear(fix.coordinate), table)
      devices.lines[device].adjustLook(slack: min(near.next, radius))
      // If two of the shapes may be reached, the tracker searches all shapes.
      nearest = near.next > Neighbourhood.chordGuard ? near : nil
    }
    least = min(least, near.slack)
    // Single precision cannot decide whether a threshold this near is reached, so the tracker decides.
    guard least > Neighbourhood.chordGuard, least > way else { return false }
    devices.lines[device].clock = fix.time.microseconds
    devices.drawSafeRegion(
      device, at: fix.coordinate, slack: least, nearest: near.id, room: near.next, isHidden: options.keepsEachFix)
    replaceLastFix(device, fix)
    return true
  }

  /// Replaces only the last fix of a device, and its height.
  @inline(__always)
  mutating func replaceLastFix(_ device: UInt32, _ fix: Fix) {
    devices.replaceLastFix(device, fix)
    if features.contains(.heights) { devices.setHeight(extras.height, of: device) }
  }

  /// A search is repeated if it leaves less free distance than this fraction of the distance that the device has moved.
  private static var leastRoom: Double { 0.5 }

  /// Returns the nearest of the shapes that a device is settled outside of, according to its surroundings; `nil` if the
  /// surroundings do not include the position.
  ///
  /// - Parameter moved: An upper bound of the distance that the device has moved since its surroundings were noted, in
  ///   metres.
  @inline(__always)
  private func nearestKnown(
    to device: UInt32, _ moved: Double, at position: EarthVector, _ table: ConditionTable
  ) -> NearestCap? {
    let surroundings = devices.lines.surroundings[Int(device)]
    let room = surroundings.room - moved
    guard room > 0 else { return nil }
    var nearest = NearestCap(within: room)
    if surroundings.slot != .max, table.isGeographic(surroundings.slot) {
      let bounds = table.bounds(of: surroundings.slot)
      nearest.id = surroundings.slot
      nearest.slack = min(room, bounds.centre.squaredChord(to: position).squareRoot() - bounds.reach)
    }
    return nearest
  }

  /// Returns how far a device can move from a position before a fix may change something, according to the cells of
  /// edges; `nil` if the device may be on another side of an edge, or if the cells cannot decide.
  ///
  /// - Parameter isNew: Whether the device jumped to the position, so that another query near it is not expected.
  @inline(never)
  private mutating func slackByEdges(
    _ record: DeviceRecord, at position: EarthVector, isNew: Bool, _ table: ConditionTable
  ) -> Double? {
    edges.keepUp(with: table.index.count, version: table.indexVersion)
    var answer = edges.answer(at: position)
    if case .missing = answer, !isNew {
      let (rows, shapes) = (table.rows, table.shapes)
      answer = edges.make(at: position, table.index) { slot in
        let bounds = rows[Int(slot)].bounds
        return (Int(slot) < shapes.count ? shapes[Int(slot)] : nil, bounds.centre, bounds.reach)
      }
    }
    guard case .place(let place) = answer else { return nil }
    var polygons = 0
    var least = Double.infinity
    for index in 0..<record.insideCount {
      let slot = record.inside(index)
      if edges.holds(slot, place) {
        polygons &+= 1
      } else {
        guard table.isRound(slot), isClear(of: slot, .inside, record, at: position, table, &least) else { return nil }
      }
    }
    // All polygons that the device is inside of contain the position; no other polygon may.
    guard polygons == place.polygonCount else { return nil }
    least = min(least, edges.slack(place) { table.isRound($0) && record.isInside($0) })
    guard least > Neighbourhood.chordGuard else { return nil }
    edges.countSaving()
    return least
  }

  /// Returns the nearest shape in the index, except the shapes of `record`.
  ///
  /// - Parameter isNew: Whether another query near the position is not expected.
  @inline(__always)
  private mutating func search(
    near position: EarthVector, within distance: Double, except record: DeviceRecord, isNew: Bool,
    _ table: ConditionTable
  ) -> NearestCap {
    let count = record.insideCount + record.crossingCount
    var known = SIMD16<UInt32>(repeating: .max)
    for index in 0..<record.insideCount { known[index] = record.inside(index) }
    for index in 0..<record.crossingCount { known[record.insideCount + index] = record.crossing(index) }
    var place = patches.place(of: position)
    if place == nil, !isNew {
      let rows = table.rows
      place = patches.makePlace(of: position, table.index) {
        (rows[Int($0)].bounds.centre, rows[Int($0)].bounds.reach)
      }
    }
    if let place {
      // Searches to the margin of the patch, which may exceed `distance`, because that costs no more.
      let nearest = patches.nearest(at: place, within: place.margin, except: known, count: count)
      if nearest.slack < place.margin || distance <= place.margin { return nearest }
    }
    return NearestCap(within: table.index.leastSlack(near: position, within: distance, except: known, count: count))
  }

  /// Whether a shape that the device is inside or about to cross need not be evaluated at a position. Lowers `least` to
  /// the distance that the device may move before the shape must be evaluated.
  @inline(__always)
  private func isClear(
    of slot: UInt32, _ observed: Observed, _ record: DeviceRecord, at position: EarthVector, _ table: ConditionTable,
    _ least: inout Double
  ) -> Bool {
    guard table.isGeographic(slot) else { return false }
    let candidate = record.crossingCount == 0 ? nil : record.candidate(of: slot)
    let slack = table.activeWatch(slot, observed, candidate, from: nil).slack(at: position)
    if slack < least { least = slack }
    return slack > 0
  }

  // MARK: - Many

  /// Feeds many fixes of many devices in order, with the same result as single calls. Fixes that are invalid, late,
  /// too far ahead or doubted are skipped and counted.
  ///
  /// - Parameter result: Receives the counts of the consumed rows, even if the queue is full.
  /// - Throws: ``MonitorError/noSuchDevice(_:position:)``, whose position is the first row with a number that no device
  ///   has; nothing has changed then. ``MonitorError/queueFull(limit:position:)``; the rows before its position have
  ///   taken effect.
  public mutating func feed(_ columns: FleetColumns, result: inout FeedResult) throws(MonitorError) {
    try feed(rows: columns, &result)
  }

  /// Feeds many fixes of many devices in order. See ``feed(_:result:)``.
  @discardableResult
  public mutating func feed(_ fixes: [(device: UInt64, fix: Fix)]) throws(MonitorError) -> FeedResult {
    var result = FeedResult()
    try feed(rows: FleetRows(rows: fixes), &result)
    return result
  }

  mutating func feed(rows: some FleetFixRows, _ result: inout FeedResult) throws(MonitorError) {
    result = FeedResult()
    // If the numbers are dense, a number can be checked without reading the line of the device.
    let isDense = devices.isDense
    let bound = UInt64(devices.bound)
    for row in 0..<rows.count {
      let number = rows.device(row)
      guard isDense ? number &- 1 >= bound : devices.line(of: number) == nil, !rows.isSkipped(row) else { continue }
      throw .noSuchDevice("row \(row): no device has the number \(number); it may have been removed", position: row)
    }
    if rows.isOne, !rows.isSkipped(0) {
      result = try feed(
        rows[unchecked: 0], FixExtras(rows.ellipses, rows.heights, row: 0), for: rows.device(0), row: rows.firstRow)
      return
    }
    devices.own()
    defer { counters.acceptedFixes += UInt64(result.accepted) }
    var row = 0
    repeat {
      try gate.read { table throws(MonitorError) in try feed(rows, from: &row, table, &result) }
    } while row < rows.count
  }

  /// Feeds rows until the last row, or until another thread waits to change the table.
  private mutating func feed(
    _ columns: some FleetFixRows, from row: inout Int, _ table: ConditionTable, _ result: inout FeedResult
  ) throws(MonitorError) {
    // No device has seen the second generation, so a fix with an error ellipse is not accepted without evaluation.
    let ellipses = columns.ellipses
    let heights = columns.heights
    let generation = ellipses == nil ? table.passable : .max
    let count = columns.count
    while row < count {
      let end = min(row + ReadAhead.block, count)
      let start = row
      var lines = InlineArray<32, UInt32>(repeating: .max)
      readAhead(columns, row..<end, &lines)
      while row < end {
        let device = lines[row &- start]
        let fix = columns[unchecked: row]
        if device == .max {
          if !columns.isSkipped(row) { result.invalid += 1 }
        } else {
          let clock = devices.lines[device].clock
          if delivery.count < options.maxPendingEvents, passes(fix, device, generation) {
            devices.move(device)
            devices.take(device, at: fix.time.microseconds, after: max(clock, watermark.time))
            result.accepted += 1
          } else {
            try feedSlowly(fix, ellipses, heights, device, row, of: columns.firstRow, table, &result)
          }
        }
        row += 1
      }
      if gate.isWaitedFor { return }
    }
  }

  /// Feeds a row that may change a state or be refused. This is a function of its own, because a closure in the loop
  /// would capture the loop's variables, and keep them in memory instead of in registers.
  @inline(never)
  private mutating func feedSlowly(
    _ fix: Fix, _ ellipses: EllipseColumns?, _ heights: HeightColumns?, _ device: UInt32, _ row: Int,
    of firstRow: Int, _ table: ConditionTable, _ result: inout FeedResult
  ) throws(MonitorError) {
    try result.count(row: row) { () throws(MonitorError) in
      guard ellipses != nil || heights != nil else { return try take(fix, device, row: firstRow + row, table) }
      return try take(fix, FixExtras(ellipses, heights, row: row), device, row: firstRow + row, table)
    }
  }

  /// Finds the lines of the next devices, and begins to read them. The reads are independent of each other, so they overlap.
  ///
  /// - Parameter found: Receives the lines; `UInt32.max` for a number that no device has. The numbers have been checked
  ///   before, but the caller may have changed its columns since then, and this must not cause an invalid access.
  @inline(__always)
  private mutating func readAhead(
    _ columns: some FleetFixRows, _ rows: Range<Int>, _ found: inout InlineArray<32, UInt32>
  ) {
    let lines = devices.lines.lines
    let surroundings = devices.lines.surroundings
    for row in rows {
      if let device = devices.line(of: columns.device(row)) {
        found[row &- rows.lowerBound] = device
        ReadAhead.begin(lines + Int(device))
      }
    }
    // For devices that have left their safe region, also reads their stored state and their surroundings.
    for row in rows {
      let device = found[row &- rows.lowerBound]
      guard device != .max else { continue }
      let line = lines + Int(device)
      let coordinate = columns[unchecked: row].coordinate
      if line.pointee.cold != ColdStore.none, coordinate.isValid, !line.pointee.region.skips(coordinate) {
        ReadAhead.begin(devices.cold.words(line.pointee.cold))
        ReadAhead.begin(surroundings + Int(device))
      }
    }
  }
}
