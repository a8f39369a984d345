import CFencepost
import FencepostCore

extension Fix {
  @inline(__always)
  init(_ fix: fencepost_fix) {
    self.init(
      latitude: fix.latitude, longitude: fix.longitude, accuracy: fix.accuracy_m,
      time: Timestamp(microseconds: fix.time_us))
  }
}

extension UnsafePointer<fencepost_fix>? {
  /// Reads the caller's fixes without copying them, because `fencepost_fix` and `Fix` have the same memory layout; a
  /// test checks this.
  @inline(__always)
  func withRows<Result>(
    _ count: Int, _ body: (UnsafeBufferPointer<Fix>) throws(BoundaryError) -> Result
  ) throws(BoundaryError) -> Result {
    guard let self else { return try body(UnsafeBufferPointer(start: nil, count: 0)) }
    return try self.withMemoryRebound(to: Fix.self, capacity: count) { (start) throws(BoundaryError) -> Result in
      try body(UnsafeBufferPointer(start: start, count: count))
    }
  }
}

/// Beacon sightings in the caller's array.
struct SightingRows {
  private let start: UnsafePointer<fencepost_beacon_sighting>?
  private let count: Int

  init(_ start: UnsafePointer<fencepost_beacon_sighting>?, _ count: Int) {
    self.start = start
    self.count = count
  }

  var rows: some Sequence<BeaconSighting> {
    UnsafeBufferPointer(start: start, count: count).lazy.map { sighting in
      BeaconSighting(
        uuid: withUnsafeBytes(of: sighting.uuid) { BeaconUUID(bytes: $0.baseAddress!) }, major: sighting.major,
        minor: sighting.minor, rssi: sighting.rssi_dbm)
    }
  }
}

extension FixColumns {
  /// The value of `refuse_invalid` for one row that is fed like a single fix.
  private static let isOne: UInt32 = 2

  /// The caller's columns; `nil` if there are no rows.
  init?(_ columns: UnsafePointer<fencepost_fix_columns>, _ count: Int) throws(BoundaryError) {
    let defaults = fencepost_fix_columns(
      struct_size: 0, refuse_invalid: 0, latitudes: nil, longitudes: nil, accuracies_m: nil, times_us: nil,
      latitude_stride: 8, longitude_stride: 8, accuracy_stride: 8, time_stride: 8, majors_m: nil, minors_m: nil,
      orientations: nil, major_stride: 8, minor_stride: 8, orientation_stride: 8, altitudes_m: nil,
      vertical_accuracies_m: nil, geoid_heights_m: nil, ground_heights_m: nil, altitude_stride: 8,
      vertical_accuracy_stride: 8, geoid_height_stride: 8, ground_height_stride: 8)
    let value = try SizedStruct.read(columns, defaults: defaults, "columns")
    guard value.refuse_invalid <= 1 || (value.refuse_invalid == Self.isOne && count == 1) else {
      throw .invalidArgument("refuse_invalid is \(value.refuse_invalid); must be 0 or 1, or 2 for a single row")
    }
    let latitudes = try Boundary.require(value.latitudes, count: count, "latitudes")
    let longitudes = try Boundary.require(value.longitudes, count: count, "longitudes")
    let times = try Boundary.require(value.times_us, count: count, "times_us")
    guard count > 0, let latitudes, let longitudes, let times else { return nil }
    self.init(
      count: count, latitudes: Column(start: latitudes, stride: Int(truncatingIfNeeded: value.latitude_stride)),
      longitudes: Column(start: longitudes, stride: Int(truncatingIfNeeded: value.longitude_stride)),
      accuracies: value.accuracies_m.map { Column(start: $0, stride: Int(truncatingIfNeeded: value.accuracy_stride)) },
      times: Column(start: times, stride: Int(truncatingIfNeeded: value.time_stride)),
      ellipses: try EllipseColumns(
        Column(value.majors_m, stride: value.major_stride), Column(value.minors_m, stride: value.minor_stride),
        Column(value.orientations, stride: value.orientation_stride)),
      heights: HeightColumns(
        altitudes: Column(value.altitudes_m, stride: value.altitude_stride),
        verticalAccuracies: Column(value.vertical_accuracies_m, stride: value.vertical_accuracy_stride),
        geoidHeights: Column(value.geoid_heights_m, stride: value.geoid_height_stride),
        groundHeights: Column(value.ground_heights_m, stride: value.ground_height_stride)),
      isOne: value.refuse_invalid == Self.isOne)
    if value.refuse_invalid == 1 { try refusedByEngine { () throws(MonitorError) in try checkRows() } }
  }
}

