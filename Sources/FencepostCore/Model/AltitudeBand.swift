/// The heights between which a shape reaches. A condition with a band is satisfied while the device is within the shape
/// and within the band.
///
/// Each limit is a height above its own reference, in metres; a limit that is infinite does not exist.
public struct AltitudeBand: Sendable, Hashable {
  /// The surface above which a height is measured. The numbers are part of the C interface.
  @frozen
  public enum Reference: UInt8, Sendable, Hashable, CaseIterable {
    /// The ellipsoid WGS84.
    case ellipsoid = 1
    /// The geoid; see ``FixHeight/geoidHeight``.
    case meanSeaLevel = 2
    /// The ground; see ``FixHeight/groundHeight``.
    case ground = 3
  }

  /// The limits of a band that differs from ``none``.
  private final class Storage: Sendable {
    let limits: Limits

    init(_ limits: Limits) { self.limits = limits }
  }

  struct Limits: Hashable {
    var min = -Double.infinity
    var max = Double.infinity
    var minReference = Reference.ellipsoid
    var maxReference = Reference.ellipsoid
  }

  /// `nil` for ``none``. A reference makes a definition small.
  private var storage: Storage?

  var limits: Limits { @inline(never) get { storage?.limits ?? Limits() } }

  /// The lower limit in metres; −∞ = no lower limit.
  public var min: Double { limits.min }
  /// The upper limit in metres; ∞ = no upper limit.
  public var max: Double { limits.max }
  /// The reference of the lower limit; ``Reference/ellipsoid`` without a lower limit.
  public var minReference: Reference { limits.minReference }
  /// The reference of the upper limit; ``Reference/ellipsoid`` without an upper limit.
  public var maxReference: Reference { limits.maxReference }

  /// Creates a band. It is checked when a condition is added.
  ///
  /// - Parameter maxReference: The reference of the upper limit; `nil` = that of the lower limit.
  @inline(never)
  public init(
    min: Double = -.infinity, max: Double = .infinity, minReference: Reference = .ellipsoid,
    maxReference: Reference? = nil
  ) {
    var limits = Limits(min: min, max: max)
    if min != -.infinity { limits.minReference = minReference }
    if max != .infinity { limits.maxReference = maxReference ?? minReference }
    storage = limits == Limits() ? nil : Storage(limits)
  }

  /// No limits: the height does not matter.
  public static let none = AltitudeBand()

  /// Whether this is ``none``.
  @inline(__always)
  var isNone: Bool { storage == nil }

  @inline(never)
  public static func == (one: AltitudeBand, other: AltitudeBand) -> Bool {
    one.storage === other.storage || one.limits == other.limits
  }

  @inline(never)
  public func hash(into hasher: inout Hasher) { limits.hash(into: &hasher) }

  /// Whether ensuring one condition would keep the other: the limits differ by at most half a metre.
  @inline(never)
  func isNearlyEqual(to other: AltitudeBand) -> Bool {
    if storage === other.storage { return true }
    let (one, other) = (limits, other.limits)
    func isNear(_ one: Double, _ other: Double) -> Bool { one == other || (one - other).magnitude <= 0.5 }
    return one.minReference == other.minReference && one.maxReference == other.maxReference
      && isNear(one.min, other.min) && isNear(one.max, other.max)
  }

  /// The greatest magnitude of a limit, and of a height that counts, in metres. Sums of such numbers cannot overflow,
  /// which a host may trap.
  static var greatest: Double { 1e9 }
}

/// The height of a fix, and the heights that the host knows at its position. A missing value is NaN.
public struct FixHeight: Sendable, Hashable {
  /// The height above the ellipsoid, in metres.
  public var altitude: Double
  /// The accuracy of the altitude, in metres; 0 = not reported. With a negative number or NaN, the fix has no height.
  public var verticalAccuracy: Double
  /// The height of the geoid (the mean sea level) above the ellipsoid at the position, in metres.
  public var geoidHeight: Double
  /// The height of the ground above the ellipsoid at the position, in metres.
  public var groundHeight: Double

