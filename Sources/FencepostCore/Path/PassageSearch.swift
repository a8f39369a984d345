import FencepostKernel

/// Finds the first instant of a leg at which the device passes a threshold of a shape.
///
/// The distance from a line changes by no more than the device moves. So the search can advance by the distance between
/// the device and the threshold. The distance from a point is also convex along a geodesic, as long as it is less than
/// a quarter of the way around the Earth (by Rauch's comparison theorem, since the curvature is at most that at the
/// poles). A convex function is above its tangents, so Newton's method does not pass a root. It is below its chords, so
/// a circle that the device has left is not entered again.
struct PassageSearch {
  /// Up to this distance, the distance from a point is convex; less than πR₋/2, in metres.
  private static let convexDistance = 9.9e6
  /// The convexity is used for levels up to this one, in metres.
  private static let largestConvexLevel = 9e6
  /// Distances up to this one, in metres, are examined along the straight line of a short leg.
  private static let nearDistance = 15_000.0
  /// An upper bound, in metres, of the difference between the distance that a detector measures for a place of a short
  /// leg and the distance of the computed position. Both are exact to some nanometres: the place has a rounded
  /// coordinate, and the distance near a threshold is that of the full solution.
  private static let doubt = 1e-7
  /// The same upper bound for positions some microseconds before or after a computed one.
  private static let doubtAhead = 1.5e-7
  /// Within this distance of a position, in metres, the search extrapolates as if the device moved straight towards the
  /// centre or away from it. The error is below a hundredth of a micrometre. The second number is in metres for each
  /// metre of distance.
  private static let longestAhead = 1e-3
  private static let bendAhead = 2e-8
  /// After this number of steps for a polygon or a corridor, the edges near the leg are examined.
  private static let fewLooks = 16
  /// The maximum number of steps for a shape without a closed form if ``LevelSearch`` cannot examine its edges. If the
  /// path stays so near to a level that it may touch the level anywhere, the rest of the path is then examined at this
  /// many instants, and a touch between these instants may be missed. The second number applies to a leg on which there
  /// were already more steps than the third number.
  private static let mostLooks = 500
  private static let mostLooksLate = 16
  private static let mostLooksOfLeg = 50_000

  var leg: Leg
  private var looksOfLeg = 0
  /// The number of times that a changed circle was examined again.
  var changes = 0

  init(_ leg: Leg) {
    self.leg = leg
  }

  /// - Returns: The first microsecond from `first` through `last` at which the threshold is passed; `nil` if it is not
  ///   passed.
  mutating func first(_ threshold: PathThreshold, of shape: Shape, from first: Int64, through last: Int64) -> Int64? {
    // The interval is empty.
    guard first <= last else { return nil }
    if case .circle(let circle) = shape, circle.radius + threshold.level < Self.largestConvexLevel {
      switch threshold.passage {
      case .inwards: return approach(threshold, of: circle, from: first, through: last)
      case .outwards, .beyond: return leave(threshold, of: circle, from: first, through: last)
      }
    }
    if case .polygon(let area) = shape, threshold.level == 0, leg.isStraight {
      return cross(threshold, area.shape, of: shape, from: first, through: last)
    }
    return march(threshold, of: shape, from: first, through: last)
  }

  /// Finds where a short leg crosses the boundary of a polygon, from the edges near the leg. On parts of the leg where
  /// these edges do not suffice, the distance is measured in steps.
  private mutating func cross(
    _ threshold: PathThreshold, _ polygon: GeodesicShape, of shape: Shape, from first: Int64, through last: Int64
  ) -> Int64? {
    let isComing = threshold.passage == .inwards
    var first = first
    while true {
      let (start, end) = (leg.straight(at: first), leg.straight(at: last))
      let sag = Leg.sag(start.squaredChord(to: end).squareRoot())
      switch polygon.wayAhead(from: start, to: end, sagitta: sag, inwards: isComing) {
      case .passed: return first
      case .clear: return nil
      case .unknown(let from, let to):
        let span = Double(last - first)
        let begin = max(first, first + Int64(from * span) - 1)
        let end = to < 1 ? min(last, first + Int64(to * span) + 1) : last
        if let time = march(threshold, of: shape, from: begin, through: end) { return time }
        guard end < last else { return nil }
        first = end
      case .crossing(let crossing):
        return locate(crossing, threshold, of: shape, from: first, through: last)
      }
    }
  }

