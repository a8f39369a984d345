/// Two inverse problems with a common second point, solved together: one in each lane of vectors.
///
/// Each lane computes the operations of `InverseTask` in the same order, so the distances have the same bits. If a lane
/// needs a special case (a meridian, the equator, a line shorter than a metre, nearly antipodal points, or bisection),
/// `distances` returns `nil`, and the caller solves each problem separately.
///
/// The functions of this file repeat formulas of `InverseTask`, `GeodesicSeries` and `Trigonometry` for vectors.
/// `GeodesicPairTests` compares the bits of the results. The functions `atan2` and `sincosKernel` are not inlined, which
/// makes the library smaller and the search no slower.
struct GeodesicPair {
  typealias Lanes = SIMD2<Double>

  private let sine1, cosine1, stretch1: Lanes
  private let sine2, cosine2, stretch2: Lanes
  private let lambda, sineLambda, cosineLambda: Lanes

  /// The limit of Newton steps. Most searches need one or two; `InverseTask` solves the others.
  private static var mostRounds: Int { 4 }

  /// The distances from two points to a common point, in metres; `nil` if a lane needs a special case.
  @inline(__always)
  static func distances(latitudes: Lanes, longitudes: Lanes, to place: GeodesicInverse.Place) -> Lanes? {
    GeodesicPair(latitudes, longitudes, place)?.search()
  }

  /// Like `InverseTask.init`.
  @inline(__always)
  private init?(_ latitudes: Lanes, _ longitudes: Lanes, _ place: GeodesicInverse.Place) {
    guard place.isUsual, all(magnitude(latitudes) .<= 90), all(magnitude(longitudes) .<= 180) else { return nil }
    let settled1 = Self.settled(latitudes)
    let (s1, c1) = Self.reducedLatitude(settled1)
    let (s2, c2) = (Lanes(repeating: place.sine), Lanes(repeating: place.cosine))
    let swapped = magnitude(latitudes) .< place.latitude.magnitude
    let larger = settled1.replacing(with: place.settled, where: swapped)
    // The sine and `settled` are odd functions, so change the sign after computing them. 0 − x is never −0.
    let reverse = larger .>= 0
    var first = s1.replacing(with: s2, where: swapped)
    var second = s2.replacing(with: s1, where: swapped)
    first.replace(with: 0 - first, where: reverse)
    second.replace(with: 0 - second, where: reverse)
    let cosineFirst = c1.replacing(with: c2, where: swapped)
    var cosineSecond = c2.replacing(with: c1, where: swapped)
    let isSteep = cosineFirst .< (0 - first)
    let isSameCosine = isSteep .& (cosineSecond .== cosineFirst)
    let isSameSine = .!isSteep .& (magnitude(second) .== (0 - first))
    let mirrored = (0 - first).replacing(with: first, where: second .< 0)
    second.replace(with: mirrored, where: isSameCosine)
    cosineSecond.replace(with: cosineFirst, where: isSameSine)
    guard all(first .< 0), all(cosineFirst .> Heading.tiny) else { return nil }
    sine1 = first
    cosine1 = cosineFirst
    sine2 = second
    cosine2 = cosineSecond
    stretch1 = (1 + Ellipsoid.secondEccentricitySquared * (sine1 * sine1)).squareRoot()
    stretch2 = (1 + Ellipsoid.secondEccentricitySquared * (sine2 * sine2)).squareRoot()

    let (sum, error) = Self.exactSum(0 - longitudes, Lanes(repeating: place.longitude))
    let wrapped = sum.replacing(with: sum + 360, where: sum .< -180).replacing(with: sum - 360, where: sum .> 180)
    let (difference, rest) = Self.exactSum(wrapped, error)
    guard all(magnitude(difference) .< 180) else { return nil }
    let west = difference .< 0
    let degrees = difference.replacing(with: 0 - difference, where: west)
    let tail = rest.replacing(with: 0 - rest, where: west)
    let (turns, quadrant) = Self.turns(degrees * (1 / 90.0))
    let reduced = Self.settled((degrees - 90 * turns) + tail)
    (sineLambda, cosineLambda) = Self.sincosReducedDegrees(reduced, quadrant)
    guard all(sineLambda .> 0) else { return nil }
    lambda = Self.settled(degrees + tail) * Trigonometry.radiansPerDegree
  }

