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
  // What tunes the list. None of these decides anything: they only trade the time of building it against the time until
  // it has to be built again.

  /// Thresholds in the list. More hold for longer, and each look reads all of them.
  static let capacityOfCircles = 20
  /// The same where edges near the device are known: a list then costs more to build anew, and most looks at it are
  /// followed by one at edges, which costs more.
  static let capacity = 28
  /// With fewer the search is widened: a list of so few would hold for much longer at little cost.
  static let few = 8
  /// By how much, and how often at most: larger steps gather more than is needed, smaller ones ask the index more often.
  static let widening = 2.5
  static let mostTries = 8
  /// Radius of the first list, metres, and of any other: below the least a list holds for seconds only, and beyond the
  /// greatest chords and single precision say too little.
  static let firstRadius = 400.0
  static let radii = 50.0...100_000.0
  /// The next radius to try, in radii of this list, when it had room left and when it was full: too small lists anew sooner
  /// than needed, too large gathers what does not fit.
  static let growthWhenSparse = 1.3
  static let growthWhenFull = 1.1
  /// How far ahead of the device a list is centred, in radii, at most. A device that goes on stays in it for longer, one
  /// that turns back leaves it sooner.
  static let greatestLookAhead = 0.5
  /// Where the list is so crowded that its radius is less than so many times the way to its centre, it is centred on the
  /// device, and the next ones less far ahead by the first factor; each list gains the second one back.
  static let leastRoomAhead = 1.25
  private static let lookAheadLost = 0.7
  private static let lookAheadGained = 1.02
  /// A move of so many metres and radii is a jump: what is listed there would not be read again.
  private static let jump = 1_000.0
  private static let jumpInRadii = 4.0
  /// More than the error of a position in the local frame, metres.
  static let frameGuard = 1e-5
  /// More than the error of a chord in single precision that is not made up for otherwise, metres.
  static let chordGuard = 1e-3
  /// More than the error of a chord in single precision, in parts of the lengths that go into it, which is less than 4e-7.
  private static let singleError = 1e-6
  /// More than the error of lengths that are computed from degrees, in parts of them.
  private static let degreeGuard = 1.000_000_1

  private static let nowhere = EarthVector(x: .nan, y: .nan, z: .nan)
  /// The longest arc of a degree on the ellipsoid, metres.
  private static var metresPerDegree: Double { Ellipsoid.largestRadiusOfCurvature * Trigonometry.radiansPerDegree }

  private(set) var isValid = false
  /// Not a number, from which nothing is at any distance, before the first fix.
  private(set) var origin = nowhere
  private(set) var radius = 0.0
  /// Radius to try when the list is built next.
  private(set) var nextRadius = firstRadius
  private(set) var count = 0
  /// Where the device was when the list was built.
  private var builtAt = nowhere
  /// How far ahead of the device the list is centred, in radii.
  private var lookAhead = greatestLookAhead
  /// The lanes whose watches were changed since ``beginReaching()``, as bits.
  private var changed: UInt32 = 0
  private var groups = ContiguousArray(repeating: Group(), count: capacity / 4)

  /// Four watches side by side. Single precision: each threshold is moved towards its centre line by more than the error
  /// (see ``set(_:_:)``).
  private struct Group {
    /// The centre, relative to `origin`.
    var x = SIMD4<Float>()
    var y = SIMD4<Float>()
    var z = SIMD4<Float>()
    var threshold = SIMD4<Float>()
    var direction = SIMD4<Float>()
    var slots = SIMD4<UInt32>(repeating: SlotState.none)

    private static var vectorSize: Int { MemoryLayout<SIMD4<Float>>.size }
    /// Where the first of `slots` lies, bytes.
    static var slotsOffset: Int { 5 &* vectorSize }

    /// Whether it watches a slot.
    @inline(__always)
    static func holds(_ group: UnsafePointer<Group>, _ slot: UInt32) -> Bool {
      let equal = unsafeBitCast(group.pointee.slots .== SIMD4(repeating: slot), to: SIMD2<UInt64>.self)
      return equal[0] | equal[1] != 0
    }

    /// Stores a watch in one lane of those that lie one behind the other. Element by element into memory, which costs less
    /// than into a vector.
    @inline(__always)
    static func store(
      _ groups: UnsafeMutablePointer<Group>, _ index: Int, _ centre: (x: Float, y: Float, z: Float), threshold: Float,
      direction: Float, slot: UInt32
    ) {
      let row = UnsafeMutableRawPointer(groups + (index &>> 2)) + 4 &* (index & 3)
      row.storeBytes(of: centre.x, as: Float.self)
      row.storeBytes(of: centre.y, toByteOffset: vectorSize, as: Float.self)
      row.storeBytes(of: centre.z, toByteOffset: 2 &* vectorSize, as: Float.self)
      row.storeBytes(of: threshold, toByteOffset: 3 &* vectorSize, as: Float.self)
      row.storeBytes(of: direction, toByteOffset: 4 &* vectorSize, as: Float.self)
      row.storeBytes(of: slot, toByteOffset: slotsOffset, as: UInt32.self)
    }

    /// One bit for each lane.
    @inline(__always)
    static func bits(_ mask: SIMDMask<SIMD4<Int32>>) -> UInt32 {
      let lanes = unsafeBitCast(unsafeBitCast(mask, to: SIMD4<UInt32>.self) & SIMD4(1, 2, 4, 8), to: SIMD2<UInt64>.self)
      let both = lanes[0] | lanes[1]
      return UInt32(truncatingIfNeeded: (both | both &>> 32) & 15)
    }

    /// The slacks at a position.
    @inline(__always)
    static func slacks(
      _ group: UnsafePointer<Group>, _ position: (x: SIMD4<Float>, y: SIMD4<Float>, z: SIMD4<Float>)
    ) -> SIMD4<Float> {
      let dx = group.pointee.x - position.x
      let dy = group.pointee.y - position.y
      let dz = group.pointee.z - position.z
      let chord = (dx * dx + dy * dy + dz * dz).squareRoot()
      return (group.pointee.threshold - chord) * group.pointee.direction
    }
  }

  /// The safe region: degrees and metres per degree; a negative square without a safe region.
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

    /// The centre, in degrees, and the scale of that map, in metres per degree; latitude first.
    @inline(__always)
    var centre: SIMD2<Double> { SIMD2(latitude, longitude) }
    @inline(__always)
    var metres: SIMD2<Double> { SIMD2(metresPerLatitude, metresPerLongitude) }

    /// How far the region reaches from a position in it, metres; 0 or less where it is not in it.
    @inline(__always)
    func room(at coordinate: Coordinate) -> Double {
      guard squaredRadius > 0, contains(coordinate) else { return 0 }
      let dx = (coordinate.longitude - longitude) * metresPerLongitude
      let dy = (coordinate.latitude - latitude) * metresPerLatitude
      return squaredRadius.squareRoot() - (dx * dx + dy * dy).squareRoot()
    }

    /// The square of a length that is no less than the distance of two positions in the region, square metres.
    @inline(__always)
    func squaredLength(from start: Coordinate, to end: Coordinate) -> Double {
      let dx = (end.longitude - start.longitude) * metresPerLongitude
      let dy = (end.latitude - start.latitude) * metresPerLatitude
      return dx * dx + dy * dy
    }
  }
  private(set) var safe = SafeRegion()
  private var metresPerLongitude = 0.0
  private var frame = LocalFrame()

  /// Whether the device jumped: too far from where it was for a list to pay.
  func isJump(to position: EarthVector) -> Bool {
    let moved = origin.squaredChord(to: position).squareRoot()
    return moved > Self.jump && moved > Self.jumpInRadii * radius
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
    builtAt = Self.nowhere
    radius = 0
  }

  /// The point around which to list next: ahead of a position, in the direction in which the device came, since it
  /// will rather go on than turn back.
  func centreAhead(of position: EarthVector) -> EarthVector {
    let x = position.x - builtAt.x
    let y = position.y - builtAt.y
    let z = position.z - builtAt.z
    let moved = (x * x + y * y + z * z).squareRoot()
    guard moved > 1, moved < Self.radii.upperBound else { return position }
    let scale = lookAhead * nextRadius / moved
    return EarthVector(x: position.x + scale * x, y: position.y + scale * y, z: position.z + scale * z)
  }

  mutating func lookLessFarAhead() {
    lookAhead *= Self.lookAheadLost
  }

  /// Takes a radius for the next list, as far as lists go.
  mutating func proposeRadius(_ radius: Double) {
    nextRadius = min(Self.radii.upperBound, max(Self.radii.lowerBound, radius))
  }

  /// Begins a new list, of the watches with a slack up to `radius` around a point.
  mutating func begin(
    around centre: EarthVector, for position: EarthVector, _ coordinate: Coordinate, radius: Double
  ) {
    origin = centre
    builtAt = position
    lookAhead = min(Self.greatestLookAhead, lookAhead * Self.lookAheadGained)
    frame = LocalFrame(latitude: coordinate.latitude, longitude: coordinate.longitude)
    self.radius = radius
    count = 0
    // The widest parallel within reach, with a billionth of a degree for roundings.
    let reach = radius + centre.squaredChord(to: position).squareRoot()
    let lowest = max(0, coordinate.latitude.magnitude - reach / Ellipsoid.leastMetresPerLatitude - 1e-9)
    metresPerLongitude = Self.metresPerDegree * Trigonometry.sincosDegrees(min(lowest, 90)).cosine * Self.degreeGuard
  }

  /// Adds a watch to the list that was begun; there is room for ``capacity``.
  mutating func append(_ watch: Watch) {
    guard count < Self.capacity else { return }
    set(count, watch)
    count += 1
  }

  /// Ends the list.
  mutating func end() {
    var index = count
    while index % 4 != 0 {
      setInert(index)
      index += 1
    }
    isValid = true
  }

  /// Changes the watch of a slot. A slot that the list does not hold makes the list invalid.
  mutating func update(_ slot: UInt32, _ watch: Watch?) {
    guard isValid else { return }
    safe.squaredRadius = -1
    let index = lane(of: slot)
    guard index >= 0 else {
      if watch != nil { isValid = false }
      return
    }
    if let watch { set(index, watch) } else { setInert(index) }
  }

  /// The position of a coordinate, to a micrometre; `nil` where the frame does not reach.
  @inline(__always)
  func position(of coordinate: Coordinate) -> EarthVector? {
    frame.position(latitude: coordinate.latitude, longitude: coordinate.longitude)
  }

  /// A position relative to `origin`, in each lane.
  @inline(__always)
  private func lanes(_ offset: EarthVector) -> (x: SIMD4<Float>, y: SIMD4<Float>, z: SIMD4<Float>) {
    (SIMD4(repeating: Float(offset.x)), SIMD4(repeating: Float(offset.y)), SIMD4(repeating: Float(offset.z)))
  }

  /// A position relative to `origin`.
  @inline(__always)
  func offset(of position: EarthVector) -> EarthVector {
    EarthVector(x: position.x - origin.x, y: position.y - origin.y, z: position.z - origin.z)
  }

  /// The least slack of the list at a position, or less: never more than the true one.
  ///
  /// - Parameter offset: The position relative to `origin`.
  @inline(__always)
  func leastSlack(at offset: EarthVector) -> Double {
    let position = lanes(offset)
    return groups.withUnsafeBufferPointer { groups in
      guard var group = groups.baseAddress else { return .infinity }
      var least = SIMD4(repeating: Float.infinity)
      let end = group + (count &+ 3) / 4
      while group < end {
        let slack = Group.slacks(group, position)
        least = least.replacing(with: slack, where: slack .< least)
        group += 1
      }
      return Double(min(min(least.x, least.y), min(least.z, least.w)))
    }
  }

  /// A straight line between two positions relative to `origin`, in each lane.
  private struct Line {
    private let from: (x: SIMD4<Float>, y: SIMD4<Float>, z: SIMD4<Float>)
    private let along: (x: SIMD4<Float>, y: SIMD4<Float>, z: SIMD4<Float>)
    /// 1 / the square of its length; 0 for a point.
    private let inverse: Float

    @inline(__always)
    init(
      from: (x: SIMD4<Float>, y: SIMD4<Float>, z: SIMD4<Float>),
      to: (x: SIMD4<Float>, y: SIMD4<Float>, z: SIMD4<Float>)
    ) {
      self.from = from
      let (x, y, z) = (to.x - from.x, to.y - from.y, to.z - from.z)
      along = (x, y, z)
      let square = x[0] * x[0] + y[0] * y[0] + z[0] * z[0]
      inverse = square > 1e-30 ? 1 / square : 0
    }

    /// The least slacks of a group on it.
    @inline(__always)
    func slacks(_ group: UnsafePointer<Group>) -> SIMD4<Float> {
      let (x, y, z) = along
      let dx = group.pointee.x - from.x
      let dy = group.pointee.y - from.y
      let dz = group.pointee.z - from.z
      let direction = group.pointee.direction
      var share = (dx * x + dy * y + dz * z) * inverse
      share = share.replacing(with: 0, where: share .< 0)
      share = share.replacing(with: 1, where: share .> 1)
      let (nearX, nearY, nearZ) = (dx - share * x, dy - share * y, dz - share * z)
      let (endX, endY, endZ) = (dx - x, dy - y, dz - z)
      let near = nearX * nearX + nearY * nearY + nearZ * nearZ
      let first = dx * dx + dy * dy + dz * dz
      let last = endX * endX + endY * endY + endZ * endZ
      // The nearest point counts for what may be come to, the farthest for what may be left.
      let far = first.replacing(with: last, where: last .> first)
      let chord = near.replacing(with: far, where: direction .> 0).squareRoot()
      return (group.pointee.threshold - chord) * direction
    }
  }

  /// Whether a way reaches no threshold for certain, and is no longer than some metres. The safe region is that around its
  /// end.
  ///
  /// - Parameter before: a safe region that was drawn before.
  mutating func isClearWay(
    from start: Coordinate, to end: Coordinate, upTo longest: Double, _ before: SafeRegion
  ) -> Bool {
    guard isValid, let first = position(of: start), let last = position(of: end) else { return false }
    let chord = first.squaredChord(to: last).squareRoot()
    // An arc of up to 100 km is hardly longer than its chord.
    let length = chord * 1.000_1 + Self.frameGuard
    guard length <= longest else { return false }
    if safe.squaredRadius > length * length { return true }
    // Each point of the way is nearer to one of its ends than what is free around that.
    if safe.squaredRadius > 0, length < safe.squaredRadius.squareRoot() + before.room(at: start) { return true }
    let (from, to) = (offset(of: first), offset(of: last))
    let sag = Leg.sag(chord) + Self.chordGuard
    guard max(from.length, to.length) + sag < radius else { return false }
    return leastSlack(from: from, to: to) > sag
  }

  /// The least slack of the list on the straight line between two positions, or less, up to ``chordGuard``.
  ///
  /// - Parameters:
  ///   - start: relative to `origin`.
  ///   - end: the same.
  @inline(__always)
  private mutating func leastSlack(from start: EarthVector, to end: EarthVector) -> Double {
    let line = Line(from: lanes(start), to: lanes(end))
    let count = count
    return groups.withUnsafeBufferPointer { groups in
      guard let base = groups.baseAddress else { return .infinity }
      var least = SIMD4(repeating: Float.infinity)
      for group in 0..<((count &+ 3) / 4) {
        let slack = line.slacks(base + group)
        least = least.replacing(with: slack, where: slack .< least)
      }
      return Double(min(min(least.x, least.y), min(least.z, least.w)))
    }
  }

  /// Appends the slots whose threshold a way may reach that is no farther than `sag` from the straight line between two
  /// positions, if the list has them all.
  ///
  /// - Returns: Whether it has.
  mutating func listReached(
    from start: EarthVector, to end: EarthVector, sag: Double, into result: inout ContiguousArray<UInt32>
  ) -> Bool {
    guard isValid else { return false }
    let (from, to) = (offset(of: start), offset(of: end))
    guard max(from.length, to.length) + sag < radius else { return false }
    let line = Line(from: lanes(from), to: lanes(to))
    let most = SIMD4(repeating: Float(sag + Self.chordGuard))
    let count = count
    var reached: UInt32 = groups.withUnsafeBufferPointer { groups in
      guard let base = groups.baseAddress else { return 0 }
      var reached: UInt32 = 0
      for group in 0..<((count &+ 3) / 4) {
        let isReached = line.slacks(base + group) .<= most
        guard any(isReached) else { continue }
        for lane in 0..<4 where isReached[lane] { reached |= 1 << UInt32(4 &* group &+ lane) }
      }
      return reached
    }
    while reached != 0 {
      result.append(slot(ofLane: reached.trailingZeroBitCount))
      reached &= reached &- 1
    }
    return true
  }

  /// The least slack of the list at a position, where the slack of some lanes is known already. The lanes whose watches
  /// were changed since ``beginReaching()`` are not known.
  ///
  /// - Parameters:
  ///   - offset: The position relative to `origin`.
  ///   - known: The least slack of all lanes except `lanes`.
  func leastSlack(at offset: EarthVector, except lanes: UInt32, known: Double) -> Double {
    let position = self.lanes(offset)
    return groups.withUnsafeBufferPointer { groups in
      guard let start = groups.baseAddress else { return .infinity }
      var rest = lanes | changed
      var least = known
      while rest != 0 {
        let group = rest.trailingZeroBitCount / 4
        rest &= ~(15 &<< UInt32(4 &* group))
        let slack = Group.slacks(start + group, position)
        least = min(least, Double(min(min(slack.x, slack.y), min(slack.z, slack.w))))
      }
      return least
    }
  }

  /// Forgets which watches were changed.
  @inline(__always)
  mutating func beginReaching() { changed = 0 }

  /// The places in the list whose threshold may be reached at a position, as bits, and the least slack of the others.
  ///
  /// - Parameter offset: The position relative to `origin`.
  @inline(never)
  func reachedLanes(at offset: EarthVector) -> (lanes: UInt32, least: Double) {
    let position = lanes(offset)
    return groups.withUnsafeBufferPointer { groups in
      guard let start = groups.baseAddress else { return (0, .infinity) }
      var reached: UInt32 = 0
      var least = SIMD4(repeating: Float.infinity)
      for group in 0..<((count &+ 3) / 4) {
        let slack = Group.slacks(start + group, position)
        let isReached = slack .<= 0
        let others = slack.replacing(with: .infinity, where: isReached)
        least = least.replacing(with: others, where: others .< least)
        reached |= Group.bits(isReached) &<< UInt32(truncatingIfNeeded: 4 &* group)
      }
      return (reached, Double(min(min(least.x, least.y), min(least.z, least.w))))
    }
  }

  @inline(__always)
  func slot(ofLane lane: Int) -> UInt32 {
    let offset = (lane &>> 2) &* MemoryLayout<Group>.stride &+ Group.slotsOffset &+ 4 &* (lane & 3)
    return groups.withUnsafeBytes { $0.load(fromByteOffset: offset, as: UInt32.self) }
  }

  /// The lane that watches a slot, which the list holds at most once; −1 without such a lane.
  @inline(__always)
  private func lane(of slot: UInt32) -> Int {
    groups.withUnsafeBufferPointer { groups in
      guard let start = groups.baseAddress else { return -1 }
      var group = 0
      while 4 &* group < count {
        if Group.holds(start + group, slot) {
          for lane in (4 &* group)..<min(count, 4 &* group &+ 4) where self.slot(ofLane: lane) == slot { return lane }
        }
        group &+= 1
      }
      return -1
    }
  }

  /// Replaces the watch of a slot at its place in the list.
  @inline(__always)
  mutating func replace(_ lane: Int, _ watch: Watch) { set(lane, watch) }

  /// Draws the safe region around a position that the list covers.
  ///
  /// - Parameters:
  ///   - slack: The least slack of the list there.
  ///   - moved: Chord from `origin` to the position.
  mutating func drawSafeRegion(at coordinate: Coordinate, slack: Double, moved: Double) {
    let least = min(slack, radius - moved) - Self.frameGuard
    safe = SafeRegion(
      latitude: coordinate.latitude, longitude: coordinate.longitude,
      metresPerLatitude: Self.metresPerDegree * Self.degreeGuard, metresPerLongitude: metresPerLongitude,
      squaredRadius: least > 0 ? least * least : -1)
  }

  mutating func removeSafeRegion() {
    safe.squaredRadius = -1
  }

  /// Stores a watch, with a threshold that makes up for the error of the chord in single precision.
  private mutating func set(_ index: Int, _ watch: Watch) {
    changed |= 1 &<< UInt32(truncatingIfNeeded: index)
    let x = watch.centre.x - origin.x
    let y = watch.centre.y - origin.y
    let z = watch.centre.z - origin.z
    let error = Self.singleError * ((x * x + y * y + z * z).squareRoot() + radius) + Self.chordGuard
    groups.withUnsafeMutableBufferPointer { groups in
      guard let groups = groups.baseAddress else { return }
      Group.store(
        groups, index, (Float(x), Float(y), Float(z)), threshold: Float(watch.threshold - watch.direction * error),
        direction: Float(watch.direction), slot: watch.slot)
    }
  }

  /// What is never reached.
  private mutating func setInert(_ index: Int) {
    changed |= 1 &<< UInt32(truncatingIfNeeded: index)
    let slot = slot(ofLane: index)
    groups.withUnsafeMutableBufferPointer { groups in
      guard let groups = groups.baseAddress else { return }
      Group.store(groups, index, (0, 0, 0), threshold: .infinity, direction: 1, slot: slot)
    }
  }
}

