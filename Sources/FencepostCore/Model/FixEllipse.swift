/// The error ellipse of a fix: the standard deviations of the true position along two axes.
///
/// With an ellipse, a policy with probabilities uses the ellipse instead of the accuracy. All other rules use the
/// accuracy.
public struct FixEllipse: Sendable, Hashable {
  /// The standard deviation along the major axis, in metres, at least `minor`.
  public var major: Double
  /// The standard deviation along the minor axis, in metres, at least 0.
  public var minor: Double
  /// The direction of the major axis, in degrees clockwise from north; any finite value.
  public var orientation: Double

  public init(major: Double, minor: Double, orientation: Double) {
    self.major = major
    self.minor = minor
    self.orientation = orientation
  }

  /// The ellipse as the error of a question about a position.
  public var error: PositionError { .ellipse(major: major, minor: minor, orientation: orientation) }

  /// A message about the first value that is not accepted; `nil` if all values are accepted.
  var defect: String? { error.defect }
}

/// Error ellipses as columns in the caller's memory. A row with three NaN has no ellipse.
public struct EllipseColumns {
  /// Semi-axes in metres, and directions in degrees.
  let majors, minors, orientations: FixColumns.Column

  public init(majors: FixColumns.Column, minors: FixColumns.Column, orientations: FixColumns.Column) {
    self.majors = majors
    self.minors = minors
    self.orientations = orientations
  }

  @inline(never)
  func ellipse(_ row: Int) -> FixEllipse? {
    let ellipse = FixEllipse(
      major: majors.value(row, as: Double.self), minor: minors.value(row, as: Double.self),
      orientation: orientations.value(row, as: Double.self))
    return ellipse.major.isNaN && ellipse.minor.isNaN && ellipse.orientation.isNaN ? nil : ellipse
  }
}

extension FixEllipse {
  func encode(to writer: inout ByteWriter) {
    writer.putCompact(major)
    writer.putCompact(minor)
    writer.putCompact(orientation)
  }

  init(reading reader: inout ByteReader) throws(Damage) {
    self.init(
      major: try reader.takeCompactDouble(), minor: try reader.takeCompactDouble(),
      orientation: try reader.takeCompactDouble())
    if let defect { throw Damage(defect) }
  }
}
