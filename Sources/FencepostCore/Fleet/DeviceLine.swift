import FencepostKernel

/// The number by which a host knows a device: the place of its line, and in the upper bits the generation, which rises when
/// the line is given to another device. So a number that a host kept too long has no name of a device, and not another one.
enum DeviceNumber {
  /// ``FleetOptions/mostDevices`` is less than 2²⁶.
  private static let placeBits: UInt32 = 26

  @inline(__always)
  static func place(of number: UInt32) -> UInt32 { number & (1 &<< placeBits &- 1) }

  @inline(__always)
  static func generation(of number: UInt32) -> UInt8 { UInt8(truncatingIfNeeded: number &>> placeBits) }

  static func of(_ place: UInt32, generation: UInt8) -> UInt32 { place | UInt32(generation) << placeBits }
}

/// What a fix of a device that changes nothing reads and writes: one line of the cache.
struct DeviceLine: Sendable, BitwiseCopyable {
  var region = DeviceRegion()
  /// The largest time given for the device, microseconds; `Int64.min` = unset.
  var clock: Int64 = .min
  /// When something may become due, microseconds; `Int64.max` = nothing waits. May be earlier than anything that is due.
  var earliest: Int64 = .max
  /// The last generation of the table when the device was last evaluated: see ``DeviceState``.
  var seen: UInt64 = 0
  /// Where the last accepted fix was: degrees times 1e7, rounded; ``unknown`` when there was none since the device came
  /// into this fleet.
  private var lastLatitude: Int32 = DeviceLine.unknown
  private var lastLongitude: Int32 = DeviceLine.unknown
  /// Where the rest is kept, or ``ColdStore/none``.
  var cold: UInt32 = ColdStore.none
  /// The last sequence number given, modulo 2³²; the rest is in the cold part.
  var sequence: UInt32 = 0
  /// Accepted fixes, modulo 2³²; the rest is in the cold part.
  var acceptedFixes: UInt32 = 0
  /// How far to look around the device next time (see ``lookRadius``).
  var look: UInt8 = DeviceLine.firstLook
  /// The flags, and in the bits above how often the line was given to another device, modulo 64.
  private var bits: UInt8 = 0
  /// What changed since the device was saved; all of it where nobody saves.
  var notes: Notes = .all
  /// How many intervals of its own time the device went through: see ``Pace``.
  var intervals: UInt8 = 0

  struct Flags: OptionSet, Sendable, BitwiseCopyable {
    let rawValue: UInt8
    /// The number belongs to a device.
    static let isUsed = Flags(rawValue: 1)
    /// The device was removed, and events of it are not handled yet.
    static let isLeaving = Flags(rawValue: 2)
    fileprivate static let all: UInt8 = 3
  }

  /// See ``DeviceNotes``.
  struct Notes: OptionSet, Sendable, BitwiseCopyable {
    let rawValue: UInt8
    /// Stands in the list of those that changed.
    static let listed = Notes(rawValue: 1)
    /// Changed in any way.
    static let moved = Notes(rawValue: 2)
    /// Stands in the list of those that must be saved before the call returns.
    static let urgent = Notes(rawValue: 4)
    /// An input of it was accepted: see ``Pace``.
    static let paced = Notes(rawValue: 8)
    static let all: Notes = [.listed, .moved, .urgent]
  }

  @inline(__always)
  var flags: Flags {
    get { Flags(rawValue: bits & Flags.all) }
    set { bits = bits & ~Flags.all | newValue.rawValue }
  }

  /// Whether inputs are taken.
  @inline(__always)
  var isLive: Bool { flags == .isUsed }

  /// Whether inputs are taken by a number: see ``DeviceNumber``.
  @inline(__always)
  func isLive(as number: UInt32) -> Bool { bits == DeviceNumber.generation(of: number) << 2 | Flags.isUsed.rawValue }

  /// How often the line was given to another device, modulo 64.
  var generation: UInt8 {
    get { bits >> 2 }
    set { bits = bits & Flags.all | newValue << 2 }
  }

  // MARK: - The last position

  private static let unknown = Int32.min

  /// To the nearest ten-millionth: at 1.5 · 2⁵² doubles are integers, and the lower half of the bits is the number.
  @inline(__always)
  private static func rounded(_ degrees: Double) -> Int32 {
    Int32(truncatingIfNeeded: (degrees * 1e7 + 0x1.8p52).bitPattern)
  }

  @inline(__always)
  mutating func keepPlace(_ coordinate: Coordinate) {
    lastLatitude = Self.rounded(coordinate.latitude)
    lastLongitude = Self.rounded(coordinate.longitude)
  }