#if FENCEPOST_INVARIANTS
  extension Neighbourhood {
    private func isInert(_ index: Int) -> Bool {
      groups[index / 4].threshold[index % 4] == .infinity && groups[index / 4].direction[index % 4] == 1
    }

    /// - Parameter watch: What the state of a live circle says is to be watched.
    func checkInvariants(_ slot: UInt32, _ watch: Watch?) throws(Invariant.Broken) {
      try Invariant.hold(isValid || safe.squaredRadius <= 0, "without a list there is no safe region")
      guard isValid else { return }
      let places = (0..<count).filter { self.slot(ofLane: $0) == slot && !isInert($0) }
      guard let watch else {
        return try Invariant.hold(places.isEmpty, "the list watches no circle that is undetermined")
      }
      let slack = watch.slack(at: origin)
      try Invariant.hold(
        !places.isEmpty || slack >= radius, "the list holds every threshold within its radius")
      for place in places {
        let (group, lane) = (groups[place / 4], place % 4)
        let (x, y, z) = (group.x[lane], group.y[lane], group.z[lane])
        let chord = (x * x + y * y + z * z).squareRoot()
        // Of a threshold farther than the device can come while the list holds, single precision may show more.
        try Invariant.hold(
          Double(group.direction[lane] * (group.threshold[lane] - chord)) <= slack || slack >= 2 * radius,
          "a threshold of the list is conservative")
      }
      if safe.squaredRadius > 0 {
        let centre = EarthVector(latitude: safe.latitude, longitude: safe.longitude)
        try Invariant.hold(
          watch.slack(at: centre) >= safe.squaredRadius.squareRoot(), "no threshold is within the safe region")
      }
    }
  }
#endif