  /// Returns the first instant at which the device is past an edge that a short leg crosses; `nil` if the device does
  /// not get past the edge.
  private mutating func locate(
    _ crossing: EdgeCrossing, _ threshold: PathThreshold, of shape: Shape, from first: Int64, through last: Int64
  ) -> Int64? {
    let isComing = threshold.passage == .inwards
    let speed = crossing.advance / Double(last - first)
    let guess = min(last, first + Int64(crossing.share * Double(last - first)))
    func room(_ time: Int64) -> Double? {
      crossing.distance(at: leg.straight(at: time)).map { isComing ? $0 : -$0 }
    }
    var begin = first
    if let near = room(guess), near.magnitude < 1e9 * speed {
      // 1e9 is added before the conversion and subtracted after it, because the conversion rounds only positive numbers
      // down.
      let time = max(first + 1, min(last, guess + Int64(near / speed + 1e9) - 999_999_999))
      if let past = time == guess ? near : room(time) {
        if past < -Self.doubtAhead, past + 0.99 * speed > Self.doubtAhead { return time }
        if time == last, past > Self.doubtAhead { return nil }
        if past.magnitude < 4 * speed + 1e-6 {
          begin = max(first, time - Int64(min(1e9, 2e-6 / speed)) - 6)
        }
      }
    }
    return march(threshold, of: shape, from: begin, through: last)
  }

  private static func look(
    _ threshold: PathThreshold, of shape: Shape, _ time: Int64, _ leg: inout Leg
  ) -> (isPassed: Bool, room: Double) {
    let place = leg.place(at: time)
    let measure = shape.measure(place.coordinate, at: place.position, margins: threshold.margins)
    return (threshold.isPassed(measure), threshold.room(measure))
  }

  /// Returns the first instant past a threshold. With a hysteresis, it is the first instant of the uninterrupted period
  /// past the threshold in which the device first passes the hysteresis too.
  mutating func march(
    _ threshold: PathThreshold, of shape: Shape, from first: Int64, through last: Int64
  ) -> Int64? {
    guard let time = advance(threshold, of: shape, from: first, through: last) else { return nil }
    guard threshold.hysteresis > 0 else { return time }
    var level = threshold
    level.hysteresis = 0
    var (low, high, step) = (time - 1, time, Int64(1))
    while low >= first, Self.look(level, of: shape, low, &leg).isPassed {
      high = low
      low = step < low - first ? low - step : first - 1
      step *= 4
    }
    while high - low > 1 {
      let middle = low + (high - low) / 2
      if Self.look(level, of: shape, middle, &leg).isPassed { high = middle } else { low = middle }
    }
    return high
  }

  /// Advances in steps of the distance between the device and the threshold, because the device cannot pass the
  /// threshold earlier. If the leg approaches the threshold at a small angle, these steps become short; the edges near
  /// the leg are then examined.
  private mutating func advance(
    _ threshold: PathThreshold, of shape: Shape, from first: Int64, through last: Int64
  ) -> Int64? {
    var (before, time) = (first, first)
    var levels: LevelSearch?
    let most = looksOfLeg > Self.mostLooksOfLeg ? Self.mostLooksLate : Self.mostLooks
    var looks = 0
    while time <= last {
      let (isDone, room) = Self.look(threshold, of: shape, time, &leg)
      if isDone {
        // After too many steps, the last interval between two steps is bisected.
        while levels == nil, looks > most, time - before > 1 {
          let middle = before + (time - before) / 2
          if Self.look(threshold, of: shape, middle, &leg).isPassed { time = middle } else { before = middle }
        }
        return time
      }
      looks += 1
      looksOfLeg += 1
      before = time
      if looks == Self.fewLooks, let area = shape.area { levels = LevelSearch(area.shape, level: threshold.farLevel) }
      if let length = levels?.partLength {
        let end = min(last, max(leg.time(length, after: time), time + 1))
        if leg.time(room, after: time) < end {
          let found = levels?.first(&leg, from: time, through: end) { time, leg in
            Self.look(threshold, of: shape, time, &leg).isPassed
          }
          if let found { return found }
          guard end < last else { return nil }
          time = end
          continue
        }
      }
      time = max(leg.time(room, after: time), time + 1)
      if levels == nil, looks > most, time <= last {
        time = min(last, max(time, before + (last - first) / Int64(most)))
      }
      if time == before { break }
    }
    return nil
  }