  // MARK: - The search

  /// Like `InverseTask.search`.
  private func search() -> Lanes? {
    guard var (sine, cosine) = firstGuess() else { return nil }
    var distance = Lanes(repeating: 0)
    var isOpen = distance .== 0
    for _ in 0..<Self.mostRounds {
      guard let trial = follow(sine, cosine) else { return nil }
      let excess = trial.excess
      let reach = trial.reducedLength * lesser(100 * trial.reducedLength, 1)
      let isClose = magnitude(excess) .<= 2.5e-6 * reach
      guard all(trial.slope .!= 0) else { return nil }
      let bend = 0.5 * cosine1 * cosine * excess / trial.slope
      let correction = excess * (bend - trial.clairaut)
      let found = Ellipsoid.polarRadius * trial.length + Ellipsoid.equatorialRadius * correction
      distance.replace(with: found, where: isOpen .& isClose)
      isOpen = isOpen .& .!isClose
      guard any(isOpen) else { return distance }
      // A lane that has its distance repeats its last trial.
      let step = (0 - excess) / trial.slope
      guard all(.!isOpen .| ((trial.slope .> 0) .& (magnitude(step) .< 1) .& (magnitude(excess) .> 4e-16))) else {
        return nil
      }
      let (sineStep, cosineStep) = Self.sincos(step.replacing(with: 0, where: .!isOpen))
      (sine, cosine) = normalized(sine * cosineStep + cosine * sineStep, cosine * cosineStep - sine * sineStep)
      guard all(sine .> 0) else { return nil }
    }
    return nil
  }

  private struct Trial {
    var clairaut, excess, slope, length, reducedLength: Lanes
  }

  /// Like `InverseTask.follow`; `nil` if the path reaches the parallel of point 2 at its vertex.
  private func follow(_ sine: Lanes, _ cosine: Lanes) -> Trial? {
    let clairaut = sine * cosine1
    let lift = sine * sine1
    let cosineSquared = cosine * cosine + lift * lift
    let epsilon = Self.epsilon(Ellipsoid.secondEccentricitySquared * cosineSquared)

    let northing1 = cosine * cosine1
    let northing2 = reachedNorthing(northing1)
    guard all(northing2 .> 0) else { return nil }
    let scale = 1 / cosineSquared.squareRoot()
    let sineSigma1 = sine1 * scale
    let cosineSigma1 = northing1 * scale
    let sineSigma2 = sine2 * scale
    let cosineSigma2 = northing2 * scale
    let crossing = notNegative(cosineSigma1 * sineSigma2 - sineSigma1 * cosineSigma2)
    let sineProduct = sineSigma1 * sineSigma2
    let cosineProduct = cosineSigma1 * cosineSigma2
    let sigma = Self.atan2(crossing, cosineProduct + sineProduct)

    let sineOmega = clairaut * crossing
    let cosineOmega = cosineProduct + clairaut * clairaut * sineProduct
    let turned = Self.atan2(
      sineOmega * cosineLambda - cosineOmega * sineLambda, cosineOmega * cosineLambda + sineOmega * sineLambda)

    let waves = Waves(sine: sineSigma2, cosine: cosineSigma2) - Waves(sine: sineSigma1, cosine: cosineSigma1)
    let longitudeSum = sigma + Self.longitudeWaves(epsilon, waves)
    let excess = turned - Ellipsoid.flattening * clairaut * (Self.longitudeScale(epsilon) * longitudeSum)

    let distanceScale = Self.distanceScaleMinusOne(epsilon)
    let distanceWaves = Self.distanceWaves(epsilon, waves)
    let length = (1 + distanceScale) * (sigma + distanceWaves)

    let reducedScale = Self.reducedScaleMinusOne(epsilon)
    let reducedWaves = Self.reducedWaves(epsilon, waves)
    let difference =
      (distanceScale - reducedScale) * sigma
      + ((1 + distanceScale) * distanceWaves - (1 + reducedScale) * reducedWaves)
    let reducedLength =
      stretch2 * (cosineSigma1 * sineSigma2) - stretch1 * (sineSigma1 * cosineSigma2)
      - cosineProduct * difference
    let slope = reducedLength * Ellipsoid.axisRatio / northing2
    return Trial(clairaut: clairaut, excess: excess, slope: slope, length: length, reducedLength: reducedLength)
  }

