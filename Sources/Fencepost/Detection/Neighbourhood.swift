import FencepostKernel

/// The thresholds that are nearest to where the device was, and how far it can move before any of them matters.
///
/// Two levels. Around `origin` the list holds every threshold with a slack up to `radius`: as long as the device
/// stays within `radius`, only the list has to be looked at. Around the position at which the list was last
/// measured there is a safe region within which no threshold can be reached at all; a fix in it costs a few
/// comparisons of degrees. (Safe regions: Prabhakar et al., IEEE Trans. Computers 51 (2002); Hu, Xu, Lee,
/// SIGMOD 2005.)
///
/// All is measured in chords. A chord changes by no more than the device moves, whatever the ellipsoid.
struct Neighbourhood: Sendable {
  static let capacity = 32
  /// Greatest radius of curvature of the ellipsoid, a² / b, metres, a little widened.
  private static let greatestRadius = 6_399_594.0
  private static let metresPerDegree = greatestRadius * 0.017_453_292_519_943_296

  private(set) var isValid = false
  private(set) var origin = EarthVector(x: 0, y: 0, z: 0)
  private(set) var radius = 0.0
  /// Radius to try when the list is built next.
  var nextRadius = 400.0
  private(set) var count = 0
  private var slots: ContiguousArray<UInt32> = ContiguousArray(repeating: SlotState.none, count: capacity)
  private var x: ContiguousArray<SIMD2<Double>> = ContiguousArray(repeating: .zero, count: capacity / 2)
  private var y: ContiguousArray<SIMD2<Double>> = ContiguousArray(repeating: .zero, count: capacity / 2)
  private var z: ContiguousArray<SIMD2<Double>> = ContiguousArray(repeating: .zero, count: capacity / 2)
  private var threshold: ContiguousArray<SIMD2<Double>> = ContiguousArray(repeating: .zero, count: capacity / 2)
  private var direction: ContiguousArray<SIMD2<Double>> = ContiguousArray(repeating: .zero, count: capacity / 2)

  /// The safe region: degrees and metres per degree; a negative square when there is none.
  struct SafeRegion: Sendable {
    var latitude = 0.0
    var longitude = 0.0
    var metresPerLatitude = 0.0
    var metresPerLongitude = 0.0
    var squaredRadius = -1.0

    /// Whether a position lies in the region. The length of the straight line on the map of degrees, each scaled
    /// by its greatest length within reach, is no less than the distance.
    @inline(__always)
    func contains(_ coordinate: Coordinate) -> Bool {
      let dx = (coordinate.longitude - longitude) * metresPerLongitude
      let dy = (coordinate.latitude - latitude) * metresPerLatitude
      return dx * dx + dy * dy < squaredRadius
    }
  }
  private(set) var safe = SafeRegion()
  private var metresPerLongitude = 0.0

  /// Whether the device jumped: too far from where it was for a list to pay.
  func isJump(to position: EarthVector) -> Bool {
    let moved = origin.squaredChord(to: position).squareRoot()
    return moved > 1_000 && moved > 4 * radius && origin != EarthVector(x: 0, y: 0, z: 0)
  }

  /// Whether the list holds all that can matter at a position.
  func covers(_ position: EarthVector) -> Bool {
    isValid && origin.squaredChord(to: position) < radius * radius
  }

  mutating func invalidate() {
    isValid = false
    safe.squaredRadius = -1
  }

  /// Gives up the list and remembers where the device is.
  mutating func reset(at position: EarthVector) {
    invalidate()
    origin = position
    radius = 0
  }

  /// Begins a new list, of the watches with a slack up to `radius` around a position.
  mutating func begin(at position: EarthVector, latitude: Double, radius: Double) {
    origin = position
    self.radius = radius
    count = 0
    // The widest parallel within reach: a degree of latitude is at least 110.5 km.
    let lowest = max(0, latitude.magnitude - radius / 110_500 - 1e-9)
    metresPerLongitude = Self.metresPerDegree * Trigonometry.sincosDegrees(min(lowest, 90)).cosine * 1.000_000_1
  }

