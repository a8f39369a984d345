/// One measured position of a device.
///
/// The memory layout is that of `fencepost_fix` in the C header, so batches are read in place.
@frozen
public struct Fix: Sendable, Hashable {
  /// The position of the device.
  public var coordinate: Coordinate
  /// The radius of uncertainty, in metres; 0 if it is not reported; negative or NaN if there is no position.
  public var accuracy: Double
  /// The time at which the position was determined.
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
  /// Whether there is a position, and all values are in range.
  @inline(__always)
  package var isUsable: Bool { coordinate.isValid && time.isValid && accuracy >= 0 }

  /// Whether the accuracy has no sign and is not NaN: a test of its bits, which is cheaper than a comparison. False for −0,
  /// although that is valid.
  @inline(__always)
  var hasPlainAccuracy: Bool { accuracy.bitPattern <= Double.infinity.bitPattern }

  /// A message about the first value that is out of range; `nil` if all values are in range. A fix without a position
  /// has no defect; it is only ignored.
  var defect: String? { coordinate.defect ?? time.defect }
}

/// The numbers of accepted and skipped fixes of a batch.
public struct FeedResult: Sendable, Hashable {
  /// The number of fixes that were evaluated.
  public var accepted: Int = 0
  /// The number of fixes that were skipped because a coordinate or the time is out of range, or because there is no
  /// position.
  public var invalid: Int = 0
  /// The number of fixes that were skipped because of their time: it is earlier than the clock, or further ahead than
  /// the option `maxTimeStepMicroseconds` allows. ``MonitorStatistics`` counts the two cases separately.
  public var late: Int = 0
  /// The number of fixes that were skipped because the device cannot have reached them; see ``Plausibility``.
  public var doubted: Int = 0

  public init() {}

  /// The number of fixes that were processed or skipped.
  public var consumed: Int { accepted + invalid + late + doubted }
}
