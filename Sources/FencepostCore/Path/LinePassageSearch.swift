import FencepostKernel

/// A line that the path crosses, and the first instant at which the device is on its other side.
struct LinePassage: Sendable {
  /// The time with which the crossing is reported.
  var time: Int64
  /// The device's real position and time at the crossing, if the crossing was earlier than `time`; otherwise `nil`.
  var early: Fix?
  var generation: UInt64
  var slot: UInt32
  var isToLeft: Bool
}

/// Finds the instants at which a leg crosses line conditions.
///
/// The leg is examined in short pieces. At each end of a piece, the device is on one side of each near edge. The result
/// is the same as with a fix at each microsecond, so two crossings in opposite directions within one microsecond do not
/// count.
struct LinePassageSearch {
  /// The length of a piece, in metres; less than the longest piece that the kernel can examine at once.
  private static let pieceLength = 10_000.0

  private let startTime, endTime: Int64
  /// The length of the leg, in metres.
  private let length: Double
  private let first, last: EarthVector
  /// The larger of the accuracies of the two ends, in metres.
  private let accuracy: Double
  /// The leg as a short segment, if it is short enough.
  private let short: ShortSegment?
  private let long: GeodesicSegment
  private var found: [(time: Int64, crossing: LineCrossing)] = []
  private var crossings: [LineCrossing] = []

  /// - Parameters:
  ///   - start: A usable fix.
  ///   - end: A usable fix that is not earlier than `start`.
  init(from start: Fix, to end: Fix) {
    (startTime, endTime) = (start.time.microseconds, end.time.microseconds)
    let from = SurfacePoint(start.coordinate)
    let to = SurfacePoint(end.coordinate)
    (first, last) = (from.vector, to.vector)
    accuracy = max(start.accuracy, end.accuracy)
    let isShort = first.squaredChord(to: last) <= ShortSegment.limit * ShortSegment.limit
    long = GeodesicSegment(from: from, to: to)
    let short = isShort ? ShortSegment(from: from.vector, to: to.vector) : nil
    self.short = short
    length = short?.length ?? long.length
  }

  /// Returns the position of the device. At the ends of the leg, it is exactly the position of the fix.
  ///
  /// - Parameter along: The distance from the start, in metres.
  private func position(_ along: Double) -> EarthVector {
    if along <= 0 { return first }
    if along >= length { return last }
    return short?.point(along) ?? long.point(along).place.vector
  }

  private func along(_ time: Int64) -> Double {
    // The divisor is at least 1, because the compiler may divide before it knows whether the quotient is needed.
    takesNoTime ? length : length * (Double(time - startTime) / Double(max(endTime - startTime, 1)))
  }

  /// Whether both fixes have the same time. The device is then at the second fix.
  var takesNoTime: Bool { startTime == endTime }

  func position(at time: Int64) -> EarthVector { position(along(time)) }

  /// Returns the position of the device at an instant, before it moves on; the start if both fixes have the same time.
  func start(_ time: Int64) -> EarthVector { takesNoTime ? first : position(at: time) }

  private func early(_ time: Int64) -> Fix {
    let place = long.point(along(time)).place
    return Fix(
      latitude: place.latitude, longitude: place.longitude, accuracy: accuracy, time: Timestamp(microseconds: time))
  }

