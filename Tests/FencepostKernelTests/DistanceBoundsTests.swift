import Testing

@testable import FencepostKernel

@Suite struct DistanceBoundsTests {
  /// Tests the bounds for random pairs of positions: near, far, antipodal and other pairs.
  @Test func boundsAreConservativeEverywhere() {
    forEachDistance("chord bounds") { distance, chord, threshold, pair in
      let bounds = DistanceBounds.chords(forDistance: threshold)
      #expect(bounds.lower <= bounds.upper)
      if chord <= bounds.lower { #expect(distance <= threshold, "\(pair)") }
      if chord > bounds.upper { #expect(distance > threshold, "\(pair)") }
    }
  }

  /// Tests the chords from a centre to points in all directions, exactly at the threshold's distance.
  @Test func circlesLieBetweenTheirBounds() {
    var random = SeededGenerator("circles")
    for _ in 0..<5_000 {
      let p = random.place()
      let s = random.logarithmic(1, 1e6)
      let bounds = DistanceBounds.chords(forDistance: s)
      for step in 0..<24 {
        let q = p.moved(azimuth: Double(step) * 15, distance: s)
        let chord = p.vector.squaredChord(to: q.vector).squareRoot()
        #expect(bounds.lower < chord && chord < bounds.upper, "\(p) \(s) \(step)")
      }
    }
  }

  @Test func boundsGrowWithTheDistance() {
    var last = DistanceBounds.chords(forDistance: 0)
    for step in 1...20_040 {
      let s = Double(step) * 1000
      let next = DistanceBounds.chords(forDistance: s)
      #expect(next.lower >= last.lower && next.upper >= last.upper, "\(s)")
      last = next
    }
  }

  @Test func theEndsOfTheRange() {
    #expect(DistanceBounds.chords(forDistance: 0).lower < 0)
    #expect(DistanceBounds.chords(forDistance: -5).lower < 0)
    let whole = DistanceBounds.chords(forDistance: 20_004_000)
    #expect(whole.lower >= 12_756_274 && whole.upper >= 12_756_274)
  }

  @Test(arguments: hostileNumbers) func hostileNumbersDoNotTrap(_ number: Double) {
    let bounds = DistanceBounds.chords(forDistance: number)
    #expect(bounds.lower.isNaN == number.isNaN && bounds.upper.isNaN == number.isNaN)
  }
}
