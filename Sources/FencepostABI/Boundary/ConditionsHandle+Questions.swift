import CFencepost
import FencepostCore

// Queries about points: which conditions of a table contain them, and whose boundaries are nearest. Each query for
// columns uses one unchanging state of the conditions, and does not hold the lock while it searches.
extension ConditionsHandle {
  func containing(
    _ latitude: Double, _ longitude: Double, _ out_generations: UnsafeMutablePointer<UInt64>?,
    _ out_distances_m: UnsafeMutablePointer<Double>?, _ capacity: Int, _ out_count: UnsafeMutablePointer<Int>?
  ) throws(BoundaryError) {
    let point = try Boundary.coordinate(latitude, longitude)
    let generations = try Boundary.require(out_generations, count: capacity, "out_generations")
    let count = try Boundary.require(out_count, "out_count")
    let (found, distances) = try read { table in
      table.containing(point, distances: out_distances_m != nil)
    }
    count.pointee = found.count
    guard capacity > 0 else { return }
    guard found.count <= capacity else { throw .bufferTooSmall(needed: found.count) }
    for (index, generation) in found.enumerated() { generations?[index] = generation }
    for (index, distance) in distances.enumerated() { out_distances_m?[index] = distance }
  }

  func containing(
    _ columns: UnsafePointer<fencepost_point_columns>?, _ count: Int, _ out_offsets: UnsafeMutablePointer<Int64>?,
    _ out_generations: UnsafeMutablePointer<UInt64>?, _ out_distances_m: UnsafeMutablePointer<Double>?,
    _ capacity: Int, _ out_size: UnsafeMutablePointer<Int>?
  ) throws(BoundaryError) {
    let points = try PointColumns(columns, count: count)
    let offsets = try Boundary.require(out_offsets, "out_offsets")
    let generations = try Boundary.require(out_generations, count: capacity, "out_generations")
    let size = try Boundary.require(out_size, "out_size")
    let places = try read { table in table.places }
    let needed = try refusedByEngine { () throws(MonitorError) in
      try places.containing(
        points, offsets: offsets, generations: generations, distances: capacity > 0 ? out_distances_m : nil,
        capacity: capacity)
    }
    size.pointee = needed
    guard capacity == 0 || needed <= capacity else { throw .bufferTooSmall(needed: needed) }
  }

  func nearest(
    _ latitude: Double, _ longitude: Double, _ nearest: Int, _ out_generations: UnsafeMutablePointer<UInt64>?,
    _ out_distances_m: UnsafeMutablePointer<Double>?, _ out_count: UnsafeMutablePointer<Int>?
  ) throws(BoundaryError) {
    let point = try Boundary.coordinate(latitude, longitude)
    let generations = try Boundary.require(out_generations, count: nearest, "out_generations")
    let count = try Boundary.require(out_count, "out_count")
    let (found, distances) = try read { table in table.nearest(point, count: nearest) }
    count.pointee = found.count
    for (index, generation) in found.enumerated() {
      generations?[index] = generation
      out_distances_m?[index] = distances[index]
    }
  }

  func nearest(
    _ columns: UnsafePointer<fencepost_point_columns>?, _ count: Int, _ nearest: Int,
    _ out_generations: UnsafeMutablePointer<UInt64>?, _ out_distances_m: UnsafeMutablePointer<Double>?,
    _ out_count: UnsafeMutablePointer<Int>?
  ) throws(BoundaryError) {
    let points = try PointColumns(columns, count: count)
    guard nearest >= 0 else {
      throw .invalidArgument("nearest is \(UInt(bitPattern: nearest)); must be from 0 to \(Int.max / 8)")
    }
    let (size, isTooLarge) = count.multipliedReportingOverflow(by: nearest)
    guard !isTooLarge else {
      throw .invalidArgument(
        "nearest is \(nearest) for each of \(count) rows; must be from 0 to \(Int.max / 8) in total")
    }
    let generations = try Boundary.require(out_generations, count: size, "out_generations")
    let out = try Boundary.require(out_count, "out_count")
    let places = try read { table in table.places }
    out.pointee = try refusedByEngine { () throws(MonitorError) in
      try places.nearest(points, count: nearest, generations: generations, distances: out_distances_m)
    }
  }

  func identifiers(
    ofGenerations generations: UnsafePointer<UInt64>?, _ count: Int, _ buffer: UnsafeMutablePointer<CChar>?,
    _ capacity: Int, _ out_size: UnsafeMutablePointer<Int>?
  ) throws(BoundaryError) {
    let asked = try Boundary.require(generations, count: count, "generations")
    let size = try Boundary.require(out_size, "out_size")
    _ = try Boundary.require(buffer, count: capacity, "buffer")
    let places = try read { table in table.places }
    var needed = 0
    for index in 0..<count {
      guard let generation = asked?[index] else { break }
      places.withIdentifierBytes(ofGeneration: generation) { bytes in
        if let buffer, needed + bytes.count < capacity {
          let place = UnsafeMutableRawPointer(buffer + needed)
          if let start = bytes.baseAddress { place.copyMemory(from: start, byteCount: bytes.count) }
          place.storeBytes(of: 0, toByteOffset: bytes.count, as: UInt8.self)
        }
        needed += bytes.count + 1
      }
    }
    size.pointee = needed
    guard capacity == 0 || needed <= capacity else { throw .bufferTooSmall(needed: needed) }
  }

  func nearestBoundaryPoint(
    _ identifier: UnsafePointer<CChar>?, _ latitude: Double, _ longitude: Double,
    _ out_latitude: UnsafeMutablePointer<Double>?, _ out_longitude: UnsafeMutablePointer<Double>?
  ) throws(BoundaryError) {
    let bytes = Boundary.identifier(try Boundary.require(identifier, "identifier"))
    let (north, east) = (
      try Boundary.require(out_latitude, "out_latitude"), try Boundary.require(out_longitude, "out_longitude")
    )
    let coordinate = try Boundary.coordinate(latitude, longitude)
    let point = try read { table throws(MonitorError) in
      table.nearestBoundaryPoint(of: try table.slot(ofIdentifierBytes: bytes), to: coordinate)
    }
    north.pointee = point?.latitude ?? .nan
    east.pointee = point?.longitude ?? .nan
  }

  func probability(
    _ identifier: UnsafePointer<CChar>?, _ columns: UnsafePointer<fencepost_measured_columns>?, _ count: Int,
    _ confidence: Double, _ out_probabilities: UnsafeMutablePointer<Double>?
  ) throws(BoundaryError) {
    let bytes = Boundary.identifier(try Boundary.require(identifier, "identifier"))
    let rows = try MeasuredColumns(columns, count: count)
    let probabilities = try Boundary.require(out_probabilities, count: count, "out_probabilities")
    let places = try read { table in table.places }
    // Without rows, only the identifier and the confidence are checked, and nothing is written.
    let anywhere = UnsafeMutablePointer<Double>(bitPattern: 8).unsafelyUnwrapped
    try refusedByEngine { () throws(MonitorError) in
      try places.probability(
        ofIdentifierBytes: bytes, rows, confidence: confidence, probabilities ?? anywhere)
    }
  }
}
