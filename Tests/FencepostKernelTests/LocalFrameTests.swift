import Testing

@testable import FencepostKernel

@Suite struct LocalFrameTests {
  /// Slightly less than 0.01 radians, in degrees.
  private static let reach = 0.572_957

  /// Compares local positions with vectors, for places all over the globe (also at poles and at the antimeridian) and
  /// for offsets from a trillionth of a degree to the limit of a frame.
  @Test func agreesWithTheVectorsOfTheEarth() {
    var random = SeededGenerator("local frames")
    var worst = 0.0
    for _ in 0..<20_000 {
      let origin = random.place()
      let frame = LocalFrame(latitude: origin.latitude, longitude: origin.longitude)
      for step in 0..<10 {
        let scale = step < 2 ? Self.reach : random.logarithmic(1e-12, Self.reach)
        let latitude = origin.latitude + (step == 0 ? scale : random.uniform(-scale...scale))
        let longitude = origin.longitude + (step == 1 ? -scale : random.uniform(-scale...scale))
        guard let position = frame.position(latitude: latitude, longitude: longitude) else {
          Issue.record("out of range: \(origin) \(latitude) \(longitude)")
          continue
        }
        let error = position.squaredChord(to: EarthVector(latitude: latitude, longitude: longitude)).squareRoot()
        worst = max(worst, error)
        #expect(error <= 30e-9, "\(origin) \(latitude) \(longitude)")
      }
    }
    print("local frames: worst difference \(worst * 1e9) nm")
  }

  @Test func theOriginIsItsOwnPosition() {
    var random = SeededGenerator("origins of frames")
    for _ in 0..<1_000 {
      let place = random.place()
      let frame = LocalFrame(latitude: place.latitude, longitude: place.longitude)
      let position = frame.position(latitude: place.latitude, longitude: place.longitude)
      #expect((position?.squaredChord(to: place.vector) ?? .infinity) < 9e-18)
    }
  }

  @Test func endsAtAHundredthOfARadian() {
    let frame = LocalFrame(latitude: 10, longitude: 179.9)
    #expect(frame.position(latitude: 10.572, longitude: 179.9) != nil)
    #expect(frame.position(latitude: 10.573, longitude: 179.9) == nil)
    #expect(frame.position(latitude: 9.427, longitude: 179.9) == nil)
    #expect(frame.position(latitude: 10, longitude: 180.473) == nil)
    #expect(frame.position(latitude: 10, longitude: 179.327) == nil)
    #expect(frame.position(latitude: 10, longitude: 180.1) != nil)
    #expect(frame.position(latitude: 10, longitude: -179.9) == nil)
  }

  @Test func withoutAnOriginEverythingIsOutOfRange() {
    for number in hostileNumbers {
      #expect(LocalFrame().position(latitude: number, longitude: number) == nil)
    }
  }

  /// A frame gives a vector for a position within its range; NaN is never within the range.
  @Test(arguments: hostileNumbers) func hostileNumbersDoNotTrap(_ number: Double) {
    for other in hostileNumbers {
      let frame = LocalFrame(latitude: number, longitude: other)
      let position = frame.position(latitude: number, longitude: other)
      #expect((position != nil) == (number.isFinite && other.isFinite))
      if let position {
        #expect(position.squaredChord(to: EarthVector(latitude: number, longitude: other)) < 9e-18)
      }
      #expect(LocalFrame(latitude: 52, longitude: 13).position(latitude: number, longitude: other) == nil)
    }
  }
}