/// Fixes of many devices, read in place from the caller's columns.
struct FleetRowsInPlace {
  private enum Devices {
    case numbers
    case indices(width: FleetDictionaryColumns.Width, into: UnsafeBufferPointer<UInt64>)
  }

  private let devices: Devices
  private let column: FixColumns.Column
  private let fixes: FixColumns
  private let firstRow: Int
  private let skipsUnknown: Bool

  /// Returns `nil` if there are no rows.
  init?(_ columns: UnsafePointer<fencepost_fleet_columns>, _ count: Int) throws(BoundaryError) {
    let defaults = fencepost_fleet_columns(
      struct_size: 0, device_width: 8, devices: nil, device_stride: 8, dictionary: nil, dictionary_count: 0, fixes: nil,
      first_row: 0, skips_unknown: 0, reserved: 0)
    let value = try SizedStruct.read(columns, defaults: defaults, "columns")
    let width: FleetDictionaryColumns.Width
    switch value.device_width {
    case 1: width = .one
    case 2: width = .two
    case 4: width = .four
    case 8: width = .eight
    default: throw .invalidArgument("device_width is \(value.device_width); must be 1, 2, 4 or 8")
    }
    if value.dictionary != nil || value.dictionary_count != 0 {
      let numbers = try Boundary.require(value.dictionary, count: value.dictionary_count, "dictionary")
      devices = .indices(width: width, into: UnsafeBufferPointer(start: numbers, count: value.dictionary_count))
    } else {
      guard value.device_width == 8 else {
        throw .invalidArgument("device_width is \(value.device_width) without a dictionary; must be 8")
      }
      devices = .numbers
    }
    let start = try Boundary.require(value.devices, count: count, "devices")
    let fixes = try FixColumns(Boundary.require(value.fixes, "fixes"), count)
    guard let fixes, let start else { return nil }
    guard value.first_row <= UInt64(Int.max - count) else {
      throw .invalidArgument(
        "first_row is \(value.first_row); for \(count) rows it must be from 0 to \(Int.max - count)")
    }
    guard value.skips_unknown <= 1 else {
      throw .invalidArgument("skips_unknown is \(value.skips_unknown); must be 0 or 1")
    }
    column = FixColumns.Column(start: start, stride: Int(truncatingIfNeeded: value.device_stride))
    self.fixes = fixes
    firstRow = Int(value.first_row)
    skipsUnknown = value.skips_unknown != 0
  }

  func feed(to engine: inout FleetEngine, _ result: inout FeedResult) throws(MonitorError) {
    switch devices {
    case .numbers:
      let rows = FleetColumns(devices: column, fixes: fixes, firstRow: firstRow, skipsUnknown: skipsUnknown)
      try engine.feed(rows, result: &result)
    case .indices(let width, let numbers):
      let rows = FleetDictionaryColumns(
        indices: column, width: width, numbers: numbers, fixes: fixes, firstRow: firstRow, skipsUnknown: skipsUnknown)
      try engine.feed(rows, result: &result)
    }
  }
}

/// Feeds many rows and stores the counts of the rows that were consumed: all rows, or fewer if the queue becomes full.
/// If the batch is refused, no row has been consumed and the caller's counts do not change.
func counting(
  _ out_result: UnsafeMutablePointer<fencepost_feed_result>?,
  _ feed: (inout FeedResult) throws(BoundaryError) -> Void
) throws(BoundaryError) {
  var result = FeedResult()
  do throws(BoundaryError) {
    try feed(&result)
  } catch {
    if case .monitor(.queueFull) = error { out_result?.pointee = fencepost_feed_result(result) }
    throw error
  }
  out_result?.pointee = fencepost_feed_result(result)
}

extension FleetEngine {
  /// The identifier of a device, or of a removed device as long as its number has not been reused.
  func identifierBytes(of device: UInt64) throws(MonitorError) -> [UInt8] {
    guard let bytes = withIdentifierBytes(ofDevice: device, { Array($0) }) else {
      throw .noSuchDevice("no device has the number \(device)")
    }
    return bytes
  }
}