  /// Where the last accepted fix was, to a ten-millionth of a degree.
  var place: Coordinate? {
    lastLatitude == Self.unknown
      ? nil : Coordinate(latitude: Double(lastLatitude) / 1e7, longitude: Double(lastLongitude) / 1e7)
  }

  // MARK: - How far to look

  // What the search for thresholds around a device costs rises with what it finds: it looks as far as it takes to find
  // something now and then. In steps of the fourth root of two, from 50 m to 100 km.
  static let firstLook: UInt8 = 12
  private static let lastLook: UInt8 = 43
  var lookRadius: Double {
    let step = Int(min(look, Self.lastLook))
    var radius = Neighbourhood.radii.lowerBound * Double(1 << (step / 4))
    for _ in 0..<(step % 4) { radius *= 1.189_207_115_002_721 }
    return min(radius, Neighbourhood.radii.upperBound)
  }
  /// Of so many hits the nearest is close by for certain; with fewer than the other the search could reach farther.
  private static let manyHits = 12
  private static let fewHits = 3

  /// A threshold at less than this share of the radius shows that the search could reach less far.
  private static let nearShare = 0.4

  /// - Parameter slack: How far the second of the shapes is that a search found; the radius, when it found fewer.
  @inline(__always)
  mutating func adjustLook(slack: Double) {
    let radius = lookRadius
    if slack == radius {
      if look < Self.lastLook { look += 1 }
    } else if slack < Self.nearShare * radius, look > 0 {
      look -= 1
    }
  }

  mutating func adjustLook(hits: Int) {
    if hits > Self.manyHits {
      look = look > 2 ? look - 2 : 0
    } else if hits < Self.fewHits, look < Self.lastLook {
      look += 1
    }
  }
}

/// The safe region of a device: the disc around the place where it was measured last in which no fix changes a state.
struct DeviceRegion: Sendable, BitwiseCopyable {
  /// The centre: degrees times 1e7, cut off.
  private var latitude: Int32 = 0
  private var longitude: Int32 = 0
  /// In square metres; 0 if there is no region. The sign is that of ``isHidden``, so that one comparison tells both.
  private var squaredRadius: Float = 0
  /// At least the metres of a degree of longitude within reach.
  private var metresPerLongitude: Float = 0

  /// Whether fixes in the region can be skipped.
  @inline(__always)
  var isOpen: Bool { squaredRadius > 0 }

  /// Whether fixes in the region are examined too: those of a device with a path, of which each is stored and may end a gap.
  @inline(__always)
  var isHidden: Bool { squaredRadius < 0 }

  var isEmpty: Bool { squaredRadius == 0 }

  /// The longest arc of a degree on the ellipsoid, metres.
  private static let metresPerLatitude =
    Ellipsoid.largestRadiusOfCurvature * Trigonometry.radiansPerDegree * 1.000_000_1
  /// More than what cutting off the place moves it, and than all roundings, metres.
  private static let anchorGuard = 0.02

  /// At least the squared distance from the centre, square metres: that of the straight line on the map of degrees, each
  /// scaled by its greatest length within reach.
  @inline(__always)
  private func squaredDistance(to coordinate: Coordinate) -> Double {
    let dx = (coordinate.longitude - Double(longitude) * 1e-7) * Double(metresPerLongitude)
    let dy = (coordinate.latitude - Double(latitude) * 1e-7) * Self.metresPerLatitude
    return dx * dx + dy * dy
  }

  /// Whether a fix at a coordinate can be skipped.
  @inline(__always)
  func skips(_ coordinate: Coordinate) -> Bool { squaredDistance(to: coordinate) < Double(squaredRadius) }

  /// Whether a coordinate is within the region, hidden or not. The region is convex: the way between two places in it
  /// reaches nothing.
  func contains(_ coordinate: Coordinate) -> Bool {
    squaredDistance(to: coordinate) < Double(squaredRadius.magnitude)
  }

  /// - Parameters:
  ///   - slack: How far the device can move before anything has to be looked at, metres.
  ///   - room: How far ``moved(to:)`` is to tell, metres; at least the slack.
  @inline(__always)
  mutating func draw(at coordinate: Coordinate, slack: Double, room: Double, isHidden: Bool) {
    let radius = slack - Self.anchorGuard
    guard radius > 0 else { return remove() }
    latitude = Int32(coordinate.latitude * 1e7)
    longitude = Int32(coordinate.longitude * 1e7)
    // The widest parallel within reach, with a millionth of a degree for roundings.
    let lowest = max(0, coordinate.latitude.magnitude - room / Ellipsoid.leastMetresPerLatitude - 1e-6)
    let widest = Self.metresPerLatitude * Trigonometry.sincosDegrees(lowest).cosine
    metresPerLongitude = Float(widest) * 1.000_001 + 1e-3
    squaredRadius = Float(radius * radius) * 0.999_999
    if isHidden { squaredRadius = -squaredRadius }
  }

