import Testing

@testable import FencepostKernel

@Suite struct DistanceBoundsTests {
  /// Random pairs in all relations, each against the threshold at its own distance, thresholds just beside it and
  /// random ones.
  @Test func boundsAreConservativeEverywhere() {
    var random = SeededGenerator("chord bounds")
    for _ in 0..<100_000 {
      let p = random.place()
      let q = random.partner(of: p)
      let distance = p.distance(to: q)
      let square = p.vector.squaredChord(to: q.vector)
      let chord = square.squareRoot()
      var thresholds = [distance, distance.nextDown, distance.nextUp, random.logarithmic(1, 2e7)]
      thresholds.append(distance + random.uniform(-1...1) * random.logarithmic(1e-9, 1e3))
      thresholds.append(random.uniform(19_000_000...20_004_000))
      for s in thresholds {
        let inside = distance <= s
        let latitude = Bool.random(using: &random) ? p.latitude : q.latitude
        let local = DistanceBounds.chords(forDistance: s, latitude: latitude)
        for (lower, upper) in [DistanceBounds.chords(forDistance: s), local] {
          #expect(lower <= upper)
          if chord <= lower { #expect(inside, "\(p) \(q) \(s)") }
          if chord > upper { #expect(!inside, "\(p) \(q) \(s)") }
        }
        let squares = DistanceBounds.squaredChords(forDistance: s, latitude: latitude)
        if square <= squares.lower { #expect(inside, "\(p) \(q) \(s)") }
        if square > squares.upper { #expect(!inside, "\(p) \(q) \(s)") }
      }
      let between = DistanceBounds.distances(forChord: chord)
      #expect(between.lower <= distance && distance <= between.upper, "\(p) \(q)")
    }
  }

  /// The chords of circles in all directions around a centre, at the very distance of the threshold.
  @Test func circlesLieBetweenTheirBounds() {
    var random = SeededGenerator("circles")
    for _ in 0..<5_000 {
      let p = random.place()
      let s = random.logarithmic(1, 1e6)
      let bounds = DistanceBounds.chords(forDistance: s, latitude: p.latitude)
      for step in 0..<24 {
        let q = p.moved(azimuth: Double(step) * 15, distance: s)
        let chord = p.vector.squaredChord(to: q.vector).squareRoot()
        #expect(bounds.lower < chord && chord < bounds.upper, "\(p) \(s) \(step)")
      }
    }
  }

  @Test(arguments: Array(stride(from: -90.0, through: 90, by: 15))) func localBoundsAreTight(_ latitude: Double) {
    for (s, width) in [(1.0, 3e-7), (1000, 3e-7), (10_000, 2e-5), (100_000, 2e-2), (1_000_000, 20)] {
      let bounds = DistanceBounds.chords(forDistance: s, latitude: latitude)
      #expect(bounds.upper - bounds.lower < width)
      let global = DistanceBounds.chords(forDistance: s)
      #expect(global.lower <= bounds.lower && bounds.upper <= global.upper)
    }
  }

  @Test func boundsGrowWithTheDistance() {
    var last = DistanceBounds.chords(forDistance: 0)
    var lastLocal = DistanceBounds.chords(forDistance: 0, latitude: 52)
    for step in 1...20_040 {
      let s = Double(step) * 1000
      let next = DistanceBounds.chords(forDistance: s)
      let local = DistanceBounds.chords(forDistance: s, latitude: 52)
      #expect(next.lower >= last.lower && next.upper >= last.upper, "\(s)")
      #expect(local.lower >= lastLocal.lower && local.upper >= lastLocal.upper, "\(s)")
      (last, lastLocal) = (next, local)
    }
  }

  @Test func theEndsOfTheRange() {
    #expect(DistanceBounds.chords(forDistance: 0).lower < 0)
    #expect(DistanceBounds.squaredChords(forDistance: 0, latitude: 10).lower < 0)
    #expect(DistanceBounds.chords(forDistance: -5).lower < 0)
    let whole = DistanceBounds.chords(forDistance: 20_004_000)
    #expect(whole.lower >= 12_756_274 && whole.upper >= 12_756_274)
    #expect(DistanceBounds.distances(forChord: 12_756_274).upper >= 20_003_931.4587)
    #expect(DistanceBounds.distances(forChord: 0).lower == 0)
  }

  @Test(arguments: hostileNumbers) func hostileNumbersDoNotTrap(_ number: Double) {
    let global = DistanceBounds.chords(forDistance: number)
    #expect(global.lower.isNaN == number.isNaN && global.upper.isNaN == number.isNaN)
    for other in hostileNumbers {
      let local = DistanceBounds.chords(forDistance: number, latitude: other)
      #expect(local.lower.isNaN == number.isNaN && local.upper.isNaN == number.isNaN)
      _ = DistanceBounds.squaredChords(forDistance: number, latitude: other)
    }
    let distances = DistanceBounds.distances(forChord: number)
    #expect(distances.lower.isNaN == !(number >= 0) && distances.upper.isNaN == !(number >= 0))
  }
}
