/// A straight line segment in space.
struct Chord {
  var start: EarthVector
  var along: EarthVector

  init(_ start: EarthVector, _ end: EarthVector) {
    self.start = start
    along = end - start
  }

  /// Distance to a point.
  func distance(to point: EarthVector) -> Double {
    (point - start - along * fraction(nearest: point)).length
  }

  private func fraction(nearest point: EarthVector) -> Double {
    let square = along.dot(along)
    return square > 0 ? min(max((point - start).dot(along) / square, 0), 1) : 0
  }

  /// The distance to another segment, by the method of Ericson, "Real-time collision detection", 2005, section 5.1.9.
  func distance(to other: Chord) -> Double {
    let between = start - other.start
    let (a, e) = (along.dot(along), other.along.dot(other.along))
    let (b, c, f) = (along.dot(other.along), along.dot(between), other.along.dot(between))
    let spread = a * e - b * b
    var here = spread > 0 ? min(max((b * f - c * e) / spread, 0), 1) : 0
    let there = e > 0 ? min(max((b * here + f) / e, 0), 1) : 0
    here = a > 0 ? min(max((b * there - c) / a, 0), 1) : 0
    // If the two pieces are nearly parallel, `here` and `there` are inexact, so the distances from the ends of both
    // pieces count as well.
    return min(
      (start + along * here - other.start - other.along * there).length, distance(to: other.start),
      distance(to: other.start + other.along), other.distance(to: start), other.distance(to: start + along))
  }
}
