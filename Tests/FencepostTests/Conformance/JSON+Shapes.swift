import Foundation

@testable import Fencepost
@testable import FencepostCore

/// Reads the polygons, corridors and lines in scenarios. The shapes are written as coordinates (nested as in GeoJSON),
/// as WKT, or as GeoJSON.
struct ScenarioShape {
  /// The coordinates of polygons are nested: parts contain rings, and rings contain positions. The coordinates of lines
  /// are stored as a single part that contains the lines.
  private var parts: [[[Coordinate]]]
  private var isPolygon: Bool
  private let isLine: Bool
  private var options: [String: JSON]
  private var edgesByDefault = EdgeInterpretation.geodesic

  private static func refuse(_ text: String) -> MonitorError { .invalidArgument(text) }

  init(_ value: JSON, isPolygon: Bool, isLine: Bool = false) throws {
    self.isLine = isLine
    self.isPolygon = isPolygon
    options = value.object ?? [:]
    if let coordinates = value["coordinates"] {
      parts = try Self.parts(coordinates, isPolygon: isPolygon)
    } else if let text = value["wkt"]?.string {
      (parts, self.isPolygon) = try Self.wkt(text)
    } else {
      var geometry = try value.member("geojson")
      edgesByDefault = .planar
      if geometry["type"]?.string == "Feature" {
        options.merge(geometry["properties"]?.object ?? [:]) { $1 }
        geometry = try geometry.member("geometry")
      }
      switch geometry["type"]?.string {
      case "Polygon", "MultiPolygon": self.isPolygon = true
      case "LineString", "MultiLineString": self.isPolygon = false
      default: throw Self.refuse("type: \(geometry)")
      }
      parts = try Self.parts(try geometry.member("coordinates"), isPolygon: self.isPolygon)
    }
    if self.isPolygon != isPolygon { throw Self.refuse("type: the geometry is of the other kind") }
  }

  private static func depth(_ value: JSON) -> Int {
    guard let array = value.array else { return 0 }
    return 1 + (array.first.map(depth) ?? 0)
  }

  /// Coordinates with one nesting level fewer are read as a single part or a single line.
  private static func parts(_ value: JSON, isPolygon: Bool) throws -> [[[Coordinate]]] {
    let list = try value.list()
    guard isPolygon else {
      return list.isEmpty ? [] : [try (depth(value) == 2 ? [value] : list).map(places)]
    }
    return try (depth(value) <= 3 && !list.isEmpty ? [value] : list).map { try $0.list().map(places) }
  }

  private static func places(_ value: JSON) throws -> [Coordinate] {
    try value.list().map { place in
      let numbers = try place.list()
      guard numbers.count > 1, let longitude = numbers[0].number, let latitude = numbers[1].number else {
        throw refuse("coordinate: \(place)")
      }
      return Coordinate(latitude: latitude, longitude: longitude)
    }
  }

  private static func wkt(_ text: String) throws -> ([[[Coordinate]]], Bool) {
    let upper = text.uppercased()
    let type = upper.prefix { $0.isLetter }
    let isPolygon: Bool
    switch type {
    case "POLYGON", "MULTIPOLYGON": isPolygon = true
    case "LINESTRING", "MULTILINESTRING": isPolygon = false
    default: throw refuse("type: \(type)")
    }
    guard let start = upper.firstIndex(of: "(") else { return ([], isPolygon) }
    // Converts the well-known text to JSON, with each position in its own brackets.
    let json = upper[start...].replacing("(", with: "[").replacing(")", with: "]")
    let nested = json.replacing(/[^\[\],]+/) { found in
      let numbers = found.output.split(separator: " ")
      return numbers.isEmpty ? "" : "[\(numbers.joined(separator: ","))]"
    }
    return (try parts(try JSONDecoder().decode(JSON.self, from: Data(nested.utf8)), isPolygon: isPolygon), isPolygon)
  }

  var condition: any Condition {
    get throws {
      let edges: EdgeInterpretation
      switch options["edges"]?.string {
      case nil: edges = edgesByDefault
      case "geodesic": edges = .geodesic
      case "planar": edges = .planar
      case let other?: throw Self.refuse("edges: \(other)")
      }
      if isLine { return LineGeographicCondition(paths: parts.first ?? [], edges: edges) }
      guard isPolygon else {
        return CorridorGeographicCondition(
          paths: parts.first ?? [], radius: options["radius"]?.number ?? .nan, edges: edges)
      }
      let buffer = options["buffer"].map { $0.number ?? .nan } ?? 0
      let isOriented = options["oriented"]?.bool ?? false
      if parts.count == 1, let exterior = parts[0].first {
        return PolygonalGeographicCondition(
          exterior: exterior, holes: Array(parts[0].dropFirst()), edges: edges, isOriented: isOriented, buffer: buffer)
      }
      return MultiPolygonalGeographicCondition(
        parts: parts.map { .init(exterior: $0.first ?? [], holes: Array($0.dropFirst())) }, edges: edges,
        isOriented: isOriented, buffer: buffer)
    }
  }
}

extension JSON {
  private init(_ ring: [Coordinate]) {
    self = .array(ring.map { .array([.number($0.longitude), .number($0.latitude)]) })
  }

  /// Converts a condition to JSON; the coordinates are nested as in a GeoJSON MultiPolygon or MultiLineString.
  init(polygon: MultiPolygonalGeographicCondition) {
    let parts = polygon.parts.map { JSON.array(([$0.exterior] + $0.holes).map { JSON($0) }) }
    self = .object([
      "coordinates": .array(parts), "edges": .string(polygon.edges == .planar ? "planar" : "geodesic"),
      "oriented": .bool(polygon.isOriented), "buffer": .number(polygon.buffer),
    ])
  }

  init(corridor: CorridorGeographicCondition) {
    self = .object([
      "coordinates": .array(corridor.paths.map { JSON($0) }), "radius": .number(corridor.radius),
      "edges": .string(corridor.edges == .planar ? "planar" : "geodesic"),
    ])
  }

  init(line: LineGeographicCondition) {
    self = .object([
      "coordinates": .array(line.paths.map { JSON($0) }),
      "edges": .string(line.edges == .planar ? "planar" : "geodesic"),
    ])
  }

  /// Checks that the message says why and where a shape is refused.
  func expectRefusal(_ error: MonitorError) throws {
    let text = "\(error)"
    if let reason = self["reason"]?.string,
      !text.split(whereSeparator: { !($0.isLetter || $0 == "_") }).contains(Substring(reason))
    {
      throw Mismatch("the refusal \"\(text)\" does not say \(reason)")
    }
    for (key, value) in self["at"]?.object ?? [:] {
      if key == "identifiers" {
        let cycle = try value.list().map { $0.string ?? "" }.joined(separator: ", ")
        if !text.contains(cycle) { throw Mismatch("the refusal \"\(text)\" does not name the cycle \(cycle)") }
        continue
      }
      let numbers = text.matches(of: /(part|ring|edge) (\d+)/).filter { $0.output.1 == key }.map { Double($0.output.2) }
      if !numbers.contains(value.number) { throw Mismatch("the refusal \"\(text)\" does not say \(key) \(value)") }
    }
  }
}