  /// Adds a watch to the list that was begun; there is room for ``capacity``.
  mutating func append(_ watch: ActiveCircles.Watch) {
    guard count < Self.capacity else { return }
    set(count, watch)
    count += 1
  }

  /// Ends the list.
  mutating func end() {
    if count % 2 == 1 { setInert(count) }
    isValid = true
  }

  /// Changes the watch of a slot. A slot that the list does not hold makes the list invalid.
  mutating func update(_ slot: UInt32, _ watch: ActiveCircles.Watch?) {
    guard isValid else { return }
    safe.squaredRadius = -1
    for index in 0..<count where slots[index] == slot {
      if let watch { set(index, watch) } else { setInert(index) }
      return
    }
    if watch != nil { isValid = false }
  }

  /// The least slack of the list at a position.
  @inline(__always)
  func leastSlack(at position: EarthVector) -> Double {
    let px = SIMD2(repeating: position.x)
    let py = SIMD2(repeating: position.y)
    let pz = SIMD2(repeating: position.z)
    var least = SIMD2(repeating: Double.infinity)
    let pairs = (count + 1) / 2
    x.withUnsafeBufferPointer { x in
      y.withUnsafeBufferPointer { y in
        z.withUnsafeBufferPointer { z in
          threshold.withUnsafeBufferPointer { threshold in
            direction.withUnsafeBufferPointer { direction in
              for pair in 0..<pairs {
                let dx = x[pair] - px
                let dy = y[pair] - py
                let dz = z[pair] - pz
                let chord = (dx * dx + dy * dy + dz * dz).squareRoot()
                let slack = direction[pair] * (threshold[pair] - chord)
                least = least.replacing(with: slack, where: slack .< least)
              }
            }
          }
        }
      }
    }
    return min(least.x, least.y)
  }

  /// Appends the slots whose threshold is reached at a position.
  func reached(at position: EarthVector, into result: inout ContiguousArray<UInt32>) {
    for index in 0..<count {
      let pair = index / 2
      let lane = index % 2
      let centre = EarthVector(x: x[pair][lane], y: y[pair][lane], z: z[pair][lane])
      let chord = centre.squaredChord(to: position).squareRoot()
      if direction[pair][lane] * (threshold[pair][lane] - chord) <= 0 { result.append(slots[index]) }
    }
  }

  /// Draws the safe region around a position that the list covers.
  ///
  /// - Parameter slack: The least slack of the list there.
  mutating func drawSafeRegion(at position: EarthVector, _ coordinate: Coordinate, slack: Double) {
    let moved = origin.squaredChord(to: position).squareRoot()
    let least = min(slack, radius - moved) - 1e-5
    safe = SafeRegion(
      latitude: coordinate.latitude, longitude: coordinate.longitude,
      metresPerLatitude: Self.metresPerDegree * 1.000_000_1, metresPerLongitude: metresPerLongitude,
      squaredRadius: least > 0 ? least * least : -1)
  }

  mutating func removeSafeRegion() {
    safe.squaredRadius = -1
  }

  private mutating func set(_ index: Int, _ watch: ActiveCircles.Watch) {
    let pair = index / 2
    let lane = index % 2
    slots[index] = watch.slot
    x[pair][lane] = watch.centre.x
    y[pair][lane] = watch.centre.y
    z[pair][lane] = watch.centre.z
    threshold[pair][lane] = watch.threshold
    direction[pair][lane] = watch.direction
  }

  private mutating func setInert(_ index: Int) {
    let pair = index / 2
    let lane = index % 2
    x[pair][lane] = 0
    y[pair][lane] = 0
    z[pair][lane] = 0
    threshold[pair][lane] = .infinity
    direction[pair][lane] = 1
  }
}