  /// The position of the device relative to a circle at an instant.
  private struct Look {
    var isPassed: Bool
    /// See ``PathThreshold/room(_:)``.
    var room: Double
    /// The distance from the centre, in metres.
    var distance: Double
    /// An upper bound of the ratio between the decrease of this distance and the distance that the device moves.
    var approach: Double
  }

  /// Measures the position of the device relative to a circle. On a short leg, a fast formula is used unless it leaves
  /// the side of the threshold open.
  private mutating func look(
    _ threshold: PathThreshold, at circle: Circle, _ time: Int64, approach: Bool = false
  ) -> Look {
    if leg.isStraight {
      let position = leg.straight(at: time)
      if let excess = excess(threshold, of: circle, at: position) {
        let room = threshold.passage == .inwards ? excess : -excess
        return Look(
          isPassed: room < 0, room: room, distance: circle.radius + threshold.level + excess,
          approach: approach ? leg.greatestApproach(to: circle.centre, from: position) : 1)
      }
    }
    let place = leg.place(at: time)
    let measure = Shape.circle(circle).measure(place.coordinate, at: place.position, margins: threshold.margins)
    var share = 1.0
    if approach, measure.distance < Self.convexDistance {
      let way = GeodesicInverse.solve(
        latitude1: circle.latitude, longitude1: circle.longitude, latitude2: place.coordinate.latitude,
        longitude2: place.coordinate.longitude)
      share = -leg.cosine(to: way.azimuth2, at: place, time)
    }
    return Look(
      isPassed: threshold.isPassed(measure), room: threshold.room(measure), distance: measure.distance, approach: share)
  }

  /// The distance of a position of a short leg from the centre, minus the distance of the threshold from the centre, in
  /// metres; `nil` if its sign may differ from the detector's.
  @inline(__always)
  private func excess(_ threshold: PathThreshold, of circle: Circle, at position: EarthVector) -> Double? {
    guard circle.centre.squaredChord(to: position) < ShortDistance.limit * ShortDistance.limit else { return nil }
    let distance = ShortDistance.distance(from: circle.centre, to: position)
    let excess = distance - (circle.radius + threshold.level)
    return excess.magnitude > Self.doubt ? excess : nil
  }

  /// The result of an examination of the straight line of a short leg.
  private enum Finding {
    /// The straight line does not decide.
    case nothing
    /// The first instant past the threshold; `nil` if the threshold is not passed.
    case passage(Int64?)
  }

  /// Searches a passage with the straight line of a short leg. The distance from the centre is convex: if it is clearly
  /// less than the threshold at both ends, it is less everywhere between them. Where the distance along the line has
  /// the value of the threshold, the passage is there, up to a microsecond.
  @inline(__always)
  private mutating func lookAlong(
    _ threshold: PathThreshold, of circle: Circle, from first: Int64, through last: Int64
  ) -> Finding {
    let distance = circle.radius + threshold.level
    guard leg.isStraight, distance > 0, distance < Self.nearDistance, leg.length > 0 else { return .nothing }
    let line = leg.parabola(distance, around: circle.centre)
    let (start, end) = (leg.share(at: first), leg.share(at: last))
    let isComing = threshold.passage == .inwards
    if !(isComing ? line.isSurelyFarther(start) : line.isSurelyNearer(start)),
      look(threshold, at: circle, first).isPassed
    {
      return .passage(first)
    }
    if isComing {
      // The device moves away, or does not come near enough.
      if line.surelyLeaves(start) { return .passage(nil) }
      if line.isSurelyFarther(min(end, max(start, line.nearest))) { return .passage(nil) }
    } else if line.isSurelyNearer(end) {
      return .passage(nil)
    }
    guard let share = line.root(isComing: isComing), share > start, share < end else { return .nothing }
    let guess = leg.time(atShare: share)
    guard guess > first, guess < last else { return .nothing }
    // `past` is the distance beyond the threshold at the guess; `speed` is its change per microsecond.
    guard var past = excess(threshold, of: circle, at: leg.straight(at: guess)) else {
      return around(guess, threshold, of: circle, from: first, through: last)
    }
    if isComing { past = -past }
    let speed = line.slope(share).magnitude * leg.shareOfMicrosecond
    let steps = -past / speed
    guard steps.magnitude < 1_000 else { return .nothing }
    let time = guess + Int64(steps + 1_000) - 999
    guard time > first, time <= last else { return .nothing }
    let pastThere = past + Double(time - guess) * speed
    let ahead = leg.length * leg.shareOfMicrosecond * (steps.magnitude + 1)
    if pastThere > Self.doubtAhead, pastThere - speed < -Self.doubtAhead, ahead < Self.longestAhead,
      ahead * ahead < Self.bendAhead * distance
    {
      return .passage(time)
    }
    return around(time, threshold, of: circle, from: first, through: last)
  }

