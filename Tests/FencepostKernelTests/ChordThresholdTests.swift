import Testing

@testable import FencepostKernel

/// An inexact comparison of chords may cause an unnecessary exact check, but never a wrong answer.
@Suite struct ChordThresholdTests {
  /// Tests the thresholds for random pairs of positions: near, far, antipodal and other pairs.
  @Test func thresholdsAreConservativeEverywhere() {
    forEachDistance("chord thresholds") { distance, chord, threshold, pair in
      if distance <= threshold { #expect(chord <= ChordThreshold.approaching(threshold), "\(pair)") }
      if distance >= threshold { #expect(chord >= ChordThreshold.leaving(threshold), "\(pair)") }
    }
  }

  /// For circles of every size, tests the thresholds for points that lie exactly on the circle, in all directions from
  /// its centre.
  @Test func circlesLieBetweenTheirThresholds() {
    var random = SeededGenerator("circles between thresholds")
    for _ in 0..<5_000 {
      let p = random.place()
      let radius = random.logarithmic(1, 2e7)
      for step in 0..<24 {
        let q = p.moved(azimuth: Double(step) * 15, distance: radius)
        let s = p.distance(to: q)
        let chord = p.vector.squaredChord(to: q.vector).squareRoot()
        #expect(chord <= ChordThreshold.approaching(s) && chord >= ChordThreshold.leaving(s), "\(p) \(radius) \(step)")
      }
    }
  }

  /// Checks that the two thresholds for a distance are close to each other, for example less than 10 µm apart at 1 km.
  /// Thresholds that are far apart would be correct, but would cause many unnecessary exact checks.
  @Test func thresholdsAreTightWhereItMatters() {
    for (s, width) in [(1.0, 3e-6), (1000, 1e-5), (10_000, 2e-3), (200_000, 9)] {
      let gap = ChordThreshold.approaching(s) - ChordThreshold.leaving(s)
      #expect(gap > 0 && gap < width)
    }
  }

  @Test(arguments: hostileNumbers) func hostileNumbersDoNotTrap(_ number: Double) {
    let approaching = ChordThreshold.approaching(number)
    let leaving = ChordThreshold.leaving(number)
    if number.isNaN { #expect(approaching.isNaN && leaving.isNaN) }
    if number >= DistanceBounds.largestDistance {
      #expect(approaching == DistanceBounds.largestChord && leaving == DistanceBounds.largestChord)
    }
    if number < 0 { #expect(approaching <= 1e-6) }
  }
}