  /// Like `InverseTask.reachedNorthing`.
  @inline(__always)
  private func reachedNorthing(_ northing1: Lanes) -> Lanes {
    let isFlat = cosine1 .< (0 - sine1)
    let gained = ((sine1 - sine2) * (sine1 + sine2)).replacing(
      with: (cosine2 - cosine1) * (cosine1 + cosine2), where: isFlat)
    let isSame = (cosine2 .== cosine1) .& (magnitude(sine2) .== (0 - sine1))
    return notNegative(northing1 * northing1 + gained).squareRoot()
      .replacing(with: magnitude(northing1), where: isSame)
  }

  /// Like `InverseTask.firstGuess`; `nil` if the lanes need different guesses, or are nearly antipodal or very short.
  @inline(__always)
  private func firstGuess() -> (sine: Lanes, cosine: Lanes)? {
    let sineDifference = sine2 * cosine1 - cosine2 * sine1
    let cosineDifference = cosine2 * cosine1 + sine2 * sine1
    let isShort = (cosineDifference .>= 0) .& (sineDifference .< 0.5) .& (cosine2 * lambda .< 0.5)
    if all(isShort) { return shortGuess() }
    guard !any(isShort) else { return nil }

    let sphere = triangle(sineLambda, cosineLambda)
    let antipodalReach = 6 * Ellipsoid.thirdFlattening * Double.pi * (cosine1 * cosine1)
    guard !any((sphere.cosineSigma .< 0) .& (sphere.sineSigma .< antipodalReach)) else { return nil }
    let sigma = Self.atan2(sphere.sineSigma, sphere.cosineSigma)
    let clairaut = sphere.sine * cosine1 / sphere.sineSigma
    let shift = Ellipsoid.flattening * clairaut * sigma
    let square = shift * shift
    let sineShift = shift * (1 - square * (1 / 6.0))
    let cosineShift = 1 - square * (0.5 - square * (1 / 24.0))
    let better = triangle(
      sineLambda * cosineShift + cosineLambda * sineShift, cosineLambda * cosineShift - sineLambda * sineShift)
    return sanitized(better)
  }

  /// Like `InverseTask.shortGuess`.
  private func shortGuess() -> (sine: Lanes, cosine: Lanes)? {
    let sineSum = sine1 + sine2
    let cosineSum = cosine1 + cosine2
    let sineMiddle = sineSum * sineSum / (sineSum * sineSum + cosineSum * cosineSum)
    let stretch = (1 + Ellipsoid.secondEccentricitySquared * sineMiddle).squareRoot()
    let (sineOmega, cosineOmega) = Self.sincos(lambda / (Ellipsoid.axisRatio * stretch))
    let sphere = triangle(sineOmega, cosineOmega)
    guard all(sphere.sineSigma .>= 3.6e-8) else { return nil }
    return sanitized(sphere)
  }

  private struct Triangle {
    var sine, cosine, sineSigma, cosineSigma: Lanes
  }

  /// Like `InverseTask.triangle`.
  @inline(__always)
  private func triangle(_ sineOmega: Lanes, _ cosineOmega: Lanes) -> Triangle {
    let east = cosine2 * sineOmega
    let square = sineOmega * sineOmega
    let isAhead = cosineOmega .>= 0
    let (rise, fall) = (sine2 * cosine1, cosine2 * sine1)
    let (ahead, behind) = (rise - fall, rise + fall)
    let bend = fall * (square / (1 + magnitude(cosineOmega)))
    let north = (behind - bend).replacing(with: ahead + bend, where: isAhead)
    return Triangle(
      sine: east, cosine: north, sineSigma: (east * east + north * north).squareRoot(),
      cosineSigma: sine1 * sine2 + cosine1 * cosine2 * cosineOmega)
  }

  /// Like `InverseTask.sanitized`; `nil` if rounding removed the eastward component.
  @inline(__always)
  private func sanitized(_ triangle: Triangle) -> (sine: Lanes, cosine: Lanes)? {
    all(triangle.sine .> 0) ? normalized(triangle.sine, triangle.cosine) : nil
  }

  @inline(__always)
  private func normalized(_ sine: Lanes, _ cosine: Lanes) -> (sine: Lanes, cosine: Lanes) {
    let scale = 1 / (sine * sine + cosine * cosine).squareRoot()
    return (sine * scale, cosine * scale)
  }
}