  /// Examines the microseconds around a guess.
  private mutating func around(
    _ guess: Int64, _ threshold: PathThreshold, of circle: Circle, from first: Int64, through last: Int64
  ) -> Finding {
    guard guess - 2 > first, guess < last else { return .nothing }
    guard look(threshold, at: circle, guess).isPassed else {
      return look(threshold, at: circle, guess + 1).isPassed ? .passage(guess + 1) : .nothing
    }
    guard look(threshold, at: circle, guess - 1).isPassed else { return .passage(guess) }
    return look(threshold, at: circle, guess - 2).isPassed ? .nothing : .passage(guess - 1)
  }

  private mutating func approach(
    _ threshold: PathThreshold, of circle: Circle, from first: Int64, through last: Int64
  ) -> Int64? {
    if case .passage(let time) = lookAlong(threshold, of: circle, from: first, through: last) { return time }
    var time = first
    while time <= last {
      let look = look(threshold, at: circle, time, approach: true)
      if look.isPassed { return time }
      var room = look.room
      if look.distance < Self.convexDistance {
        let convex = Self.convexDistance - look.distance
        room = max(room, look.approach > 0 ? min(room / look.approach, convex) : convex)
      }
      time = max(leg.time(room, after: time), time + 1)
    }
    return nil
  }

  private mutating func leave(
    _ threshold: PathThreshold, of circle: Circle, from first: Int64, through last: Int64
  ) -> Int64? {
    if case .passage(let time) = lookAlong(threshold, of: circle, from: first, through: last) { return time }
    var low = first
    while low <= last {
      let start = look(threshold, at: circle, low)
      if start.isPassed { return low }
      let reach = leg.time(max(0, Self.convexDistance - start.distance), after: low)
      let high = min(last, max(reach, low + 1))
      guard high > low else { return nil }
      let end = look(threshold, at: circle, high)
      if end.isPassed { return bracketed(threshold, of: circle, (low, start.room), (high, end.room)) }
      low = high
      if low == last { return nil }
    }
    return nil
  }

  /// The first instant past a threshold, between an instant before the threshold and one past it; the threshold is
  /// passed only once in between. The method is regula falsi in the Illinois form (Dowell and Jarratt, BIT 11 (1971));
  /// where it converges slowly, the interval is bisected.
  private mutating func bracketed(
    _ threshold: PathThreshold, of circle: Circle, _ before: (time: Int64, room: Double),
    _ after: (time: Int64, room: Double)
  ) -> Int64 {
    var (low, lowRoom) = before
    var (high, highRoom) = after
    var (isHalving, isProbe, wasPassed) = (false, false, false)
    while high - low > 1 {
      let width = high - low
      var middle = low + width / 2
      let fall = lowRoom - highRoom
      if isProbe {
        // If the chord almost meets the curve, the passage is one or two microseconds away.
        middle = wasPassed ? max(low + 1, high - 2) : min(high - 1, low + 2)
      } else if !isHalving, fall > 0, lowRoom.isFinite {
        let step = Double(width) * (lowRoom / fall)
        middle = low + max(1, min(width - 1, Int64(max(0, min(step, Double(width))))))
      }
      let look = look(threshold, at: circle, middle)
      wasPassed = look.isPassed
      if look.isPassed {
        high = middle
        highRoom = look.room
        lowRoom *= isProbe ? 1 : 0.5
      } else {
        low = middle
        lowRoom = look.room
        highRoom *= isProbe ? 1 : 0.5
      }
      if isProbe { isHalving = (high - low) * 2 > width }
      isProbe.toggle()
    }
    return high
  }
}
