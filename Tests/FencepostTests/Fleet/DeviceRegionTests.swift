import FencepostKernel
import TestSupport
import Testing

@testable import Fencepost
@testable import FencepostCore

@Suite struct DeviceRegionTests {
  @Test func noFixIsSkippedBeyondTheSlack() {
    var random = SeededGenerator("DeviceRegionTests")
    for _ in 0..<20_000 {
      let centre = Coordinate(
        latitude: Double(random.integer(-90_000...90_000)) / 1_000,
        longitude: Double(random.integer(-180_000...180_000)) / 1_000)
      let slack = Double(random.integer(1...5_000))
      var open = DeviceRegion()
      open.draw(at: centre, slack: slack, room: slack + 100, isHidden: false)
      var hidden = DeviceRegion()
      hidden.draw(at: centre, slack: slack, room: slack + 100, isHidden: true)
      #expect(open.isOpen && !open.isHidden && !hidden.isOpen && hidden.isHidden)
      let step = slack / 111_000 * 1.5
      let place = Coordinate(
        latitude: min(max(centre.latitude + step * Double(random.integer(-1_000...1_000)) / 1_000, -90), 90),
        longitude: min(max(centre.longitude + step * Double(random.integer(-1_000...1_000)) / 1_000, -180), 180))
      let chord = EarthVector(latitude: centre.latitude, longitude: centre.longitude).squaredChord(
        to: EarthVector(latitude: place.latitude, longitude: place.longitude)
      ).squareRoot()
      #expect(!open.skips(place) || chord < slack)
      #expect(!hidden.skips(place))
      #expect(hidden.contains(place) == open.skips(place) && open.contains(place) == open.skips(place))
      #expect(open.contains(centre))
    }
  }

  @Test func aRegionThatIsTooSmallIsNone() {
    for isHidden in [false, true] {
      var region = DeviceRegion()
      region.draw(at: Coordinate(latitude: 47, longitude: 8), slack: 50, room: 50, isHidden: isHidden)
      #expect(!region.isEmpty)
      region.draw(at: Coordinate(latitude: 47, longitude: 8), slack: 0.01, room: 50, isHidden: isHidden)
      #expect(region.isEmpty && !region.isOpen && !region.isHidden)
      #expect(!region.contains(Coordinate(latitude: 47, longitude: 8)))
    }
  }
}