// MARK: - Series, as in `GeodesicSeries`

extension GeodesicPair {
  /// Like `Harmonics`, but only for sines.
  fileprivate struct Waves {
    var c1, c2, c3, c4, c5: Lanes

    @inline(__always)
    init(sine: Lanes, cosine: Lanes) {
      let twice = 2 * (cosine - sine) * (cosine + sine)
      c1 = 2 * sine * cosine
      c2 = twice * c1
      c3 = twice * c2 - c1
      c4 = twice * c3 - c2
      c5 = twice * c4 - c3
    }

    @inline(__always)
    static func - (l: Waves, r: Waves) -> Waves {
      var waves = l
      waves.c1 -= r.c1
      waves.c2 -= r.c2
      waves.c3 -= r.c3
      waves.c4 -= r.c4
      waves.c5 -= r.c5
      return waves
    }

    @inline(__always)
    func sum(_ k1: Lanes, _ k2: Lanes, _ k3: Lanes, _ k4: Lanes, _ k5: Lanes) -> Lanes {
      let low = k1 * c1 + k2 * c2
      let high = (k3 * c3 + k4 * c4) + k5 * c5
      return low + high
    }
  }

  @inline(__always)
  fileprivate static func epsilon(_ kSquared: Lanes) -> Lanes {
    let root = (1 + kSquared).squareRoot()
    return kSquared / (2 * (1 + root) + kSquared)
  }

  @inline(__always)
  fileprivate static func distanceScaleMinusOne(_ e: Lanes) -> Lanes {
    let e2 = e * e
    let rest = e2 * (0.25 + e2 * (1 / 64.0))
    return (e + rest) / (1 - e)
  }

  @inline(__always)
  fileprivate static func distanceWaves(_ e: Lanes, _ waves: Waves) -> Lanes {
    let e2 = e * e
    let e3 = e2 * e
    let inner = 3 / 16.0 - e2 * (1 / 32.0)
    let k1 = e * (-0.5 + e2 * inner)
    let k2 = e2 * (-1 / 16.0 + e2 * (1 / 32.0))
    let k3 = e3 * (-1 / 48.0 + e2 * (3 / 256.0))
    return waves.sum(k1, k2, k3, e3 * e * (-5 / 512.0), e3 * e2 * (-7 / 1280.0))
  }

  @inline(__always)
  fileprivate static func reducedScaleMinusOne(_ e: Lanes) -> Lanes {
    let e2 = e * e
    let even = e2 * (0.25 + e2 * (9 / 64.0))
    return even - e * (1 + even)
  }

  @inline(__always)
  fileprivate static func reducedWaves(_ e: Lanes, _ waves: Waves) -> Lanes {
    let e2 = e * e
    let e3 = e2 * e
    let k1 = e * (0.5 + e2 * (1 / 16.0))
    let k2 = e2 * (3 / 16.0 + e2 * (1 / 32.0))
    return waves.sum(k1, k2, e3 * (5 / 48.0), e3 * e * (35 / 512.0), Lanes(repeating: 0))
  }

  @inline(__always)
  fileprivate static func longitudeScale(_ e: Lanes) -> Lanes {
    let n = GeodesicSeries.thirdFlattening
    let a1 = -(0.5 - 0.5 * n)
    let a2 = -(0.25 + n * (0.125 - 0.375 * n))
    let a3 = -(1 / 16.0 + n * (3 / 16.0))
    let inner = a2 + e * (a3 - e * (3 / 64.0))
    return 1 + e * (a1 + e * inner)
  }

  @inline(__always)
  fileprivate static func longitudeWaves(_ e: Lanes, _ waves: Waves) -> Lanes {
    let n = GeodesicSeries.thirdFlattening
    let e2 = e * e
    let b1 = 0.25 - 0.25 * n
    let b2 = 0.125 - 0.125 * n * n
    let b3 = 3 / 64.0 + 3 / 64.0 * n
    let d1 = 1 / 16.0 - n * (3 / 32.0 - n * (1 / 32.0))
    let d2 = 3 / 64.0 - n * (1 / 32.0)
    let f1 = 5 / 192.0 - 3 / 64.0 * n
    let inner = b2 + e * (b3 + e * (5 / 128.0))
    let k1 = e * (b1 + e * inner)
    let k2 = e2 * (d1 + e * (d2 + e * (3 / 128.0)))
    let k3 = e2 * e * (f1 + e * (3 / 128.0))
    return waves.sum(k1, k2, k3, e2 * e2 * (7 / 512.0), Lanes(repeating: 0))
  }
}

