import FencepostKernel

/// Finds the first instant of a leg at which a shape's threshold is passed.
///
/// The distance from a line changes by no more than the device moves, so that it may go on by what it is away from the
/// threshold. The distance from a point is convex besides along a geodesic as long as it is less than a quarter of the way
/// around the Earth (by Rauch's comparison theorem, since the curvature is at most that at the poles): it is above its
/// tangents, which Newton's method follows without passing a root, and below its chords, so that what was left is not
/// entered again.
struct PassageSearch {
  /// Less than πR₋/2, metres: up to here the distance from a point is convex.
  private static let convexDistance = 9.9e6
  /// Levels up to here are searched for with the help of that.
  private static let largestConvexLevel = 9e6
  /// So many looks are taken at a shape without a closed form. From then on, where the path keeps so close to a level that
  /// it may touch it anywhere, the rest is looked at this many times, and touches between may be missed. The second number
  /// is for a leg on which there were more looks than the third.
  private static let mostLooks = 500
  private static let mostLooksLate = 16
  private static let mostLooksOfLeg = 50_000

  let leg: Leg
  private var looksOfLeg = 0
  /// How often a shape that has changed was looked at again.
  var changes = 0

  init(_ leg: Leg) {
    self.leg = leg
  }

  /// - Returns: The first microsecond from `first` through `last` at which the threshold is passed; `nil` when it is not.
  mutating func first(_ threshold: PathThreshold, of shape: Shape, from first: Int64, through last: Int64) -> Int64? {
    // Whoever stands still sets out never: there is no place on the leg then to look at.
    guard first <= last else { return nil }
    if case .circle(let circle) = shape, circle.radius + threshold.level < Self.largestConvexLevel {
      switch threshold.passage {
      case .inwards: return approach(threshold, of: circle, from: first, through: last)
      case .outwards, .beyond: return leave(threshold, of: circle, from: first, through: last)
      }
    }
    return march(threshold, of: shape, from: first, through: last)
  }

  /// Goes on by what the device is away from the threshold, which it cannot be past before.
  private mutating func march(
    _ threshold: PathThreshold, of shape: Shape, from first: Int64, through last: Int64
  ) -> Int64? {
    let leg = leg
    func isPassed(_ time: Int64) -> (Bool, room: Double) {
      let place = leg.place(at: time)
      let measure = shape.measure(place.coordinate, at: place.position, margins: threshold.margins)
      return (threshold.isPassed(measure), threshold.room(measure))
    }
    var (before, time) = (first, first)
    let most = looksOfLeg > Self.mostLooksOfLeg ? Self.mostLooksLate : Self.mostLooks
    var looks = 0
    while time <= last {
      let (isDone, room) = isPassed(time)
      if isDone {
        // What lies between two long steps is halved.
        while looks > most, time - before > 1 {
          let middle = before + (time - before) / 2
          if isPassed(middle).0 { time = middle } else { before = middle }
        }
        return time
      }
      looks += 1
      looksOfLeg += 1
      before = time
      time = max(leg.time(room, after: time), time + 1)
      if looks > most, time <= last { time = min(last, max(time, before + (last - first) / Int64(most))) }
      if time == before { break }
    }
    return nil
  }

  /// What is seen of a circle at an instant.
  private struct Look {
    var isPassed: Bool
    /// See ``PathThreshold/room(_:)``.
    var room: Double
    /// From the centre, metres.
    var distance: Double
    /// No less than the share of what the device moves by which it comes nearer to the centre.
    var approach: Double
  }

  /// Looks at a circle: with little effort on a short leg, unless that cannot tell on which side of the threshold it is.
  private func look(_ threshold: PathThreshold, at circle: Circle, _ time: Int64, approach: Bool = false) -> Look {
    if leg.isStraight {
      let position = leg.straight(at: time)
      if circle.centre.squaredChord(to: position) < ShortDistance.limit * ShortDistance.limit {
        let distance = ShortDistance.distance(from: circle.centre, to: position)
        let excess = distance - (circle.radius + threshold.level)
        if excess.magnitude > 2 * DistanceBounds.doubt {
          let room = threshold.passage == .inwards ? excess : -excess
          return Look(
            isPassed: room < 0, room: room, distance: distance,
            approach: approach ? leg.greatestApproach(to: circle.centre, from: position) : 1)
        }
      }
    }
    let place = leg.place(at: time)
    let measure = Shape.circle(circle).measure(place.coordinate, at: place.position, margins: threshold.margins)
    var share = 1.0
    if approach, measure.distance < Self.convexDistance {
      let way = GeodesicInverse.solve(
        latitude1: circle.latitude, longitude1: circle.longitude, latitude2: place.coordinate.latitude,
        longitude2: place.coordinate.longitude)
      share = -Trigonometry.sincosDegrees(way.azimuth2 - place.azimuth).cosine
    }
    return Look(
      isPassed: threshold.isPassed(measure), room: threshold.room(measure), distance: measure.distance, approach: share)
  }

  /// Where the straight line of a short leg has the passage, a microsecond more or less, if it is there. There is one only,
  /// since the distance is convex.
  ///
  /// - Parameter first: Not past it.
  private func guessed(
    _ threshold: PathThreshold, of circle: Circle, from first: Int64, through last: Int64
  ) -> Int64? {
    let distance = circle.radius + threshold.level
    guard distance > 0,
      let guess = leg.guess(distance, from: circle.centre, isComing: threshold.passage == .inwards),
      guess >= first, guess < last
    else { return nil }
    func isPassed(_ time: Int64) -> Bool { time > first && look(threshold, at: circle, time).isPassed }
    guard isPassed(guess) else { return isPassed(guess + 1) ? guess + 1 : nil }
    guard isPassed(guess - 1) else { return guess }
    return isPassed(guess - 2) ? nil : guess - 1
  }

  private func approach(
    _ threshold: PathThreshold, of circle: Circle, from first: Int64, through last: Int64
  ) -> Int64? {
    var time = first
    if leg.isStraight {
      if look(threshold, at: circle, first).isPassed { return first }
      if let time = guessed(threshold, of: circle, from: first, through: last) { return time }
    }
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

  private func leave(
    _ threshold: PathThreshold, of circle: Circle, from first: Int64, through last: Int64
  ) -> Int64? {
    var low = first
    while low <= last {
      let start = look(threshold, at: circle, low)
      if start.isPassed { return low }
      if leg.isStraight, let time = guessed(threshold, of: circle, from: low, through: last) { return time }
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

  /// The first instant past a threshold between one before it and one past it, of which there is one only: by regula falsi
  /// in the Illinois form (Dowell and Jarratt, BIT 11 (1971)), and by halves where that is slow.
  private func bracketed(
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
        // Where a chord has just met the curve, the passage is a microsecond or two away.
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
