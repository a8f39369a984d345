import Fencepost
import FencepostFoundation
import Foundation

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// The points of a GPX file: the points of its tracks or, if there are no tracks, of its routes; otherwise its
/// waypoints.
final class Track: NSObject, XMLParserDelegate {
  private var points: [String: [(Coordinate, Timestamp?)]] = [:]
  private var coordinate: Coordinate?
  private var time: Timestamp?
  private var text = ""

  struct Unreadable: Error, CustomStringConvertible {
    let description: String
  }

  init(file: String) throws {
    super.init()
    guard let parser = XMLParser(contentsOf: URL(filePath: file)) else { throw Unreadable(description: "no \(file)") }
    parser.delegate = self
    guard parser.parse() else { throw Unreadable(description: "\(file) is not GPX, line \(parser.lineNumber)") }
  }

  /// The fixes. Points without times are converted to fixes of a device, one per second, that moves at a given speed
  /// along straight lines on the map.
  func fixes(speed: Double?, start: Timestamp) throws -> [Fix] {
    let points = ["trkpt", "rtept", "wpt"].lazy.compactMap { self.points[$0] }.first ?? []
    let timed = points.compactMap { point in
      point.1.map { Fix(coordinate: point.0, accuracy: 10, time: $0) }
    }
    if timed.count == points.count { return timed }
    guard let speed, speed > 0, var place = points.first?.0 else {
      throw Unreadable(description: "the points have no times; give --speed METRES_PER_SECOND")
    }
    var time = start
    var fixes = [Fix(coordinate: place, accuracy: 10, time: time)]
    for (next, _) in points.dropFirst() {
      let north = (next.latitude - place.latitude) * 111_200
      let east = (next.longitude - place.longitude) * 111_300 * cos(place.latitude * .pi / 180)
      let steps = max(1, Int((north * north + east * east).squareRoot() / speed))
      for step in 1...steps {
        let part = Double(step) / Double(steps)
        time = Timestamp(microseconds: time.microseconds + 1_000_000)
        fixes.append(
          Fix(
            latitude: place.latitude + part * (next.latitude - place.latitude),
            longitude: place.longitude + part * (next.longitude - place.longitude), accuracy: 10, time: time))
      }
      place = next
    }
    return fixes
  }

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
    attributes: [String: String]
  ) {
    text = ""
    guard ["trkpt", "rtept", "wpt"].contains(name), let latitude = attributes["lat"].flatMap(Double.init),
      let longitude = attributes["lon"].flatMap(Double.init)
    else { return }
    coordinate = Coordinate(latitude: latitude, longitude: longitude)
    time = nil
  }

  func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }

  func parser(
    _ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?
  ) {
    if name == "time", coordinate != nil {
      let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
      time = ISO8601DateFormatter().date(from: text).flatMap { Timestamp($0) }
    } else if let coordinate, ["trkpt", "rtept", "wpt"].contains(name) {
      points[name, default: []].append((coordinate, time))
      self.coordinate = nil
    }
  }
}