// MARK: - Trigonometry, as in `Trigonometry`

extension GeodesicPair {
  private typealias Bits = SIMD2<UInt64>

  @inline(__always)
  fileprivate static func exactSum(_ a: Lanes, _ b: Lanes) -> (sum: Lanes, error: Lanes) {
    let sum = a + b
    let bPart = sum - a
    let aPart = sum - bPart
    return (sum, (a - aPart) + (b - bPart))
  }

  @inline(__always)
  fileprivate static func settled(_ degrees: Lanes) -> Lanes {
    let size = magnitude(degrees)
    let kept = 0.0625 - (0.0625 - size)
    let signed = kept.replacing(with: 0 - kept, where: degrees .< 0)
    return degrees.replacing(with: signed, where: size .< 0.0625)
  }

  @inline(__always)
  fileprivate static func reducedLatitude(_ degrees: Lanes) -> (sine: Lanes, cosine: Lanes) {
    let (turns, quadrant) = turns(degrees * (1 / 90.0))
    let (sine, cosine) = sincosReducedDegrees(degrees - 90 * turns, quadrant)
    let y = Ellipsoid.axisRatio * sine
    let scale = 1 / (y * y + cosine * cosine).squareRoot()
    let scaled = cosine * scale
    return (y * scale, scaled.replacing(with: Heading.tiny, where: scaled .< Heading.tiny))
  }

  /// The nearest integers, as numbers and in the lowest bits of bit patterns.
  @inline(__always)
  fileprivate static func turns(_ quarters: Lanes) -> (turns: Lanes, quadrant: SIMD2<UInt64>) {
    let shifted = quarters + Trigonometry.roundingShift
    return (shifted - Trigonometry.roundingShift, unsafeBitCast(shifted, to: Bits.self))
  }

  @inline(__always)
  fileprivate static func sincosReducedDegrees(
    _ degrees: Lanes, _ quadrant: SIMD2<UInt64>
  ) -> (sine: Lanes, cosine: Lanes) {
    let upper = unsafeBitCast(unsafeBitCast(degrees, to: Bits.self) & 0xffff_ffff_f800_0000, to: Lanes.self)
    let product = upper * 0.01745329238474369
    let rest = (degrees - upper) * 0.01745329238474369 + degrees * 1.3519960527851425e-10
    let high = product + rest
    return sincosKernel(high, (product - high) + rest, quadrant)
  }

  @inline(__always)
  fileprivate static func sincos(_ radians: Lanes) -> (sine: Lanes, cosine: Lanes) {
    let (turns, quadrant) = turns(radians * 0.6366197723675814)
    let first = radians - turns * 1.5707963267341256
    let second = turns * 6.077100506303966e-11
    let high = first - second
    let tail = ((first - high) - second) - turns * 2.0222662487959506e-21
    return sincosKernel(high, tail, quadrant)
  }

  @inline(never)
  private static func sincosKernel(_ x: Lanes, _ tail: Lanes, _ quadrant: Bits) -> (sine: Lanes, cosine: Lanes) {
    let z = x * x
    let z2 = z * z
    let z3 = z2 * z
    let sineUpper = (2.7557316100283695e-06 + z * -2.5051131372218632e-08) + z2 * 1.5918095236696272e-10
    let sineLower = (-0.16666666666666666 + z * 0.008333333333330946) + z2 * -0.000198412698367542
    let sineSeries = sineLower + z3 * sineUpper
    let cosineUpper = (-2.755731727031051e-07 + z * 2.087614597263508e-09) + z2 * -1.1382611119025631e-11
    let cosineLower = (0.041666666666666664 + z * -0.0013888888888887395) + z2 * 2.480158729876295e-05
    let cosineSeries = cosineLower + z3 * cosineUpper
    let half = 0.5 * z
    let rounded = 1 - half
    let sine = x + (tail * rounded + x * z * sineSeries)
    let low = z2 * cosineSeries - x * tail
    let cosine = rounded + (((1 - rounded) - half) + low)
    let (sineBits, cosineBits) = (unsafeBitCast(sine, to: Bits.self), unsafeBitCast(cosine, to: Bits.self))
    let exchanged = (sineBits ^ cosineBits) & (0 &- (quadrant & 1))
    let sineSign = (quadrant & 2) &<< 62
    let cosineSign = ((quadrant &+ 1) & 2) &<< 62
    return (
      unsafeBitCast(sineBits ^ exchanged ^ sineSign, to: Lanes.self) + 0,
      unsafeBitCast(cosineBits ^ exchanged ^ cosineSign, to: Lanes.self) + 0
    )
  }