  @inline(__always)
  mutating func remove() { squaredRadius = 0 }

  /// At least how far a coordinate is from where the safe region was drawn, metres, if that is less than the `room` given
  /// then; else any number from there on.
  @inline(__always)
  func moved(to coordinate: Coordinate) -> Double { squaredDistance(to: coordinate).squareRoot() + Self.anchorGuard }

  /// A device that moved less since it was measured will ask about the same places again, metres.
  private static let stroll = 2_000.0

  /// Whether the device did not jump to a coordinate.
  @inline(__always)
  func isNear(_ coordinate: Coordinate) -> Bool { squaredDistance(to: coordinate) < Self.stroll * Self.stroll }

  #if FENCEPOST_INVARIANTS
    var centre: Coordinate { Coordinate(latitude: Double(latitude) * 1e-7, longitude: Double(longitude) * 1e-7) }

    /// In metres.
    var radius: Double { Double(squaredRadius.magnitude).squareRoot() - Self.anchorGuard }
  #endif
}

/// What is near a device that has a safe region: most fixes that leave the region then need no look at the index.
///
/// Of the shapes that are settled outside, none but ``slot`` can be entered within ``room`` of where the region was drawn.
struct DeviceSurroundings: Sendable, BitwiseCopyable {
  /// `UInt32.max` = none.
  var slot: UInt32 = .max
  /// Metres, rounded down.
  private var radius: Float = -1

  init() {}

  /// - Parameter room: Metres; lengths beyond ``farthest`` are cut off.
  @inline(__always)
  init(_ slot: UInt32, room: Double) {
    self.slot = slot
    radius = Float(min(room, Self.farthest)) * 0.999_999
  }

  @inline(__always)
  var room: Double { Double(radius) }

  /// The farther the parallels within reach, the shorter the safe region that is measured with the widest of them.
  static let farthest = 2_000.0
}

/// The lines of all devices by number, each in one line of the cache, and what is near each device.
///
/// A value: whoever changes it calls ``own()`` first.
struct DeviceLines: Sendable {
  private final class Storage: @unchecked Sendable {
    /// So many lines are laid on large pages, which spare misses of the address translation: 4 MB.
    private static let many = 65_536
    let lines: UnsafeMutablePointer<DeviceLine>
    let surroundings: UnsafeMutablePointer<DeviceSurroundings>
    let capacity: Int

    init(capacity: Int) {
      self.capacity = capacity
      lines = UnsafeMutableRawPointer.allocate(
        byteCount: capacity * MemoryLayout<DeviceLine>.stride, alignment: capacity >= Self.many ? 1 << 21 : 64
      ).bindMemory(to: DeviceLine.self, capacity: capacity)
      surroundings = .allocate(capacity: capacity)
    }

    deinit {
      lines.deallocate()
      surroundings.deallocate()
    }
  }

  private var storage = Storage(capacity: 16)
  private(set) var count = 0

  @inline(__always)
  var lines: UnsafeMutablePointer<DeviceLine> { storage.lines }

  /// What is near each device; says nothing while the device has no safe region.
  @inline(__always)
  var surroundings: UnsafeMutablePointer<DeviceSurroundings> { storage.surroundings }

  @inline(__always)
  subscript(device: UInt32) -> DeviceLine {
    get { storage.lines[Int(device)] }
    nonmutating _modify { yield &storage.lines[Int(device)] }
  }

  /// Makes sure that nobody else sees what is changed.
  mutating func own() {
    if !isKnownUniquelyReferenced(&storage) { move(to: storage.capacity) }
  }

  mutating func append(_ line: DeviceLine) {
    if count == storage.capacity { move(to: storage.capacity + storage.capacity / 2) }
    (storage.lines + count).initialize(to: line)
    (storage.surroundings + count).initialize(to: DeviceSurroundings())
    count += 1
  }

  private mutating func move(to capacity: Int) {
    let larger = Storage(capacity: capacity)
    larger.lines.update(from: storage.lines, count: count)
    larger.surroundings.update(from: storage.surroundings, count: count)
    storage = larger
  }
}
