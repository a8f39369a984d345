import FencepostKernel

/// The uncertainty of a measured position: a normal distribution of the true position around the measured one.
public enum PositionError: Sendable, Hashable {
  /// A radius in metres that contains the true position with the probability `confidence`; the error is the same in all
  /// directions. The radius 0 means that the accuracy is not reported.
  case accuracy(_ metres: Double, confidence: Double = PositionError.defaultConfidence)
  /// The one-sigma ellipse: the standard deviations along the major and the minor axis in metres, and the direction of
  /// the major axis in degrees clockwise from north.
  case ellipse(major: Double, minor: Double, orientation: Double)

  /// The share of the true positions within the accuracy, as Android defines it; gpsd reports 0.95.
  public static var defaultConfidence: Double { 0.68 }

  /// A message about the first value that is not accepted; `nil` if all values are accepted. Integers are compared,
  /// because a comparison with NaN may raise an exception.
  @_optimize(size)
  var defect: String? {
    switch self {
    case .accuracy(let metres, let confidence):
      return PositionError.defect(ofAccuracy: metres) ?? PositionError.defect(ofConfidence: confidence)
    case .ellipse(let major, let minor, let orientation):
      guard PositionError.isLength(major), PositionError.isLength(minor), major >= minor else {
        return
          "the error ellipse has the semi-axes \(major) and \(minor); they must be finite, not negative, and the major one first"
      }
      guard orientation.isFinite else {
        return "the orientation of the error ellipse is \(orientation); must be a finite number of degrees from north"
      }
      return nil
    }
  }

  static func defect(ofConfidence confidence: Double) -> String? {
    guard !confidence.isNaN, confidence >= 0.01, confidence <= 0.9999 else {
      return "the confidence of the accuracy is \(confidence); must be from 0.01 to 0.9999"
    }
    return nil
  }

  private static func defect(ofAccuracy metres: Double) -> String? {
    isLength(metres) ? nil : "the accuracy is \(metres); must be a finite number of metres, 0 or more"
  }

  private static func isLength(_ metres: Double) -> Bool { metres.isFinite && metres >= 0 }

  /// The ellipse of a valid error; `nil` if the accuracy is not reported.
  var ellipse: ErrorEllipse? {
    switch self {
    case .accuracy(let metres, let confidence):
      metres > 0 ? ErrorEllipse(accuracy: metres, confidence: confidence) : nil
    case .ellipse(let major, let minor, let orientation):
      ErrorEllipse(major: major, minor: minor, orientation: orientation)
    }
  }
}

/// Measured positions with their errors, as columns in the caller's memory. The memory is read only during the call.
public struct MeasuredColumns {
  public typealias Column = FixColumns.Column

  /// Degrees.
  public let points: PointColumns
  /// Metres; `nil` if no accuracy is reported.
  public let accuracies: Column?
  /// The error ellipses; `nil` without ellipses.
  public let ellipses: EllipseColumns?

  public init(points: PointColumns, accuracies: Column? = nil, ellipses: EllipseColumns? = nil) {
    self.points = points
    self.accuracies = accuracies
    self.ellipses = ellipses
  }

  /// The error of a row: the ellipse if there is one, otherwise the accuracy.
  @inline(__always)
  func error(_ row: Int, confidence: Double) -> PositionError {
    if let ellipse = ellipses?.ellipse(row) { return ellipse.error }
    return .accuracy(accuracies.map { $0.value(row, as: Double.self) } ?? 0, confidence: confidence)
  }

  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` for the first row that is not valid.
  func checkRows(confidence: Double) throws(MonitorError) {
    if let defect = PositionError.defect(ofConfidence: confidence) { throw .invalidArgument(defect) }
    for row in 0..<points.count {
      _ = try points.point(row)
      if let defect = error(row, confidence: confidence).defect {
        throw .invalidArgument("row \(row): \(defect)", position: row)
      }
    }
  }
}
