public import Fencepost
public import Foundation

extension Fix {
  /// - Parameters:
  ///   - accuracy: In metres; 0 means not reported; a negative value or NaN means that there is no position.
  ///   - time: Rounded to the microsecond.
  /// - Throws: ``Fencepost/MonitorError/invalidArgument(_:position:)`` if the date is not in the years 1 to 9999.
  public init(coordinate: Coordinate, accuracy: Double = 0, time: Date) throws(MonitorError) {
    self.init(coordinate: coordinate, accuracy: accuracy, time: try Timestamp(validating: time))
  }

  /// See ``init(coordinate:accuracy:time:)-(_,_,Date)``; latitude and longitude are in degrees.
  public init(latitude: Double, longitude: Double, accuracy: Double = 0, time: Date) throws(MonitorError) {
    try self.init(
      coordinate: Coordinate(latitude: latitude, longitude: longitude), accuracy: accuracy, time: time)
  }
}

// Each function throws the errors of the function that takes a Timestamp. It also throws MonitorError.invalidArgument
// if the date is not in the years 1 to 9999. After an error nothing has changed, not even a counter.
extension Monitor {
  /// Feeds one scan report. An empty scan report only moves the clock.
  public func feed(_ sightings: some Sequence<BeaconSighting> & Sendable, at date: Date) throws(MonitorError) {
    try feed(sightings, at: Timestamp(validating: date))
  }

  /// Feeds one scan report.
  @available(*, deprecated, renamed: "feed(_:at:)")
  public func see(_ sightings: some Sequence<BeaconSighting> & Sendable, at date: Date) throws(MonitorError) {
    try feed(sightings, at: date)
  }

  /// Declares whether the host is scanning for beacons from now on.
  public func setScanning(_ isOn: Bool, at date: Date) throws(MonitorError) {
    try setScanning(isOn, at: Timestamp(validating: date))
  }

  /// Declares the host's capabilities from now on.
  public func setHostCapabilities(
    _ flags: Diagnostics, unsupported: Set<ConditionKind> = [], at date: Date
  ) throws(MonitorError) {
    try setHostCapabilities(flags, unsupported: unsupported, at: Timestamp(validating: date))
  }

  /// Tells the monitor that time has passed.
  public func advance(to date: Date) throws(MonitorError) {
    try advance(to: Timestamp(validating: date))
  }
}