  public init(
    altitude: Double, verticalAccuracy: Double = 0, geoidHeight: Double = .nan, groundHeight: Double = .nan
  ) {
    self.altitude = altitude
    self.verticalAccuracy = verticalAccuracy
    self.geoidHeight = geoidHeight
    self.groundHeight = groundHeight
  }

  /// The values that can be used.
  var heights: Heights {
    @inline(never) get {
      // This is also false for NaN.
      guard verticalAccuracy >= 0, altitude.magnitude <= AltitudeBand.greatest else { return .none }
      // Compares the bits, because a comparison that selects a number traps for NaN on hosts that trap FE_INVALID. The
      // bits of NaN are greater than those of all numbers.
      func known(_ height: Double) -> Double {
        height.magnitude.bitPattern <= AltitudeBand.greatest.bitPattern ? height : .nan
      }
      return Heights(
        altitude: altitude, geoid: known(geoidHeight), ground: known(groundHeight),
        // A larger accuracy is as good as none, and its products may overflow.
        accuracy: verticalAccuracy <= AltitudeBand.greatest ? verticalAccuracy : .infinity)
    }
  }
}

/// The heights of a fix, or of a point of the path, above the ellipsoid; NaN where they are not known.
struct Heights {
  /// The height of the device.
  var altitude = Double.nan
  /// The height of the geoid.
  var geoid = Double.nan
  /// The height of the ground.
  var ground = Double.nan
  var accuracy = 0.0

  static var none: Heights { Heights() }

  /// The height of the device above a reference.
  @inline(__always)
  func above(_ reference: AltitudeBand.Reference) -> Double {
    switch reference {
    case .ellipsoid: altitude
    case .meanSeaLevel: altitude - geoid
    case .ground: altitude - ground
    }
  }

  /// Returns the heights at a share of the path between two fixes.
  @inline(never)
  static func between(_ start: Heights, _ end: Heights, _ share: Double) -> Heights {
    func at(_ start: Double, _ end: Double) -> Double { start + (end - start) * share }
    return Heights(
      altitude: at(start.altitude, end.altitude), geoid: at(start.geoid, end.geoid),
      ground: at(start.ground, end.ground),
      accuracy: max(start.accuracy, end.accuracy))
  }
}

/// Where heights are relative to a band, and what follows from it under a policy.
struct VerticalPlace {
  /// The signed distance from the limits, in metres, negative within the band; NaN if it is not known.
  var distance: Double
  /// The comparisons that decide the other members. Along a path, ``isCoarse`` changes at most once, and each of the others
  /// at most once while it does not change.
  var bits: UInt8
  /// Whether the height is certainly within the band.
  var isInside: Bool
  /// Whether the height is certainly not within the band.
  var isOutside: Bool
  var isDecisiveInwards: Bool
  var isDecisiveOutwards: Bool

  /// A bit: the height does not count, because its accuracy is too coarse for the band.
  static var isCoarse: UInt8 { 64 }
}