  /// Appends the crossings of a line after an instant, up to and including another instant.
  ///
  /// - Parameter earliest: Crossings before this instant are reported with this time.
  mutating func list(
    _ slot: UInt32, _ table: ConditionTable, after start: Int64, through end: Int64, notBefore earliest: Int64,
    into passages: inout ContiguousArray<LinePassage>
  ) {
    guard length > 0, let shape = table.shape(of: slot).area?.shape else { return }
    found.removeAll(keepingCapacity: true)
    if takesNoTime {
      jump(over: shape, 0, length, at: endTime)
    } else {
      look(shape, from: start, to: end)
      // If the device touches the line at the instant at which the path is divided, both parts must be examined.
      if found.contains(where: { $0.time == end }), end < endTime { look(shape, from: end, to: end + 1) }
      if found.contains(where: { $0.time == start + 1 }), start > startTime { look(shape, from: start - 1, to: start) }
    }
    // The sort is stable, so crossings with the same chain and time keep their order.
    found.arrange { ($0.crossing.chain, $0.time) < ($1.crossing.chain, $1.time) }
    var nets: [(time: Int64, chain: Int, net: Int)] = []
    for (time, crossing) in found {
      let change = crossing.isToLeft ? 1 : -1
      if let last = nets.last, last.chain == crossing.chain, last.time == time {
        nets[nets.count - 1].net += change
      } else {
        nets.append((time, crossing.chain, change))
      }
    }
    // A device that reaches the line from its right at one instant, and leaves it at the next, has only touched it.
    for index in nets.indices.dropFirst() {
      let (before, here) = (nets[index - 1], nets[index])
      guard before.chain == here.chain, before.time + 1 == here.time, before.net > 0, here.net < 0 else { continue }
      let touches = min(before.net, -here.net)
      nets[index - 1].net -= touches
      nets[index].net += touches
    }
    nets.arrange { ($0.time, $0.chain) < ($1.time, $1.chain) }
    for (time, _, net) in nets where takesNoTime || time > start && time <= end {
      for _ in 0..<net.magnitude {
        passages.append(
          LinePassage(
            time: max(time, earliest), early: time < earliest ? early(time) : nil,
            generation: table.generation(of: slot), slot: slot, isToLeft: net > 0))
      }
    }
  }

  /// Examines a part of the leg. A long part is bisected, and halves that do not come near the line are skipped.
  private mutating func look(_ shape: GeodesicShape, from start: Int64, to end: Int64) {
    let (low, high) = (along(start), along(end))
    if high - low <= Self.pieceLength {
      for crossing in crossings(of: shape, low, high) {
        found.append((instant(of: crossing, after: start, through: end), crossing))
      }
    } else if end - start == 1 {
      jump(over: shape, low, high, at: end)
    } else if comesNear(shape, low, high) {
      let middle = start + (end - start) / 2
      look(shape, from: start, to: middle)
      look(shape, from: middle, to: end)
    }
  }

  /// Examines a part of the leg that the device travels within one microsecond.
  private mutating func jump(over shape: GeodesicShape, _ low: Double, _ high: Double, at time: Int64) {
    if high - low <= Self.pieceLength {
      for crossing in crossings(of: shape, low, high) { found.append((time, crossing)) }
    } else if comesNear(shape, low, high) {
      let middle = low + (high - low) / 2
      jump(over: shape, low, middle, at: time)
      jump(over: shape, middle, high, at: time)
    }
  }

  private mutating func crossings(of shape: GeodesicShape, _ low: Double, _ high: Double) -> [LineCrossing] {
    crossings.removeAll(keepingCapacity: true)
    shape.crossings(from: position(low), to: position(high), into: &crossings)
    return crossings
  }

  /// Whether the line may be within half the length of a part around the part's middle.
  private func comesNear(_ shape: GeodesicShape, _ low: Double, _ high: Double) -> Bool {
    let half = (high - low) / 2
    return shape.boundaryDistance(of: long.point(low + half).place) <= half + 1
  }

  /// Returns the first instant at which the device is beyond an edge. It must be beyond the edge at `end`, but not at
  /// `start`.
  private func instant(of crossing: LineCrossing, after start: Int64, through end: Int64) -> Int64 {
    var (low, high) = (start, end)
    var (before, beyond) = (crossing.excess(position(at: low)), crossing.excess(position(at: high)))
    var isHalving = false
    while high - low > 1 {
      let width = high - low
      var middle = low + width / 2
      if !isHalving, beyond > before {
        let share = -before / (beyond - before)
        middle = low + max(1, min(width - 1, (Double(width) * max(0, min(1, share))).roundedUp))
      }
      let position = position(at: middle)
      if crossing.isBeyond(position) {
        high = middle
        beyond = crossing.excess(position)
      } else {
        low = middle
        before = crossing.excess(position)
      }
      // If the interval has not become much shorter, it is bisected next.
      isHalving = !isHalving && (high - low) * 2 > width
    }
    return high
  }
}