  /// Like `Trigonometry.atan2`, for vectors other than (0, 0).
  @inline(never)
  fileprivate static func atan2(_ y: Lanes, _ x: Lanes) -> Lanes {
    let ax = magnitude(x)
    let ay = magnitude(y)
    let isSteep = ax .< ay
    let m = ax.replacing(with: ay, where: isSteep)
    let n = ay.replacing(with: ax, where: isSteep)
    // The negative index of the nearest quarter to n/m, because `bits` gives −1 for each exceeded limit.
    let passed = (bits(0.125 * m .< n) &+ bits(0.375 * m .< n)) &+ (bits(0.625 * m .< n) &+ bits(0.875 * m .< n))
    let (one, two) = (Int(truncatingIfNeeded: 0 &- passed[0]), Int(truncatingIfNeeded: 0 &- passed[1]))
    let k = Lanes(ArcTable.tangents[unchecked: one], ArcTable.tangents[unchecked: two])
    let q = (n - k * m) / (m + k * n)
    let z = q * q
    let z2 = z * z
    let upper = (-0.09090838594072274 + z * 0.076856602851371) + z2 * -0.06354280112984088
    let inner = -0.14285714284714127 + z * 0.11111110726529587
    let lower = (-0.3333333333333333 + z * 0.19999999999999024) + z2 * inner
    let series = lower + (z2 * z2) * upper
    let rest = q + q * (z * series)
    let signs = unsafeBitCast(x, to: Bits.self)
    let swaps = unsafeBitCast(ax - ay, to: Bits.self)
    let turned = unsafeBitCast(rest, to: Bits.self) ^ ((signs ^ swaps) & 0x8000_0000_0000_0000)
    let angle = unsafeBitCast(turned, to: Lanes.self)
    let octants = ((0 &- (swaps &>> 63)) & 5) &+ ((0 &- (signs &>> 63)) & 10)
    let (entry1, entry2) = (one &+ Int(truncatingIfNeeded: octants[0]), two &+ Int(truncatingIfNeeded: octants[1]))
    let tables = Lanes(ArcTable.radians[unchecked: entry1], ArcTable.radians[unchecked: entry2])
    let tails = Lanes(ArcTable.radianTails[unchecked: entry1], ArcTable.radianTails[unchecked: entry2])
    let sum = tables + (tails + angle)
    return sum.replacing(with: 0 - sum, where: y .< 0)
  }
}

@inline(__always)
private func magnitude(_ value: SIMD2<Double>) -> SIMD2<Double> {
  unsafeBitCast(unsafeBitCast(value, to: SIMD2<UInt64>.self) & 0x7fff_ffff_ffff_ffff, to: SIMD2<Double>.self)
}

@inline(__always)
private func notNegative(_ value: SIMD2<Double>) -> SIMD2<Double> { value.replacing(with: 0, where: value .< 0) }

@inline(__always)
private func lesser(_ value: SIMD2<Double>, _ limit: Double) -> SIMD2<Double> {
  value.replacing(with: limit, where: value .> limit)
}

@inline(__always)
private func bits(_ mask: SIMDMask<SIMD2<Int64>>) -> SIMD2<UInt64> { unsafeBitCast(mask, to: SIMD2<UInt64>.self) }

@inline(__always)
private func all(_ mask: SIMDMask<SIMD2<Int64>>) -> Bool {
  let lanes = unsafeBitCast(mask, to: SIMD2<UInt64>.self)
  return lanes[0] & lanes[1] != 0
}

@inline(__always)
private func any(_ mask: SIMDMask<SIMD2<Int64>>) -> Bool {
  let lanes = unsafeBitCast(mask, to: SIMD2<UInt64>.self)
  return lanes[0] | lanes[1] != 0
}
