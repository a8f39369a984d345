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

  private func measure(_ circle: Circle, at place: Leg.Place, _ threshold: PathThreshold) -> Shape.Measure {
    Shape.circle(circle).measure(place.coordinate, at: place.position, margins: threshold.margins)
  }

  private func approach(
    _ threshold: PathThreshold, of circle: Circle, from first: Int64, through last: Int64
  ) -> Int64? {
    var time = first
    while time <= last {
      let place = leg.place(at: time)
      let measure = measure(circle, at: place, threshold)
      if threshold.isPassed(measure) { return time }
      var room = threshold.room(measure)
      if measure.distance < Self.convexDistance {
        let way = GeodesicInverse.solve(
          latitude1: circle.latitude, longitude1: circle.longitude, latitude2: place.coordinate.latitude,
          longitude2: place.coordinate.longitude)
        let rate = Trigonometry.sincosDegrees(way.azimuth2 - place.azimuth).cosine
        let convex = Self.convexDistance - measure.distance
        room = max(room, rate < 0 ? min(room / -rate, convex) : convex)
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
      let start = measure(circle, at: leg.place(at: low), threshold)
      if threshold.isPassed(start) { return low }
      let reach = leg.time(max(0, Self.convexDistance - start.distance), after: low)
      let high = min(last, max(reach, low + 1))
      guard high > low else { return nil }
      let end = measure(circle, at: leg.place(at: high), threshold)
      if threshold.isPassed(end) {
        return bracketed(threshold, of: circle, (low, threshold.room(start)), (high, threshold.room(end)))
      }
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
    var isHalving = false
    while high - low > 1 {
      let width = high - low
      var middle = low + width / 2
      let fall = lowRoom - highRoom
      if !isHalving, fall > 0, lowRoom.isFinite {
        let step = Double(width) * (lowRoom / fall)
        middle = low + max(1, min(width - 1, Int64(max(0, min(step, Double(width))))))
      }
      let measure = measure(circle, at: leg.place(at: middle), threshold)
      if threshold.isPassed(measure) {
        high = middle
        highRoom = threshold.room(measure)
        lowRoom *= 0.5
      } else {
        low = middle
        lowRoom = threshold.room(measure)
        highRoom *= 0.5
      }
      isHalving = (high - low) * 2 > width
    }
    return high
  }
}