extension AltitudeBand {
  @inline(never)
  func place(_ heights: Heights, _ policy: TransitionPolicy) -> VerticalPlace {
    // A host may trap FE_INVALID, which a comparison with NaN can raise, also if its result is not used. Therefore a
    // number takes the place of each NaN before it is compared.
    let limits = limits
    var low = heights.above(limits.minReference)
    var high = heights.above(limits.maxReference)
    // The thickness at the position; 0 if it is not known.
    var thickness = limits.max - limits.min
    if thickness < .infinity, limits.minReference != limits.maxReference {
      let change = low - high
      let known = change.isNaN ? -thickness : change
      thickness = Swift.max(0, thickness + known)
    }
    let accuracy = heights.accuracy
    let isCoarse =
      policy.accuracyFactor != 0 && accuracy > Swift.max(thickness / 2, TransitionPolicy.alwaysFineEnough)
    if isCoarse { (low, high) = (.nan, .nan) }
    // An infinite limit needs no height.
    let below = limits.min == -.infinity ? -.infinity : limits.min - low
    let above = limits.max == .infinity ? -.infinity : high - limits.max
    let isKnown = (below: !below.isNaN, above: !above.isNaN)
    let known = (below: isKnown.below ? below : 0, above: isKnown.above ? above : 0)
    let isDistanceKnown = (isKnown.below && isKnown.above) || known.below > 0 || known.above > 0
    let distance =
      isKnown.below && isKnown.above ? Swift.max(known.below, known.above) : known.below > 0 ? known.below : known.above
    let margin = Swift.max(policy.verticalMargin, policy.accuracyFactor == 0 ? 0 : policy.accuracyFactor * accuracy)
    let inner = Swift.min(margin, thickness / 2)
    var bits: UInt8 = isCoarse ? VerticalPlace.isCoarse : 0
    func add(_ distance: Double, _ shift: UInt8) {
      let own: UInt8 = (distance > 0 ? 1 : 0) | (distance >= margin ? 2 : 0) | (distance <= -inner ? 4 : 0)
      bits |= own << shift
    }
    if isKnown.below { add(known.below, 0) }
    if isKnown.above { add(known.above, 3) }
    return VerticalPlace(
      distance: isDistanceKnown ? distance : .nan, bits: bits, isInside: isDistanceKnown && distance <= 0,
      isOutside: isDistanceKnown && distance > 0, isDecisiveInwards: isDistanceKnown && distance <= -inner,
      isDecisiveOutwards: isDistanceKnown && distance > 0 && distance >= margin)
  }
}

extension AltitudeBand {
  /// Whether a height is within the limits. A limit whose height is not known is ignored.
  @inline(never)
  func contains(_ heights: Heights) -> Bool {
    let limits = limits
    return !(heights.above(limits.minReference) < limits.min) && !(heights.above(limits.maxReference) > limits.max)
  }
}

/// The heights of fixes as columns in the caller's memory. A column that is `nil` has no values.
public struct HeightColumns {
  let altitudes, verticalAccuracies, geoidHeights, groundHeights: FixColumns.Column?

  /// Makes columns of heights; `nil` without altitudes, because the other columns then have no meaning.
  public init?(
    altitudes: FixColumns.Column?, verticalAccuracies: FixColumns.Column?, geoidHeights: FixColumns.Column?,
    groundHeights: FixColumns.Column?
  ) {
    guard altitudes != nil else { return nil }
    self.altitudes = altitudes
    self.verticalAccuracies = verticalAccuracies
    self.geoidHeights = geoidHeights
    self.groundHeights = groundHeights
  }

  /// The height of a row; `nil` if it has no altitude.
  @inline(never)
  func height(_ row: Int) -> FixHeight? {
    func value(_ column: FixColumns.Column?, _ none: Double) -> Double {
      column.map { $0.value(row, as: Double.self) } ?? none
    }
    let height = FixHeight(
      altitude: value(altitudes, .nan), verticalAccuracy: value(verticalAccuracies, 0),
      geoidHeight: value(geoidHeights, .nan), groundHeight: value(groundHeights, .nan))
    return height.heights.altitude.isNaN ? nil : height
  }
}

/// The error ellipse and the height of a fix.
public struct FixExtras: Sendable {
  public var ellipse: FixEllipse?
  public var height: FixHeight?

  public init(ellipse: FixEllipse? = nil, height: FixHeight? = nil) {
    self.ellipse = ellipse
    self.height = height
  }

  /// The height; `nil` without an altitude, because the heights of the geoid and of the ground then have no meaning.
  var knownHeight: FixHeight? {
    @inline(never) get { height.flatMap { $0.heights.altitude.isNaN ? nil : $0 } }
  }
}
