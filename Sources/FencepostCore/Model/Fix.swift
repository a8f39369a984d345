/// One position sample.
///
/// The layout equals that of `fencepost_fix` in the C header: batches are read in place.
@frozen
public struct Fix: Sendable, Hashable {
  /// Where the device was.
  public var coordinate: Coordinate
  /// Radius of uncertainty in metres; 0 = not reported; negative or NaN = there is no position.
  public var accuracy: Double
  /// When the position was determined.
  public var time: Timestamp

  @inlinable
  public init(coordinate: Coordinate, accuracy: Double = 0, time: Timestamp) {
    self.coordinate = coordinate
    self.accuracy = accuracy
    self.time = time
  }

  @inlinable
  public init(latitude: Double, longitude: Double, accuracy: Double = 0, time: Timestamp) {
    self.init(coordinate: Coordinate(latitude: latitude, longitude: longitude), accuracy: accuracy, time: time)
  }
}

extension Fix {
  /// Whether there is a position, and all is in range.
  @inline(__always)
  package var isUsable: Bool { coordinate.isValid && time.isValid && accuracy >= 0 }

  /// The first value that is out of range, as a message. A fix without a position has none: it is only ignored.
  var defect: String? { coordinate.defect ?? time.defect }
}

/// What became of a batch of fixes.
public struct FeedResult: Sendable, Hashable {
  /// Fixes that were evaluated.
  public var accepted: Int = 0
  /// Fixes skipped because a coordinate or the time is out of range, or because there is no position.
  public var invalid: Int = 0
  /// Fixes skipped for their time: earlier than the clock, or farther ahead of it than the option
  /// `maxTimeStepMicroseconds` allows. ``MonitorStatistics`` tells the two apart.
  public var late: Int = 0

  public init() {}

  /// Fixes that were taken note of.
  public var consumed: Int { accepted + invalid + late }
}
