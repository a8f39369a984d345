import FencepostKernel

/// The number by which a host knows a device. The lower 32 bits are the place of the device's line plus 1; the upper 32
/// bits are a generation, which increases when the line is given to another device. So a number that a host has kept for
/// too long names no device, instead of naming the wrong one. The number 0 is never given to a device.
///
/// A line contains only the lower six bits of its generation; ``DeviceTable`` counts the laps of these bits.
enum DeviceNumber {
  @inline(__always)
  static func place(of number: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: number) &- 1 }

  /// The lower six bits of the generation.
  @inline(__always)
  static func generation(of number: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: number &>> 32) & 63 }

  @inline(__always)
  static func lap(of number: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: number &>> 38) }

  @inline(__always)
  static func of(_ place: UInt32, generation: UInt8, lap: UInt32) -> UInt64 {
    UInt64(place) &+ 1 | UInt64(generation) &<< 32 | UInt64(lap) &<< 38
  }
}

/// All data that is read and written for a fix that changes nothing. It fills one cache line.
struct DeviceLine: Sendable, BitwiseCopyable {
  var region = DeviceRegion()
  /// The latest time of the device's own inputs, in microseconds; `Int64.min` before the first input.
  var clock: Int64 = .min
  /// The earliest time at which something may become due, in microseconds; `Int64.max` if nothing waits. It may be
  /// earlier than anything that is really due.
  var earliest: Int64 = .max
  /// The last generation of the table when the device was last evaluated; see ``DeviceState``.
  var seen: UInt64 = 0
  /// The position of the last accepted fix, in degrees times 1e7, rounded; ``unknown`` if the device has had no fix
  /// since it was entered into this fleet.
  private var lastLatitude: Int32 = DeviceLine.unknown
  private var lastLongitude: Int32 = DeviceLine.unknown
  /// The handle of the device's other data in the cold store, or ``ColdStore/none``.
  var cold: UInt32 = ColdStore.none
  /// The lower 32 bits of the last sequence number; the upper bits are in the cold store.
  var sequence: UInt32 = 0
  /// The lower 32 bits of the number of accepted fixes; the upper bits are in the cold store.
  var acceptedFixes: UInt32 = 0
  /// The step of the radius of the next search around the device; see ``lookRadius``.
  var look: UInt8 = DeviceLine.firstLook
  /// The lower bits are the flags. The bits above them count how often the line was given to another device, modulo 64.
  private var bits: UInt8 = 0
  /// The unsaved changes of the device. Without a storage, everything counts as changed.
  var notes: Notes = .all
  /// The number of intervals of its own time that the device has passed through; see ``Pace``.
  var intervals: UInt8 = 0

  struct Flags: OptionSet, Sendable, BitwiseCopyable {
    let rawValue: UInt8
    /// The number belongs to a device.
    static let isUsed = Flags(rawValue: 1)
    /// The device was removed, but some of its events are not committed yet.
    static let isLeaving = Flags(rawValue: 2)
    fileprivate static let all: UInt8 = 3
  }

  /// See ``DeviceNotes``.
  struct Notes: OptionSet, Sendable, BitwiseCopyable {
    let rawValue: UInt8
    /// The device is in the list of changed devices.
    static let listed = Notes(rawValue: 1)
    /// The device has changed in any way.
    static let moved = Notes(rawValue: 2)
    /// The device is in the list of devices that must be saved before the call returns.
    static let urgent = Notes(rawValue: 4)
    /// An input of the device was accepted; see ``Pace``.
    static let paced = Notes(rawValue: 8)
    static let all: Notes = [.listed, .moved, .urgent]
  }

  @inline(__always)
  var flags: Flags {
    get { Flags(rawValue: bits & Flags.all) }
    set { bits = bits & ~Flags.all | newValue.rawValue }
  }

  /// Whether the device accepts inputs.
  @inline(__always)
  var isLive: Bool { flags == .isUsed }

  /// Whether the line belongs to a device that accepts inputs, and has the lower bits of the generation of a number; see
  /// ``DeviceNumber``.
  @inline(__always)
  func isLive(as number: UInt64) -> Bool { bits == DeviceNumber.generation(of: number) << 2 | Flags.isUsed.rawValue }

  /// How often the line was given to another device, modulo 64.
  var generation: UInt8 {
    get { bits >> 2 }
    set { bits = bits & Flags.all | newValue << 2 }
  }

  // MARK: - The last position

  private static let unknown = Int32.min

  /// Rounds to the nearest ten-millionth of a degree. Near 1.5 · 2⁵², doubles are integers, and the lower half of their
  /// bits is the number.
  @inline(__always)
  private static func rounded(_ degrees: Double) -> Int32 {
    Int32(truncatingIfNeeded: (degrees * 1e7 + 0x1.8p52).bitPattern)
  }

  @inline(__always)
  mutating func keepPlace(_ coordinate: Coordinate) {
    lastLatitude = Self.rounded(coordinate.latitude)
    lastLongitude = Self.rounded(coordinate.longitude)
  }

  /// The position of the last accepted fix, rounded to a ten-millionth of a degree.
  var place: Coordinate? {
    lastLatitude == Self.unknown
      ? nil : Coordinate(latitude: Double(lastLatitude) / 1e7, longitude: Double(lastLongitude) / 1e7)
  }

  // MARK: - How far to look

  // The cost of a search for thresholds around a device grows with the number of hits. So the radius of the search is
  // adjusted until a search finds something now and then. The radius changes in steps of the fourth root of two, from
  // 50 m to 100 km.
  static let firstLook: UInt8 = 12
  private static let lastLook: UInt8 = 43
  var lookRadius: Double {
    let step = Int(min(look, Self.lastLook))
    var radius = Neighbourhood.radii.lowerBound * Double(1 << (step / 4))
    for _ in 0..<(step % 4) { radius *= 1.189_207_115_002_721 }
    return min(radius, Neighbourhood.radii.upperBound)
  }
  /// With more hits than this, the nearest hit is certainly close, so the next search uses a smaller radius. With fewer
  /// hits than `fewHits`, the next search uses a larger radius.
  private static let manyHits = 12
  private static let fewHits = 3

  /// If the threshold is nearer than this fraction of the radius, the next search uses a smaller radius.
  private static let nearShare = 0.4

  /// - Parameter slack: The distance of the second nearest shape that a search found; equal to the radius if the search
  ///   found fewer than two shapes.
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

/// The safe region of a device: a disc around the position at which the device was last measured. No fix in the disc
/// changes a state.
struct DeviceRegion: Sendable, BitwiseCopyable {
  /// The centre, in degrees times 1e7, rounded towards zero.
  private var latitude: Int32 = 0
  private var longitude: Int32 = 0
  /// The square of the radius, in square metres; 0 if there is no region. A hidden region has a negative value, so that
  /// one comparison tests both conditions.
  private var squaredRadius: Float = 0
  /// An upper bound of the length of one degree of longitude within reach, in metres.
  private var metresPerLongitude: Float = 0

  /// Whether fixes in the region can be skipped.
  @inline(__always)
  var isOpen: Bool { squaredRadius > 0 }

  /// Whether fixes in the region must still be examined. This applies to devices with a path, because each of their
  /// fixes is stored and may end a gap.
  @inline(__always)
  var isHidden: Bool { squaredRadius < 0 }

  var isEmpty: Bool { squaredRadius == 0 }

  /// The length of the longest one-degree arc on the ellipsoid, in metres.
  private static let metresPerLatitude =
    Ellipsoid.largestRadiusOfCurvature * Trigonometry.radiansPerDegree * 1.000_000_1
  /// An upper bound, in metres, of the shift of the centre by rounding towards zero, plus all other rounding errors.
  private static let anchorGuard = 0.02

  /// Returns an upper bound of the squared distance from the centre, in square metres. It is measured along the
  /// straight line on a map whose axes are degrees; each degree is scaled by its greatest length within reach.
  @inline(__always)
  private func squaredDistance(to coordinate: Coordinate) -> Double {
    let dx = (coordinate.longitude - Double(longitude) * 1e-7) * Double(metresPerLongitude)
    let dy = (coordinate.latitude - Double(latitude) * 1e-7) * Self.metresPerLatitude
    return dx * dx + dy * dy
  }

  /// Whether a fix at a coordinate can be skipped.
  @inline(__always)
  func skips(_ coordinate: Coordinate) -> Bool { squaredDistance(to: coordinate) < Double(squaredRadius) }

  /// Whether a coordinate is within the region, even if the region is hidden. The region is convex, so the path between
  /// two positions in the region reaches no threshold.
  func contains(_ coordinate: Coordinate) -> Bool {
    squaredDistance(to: coordinate) < Double(squaredRadius.magnitude)
  }

  /// - Parameters:
  ///   - slack: The distance that the device can move before anything has to be examined, in metres.
  ///   - room: The greatest distance that ``moved(to:)`` must be able to measure, in metres; at least `slack`.
  @inline(__always)
  mutating func draw(at coordinate: Coordinate, slack: Double, room: Double, isHidden: Bool) {
    let radius = slack - Self.anchorGuard
    guard radius > 0 else { return remove() }
    latitude = Int32(coordinate.latitude * 1e7)
    longitude = Int32(coordinate.longitude * 1e7)
    // The latitude within reach at which a degree of longitude is longest, with a margin of a millionth of a degree for
    // rounding errors.
    let lowest = max(0, coordinate.latitude.magnitude - room / Ellipsoid.leastMetresPerLatitude - 1e-6)
    let widest = Self.metresPerLatitude * Trigonometry.sincosDegrees(lowest).cosine
    metresPerLongitude = Float(widest) * 1.000_001 + 1e-3
    squaredRadius = Float(radius * radius) * 0.999_999
    if isHidden { squaredRadius = -squaredRadius }
  }

  @inline(__always)
  mutating func remove() { squaredRadius = 0 }

  /// Returns an upper bound of the distance between a coordinate and the centre of the safe region, in metres, if the
  /// distance is less than the `room` with which the region was drawn. Otherwise, returns any number that is at least
  /// `room`.
  @inline(__always)
  func moved(to coordinate: Coordinate) -> Double { squaredDistance(to: coordinate).squareRoot() + Self.anchorGuard }

  /// If a device has moved less than this since it was measured, in metres, it is expected to query the same area
  /// again.
  private static let stroll = 2_000.0

  /// Whether a coordinate is so near to the centre that the device has not jumped.
  @inline(__always)
  func isNear(_ coordinate: Coordinate) -> Bool { squaredDistance(to: coordinate) < Self.stroll * Self.stroll }

  #if FENCEPOST_INVARIANTS
    var centre: Coordinate { Coordinate(latitude: Double(latitude) * 1e-7, longitude: Double(longitude) * 1e-7) }

    /// The radius in metres.
    var radius: Double { Double(squaredRadius.magnitude).squareRoot() - Self.anchorGuard }
  #endif
}

/// The surroundings of a device that has a safe region. With them, most fixes that leave the safe region need no query
/// of the index.
///
/// Among the shapes that the device is settled outside of, only the shape in ``slot`` can be entered within ``room`` of
/// the position at which the region was drawn.
struct DeviceSurroundings: Sendable, BitwiseCopyable {
  /// The slot of the nearest shape that the device is settled outside of; `UInt32.max` without such a shape.
  var slot: UInt32 = .max
  /// The value of ``room``, in metres, rounded down; negative if there are no surroundings.
  private var radius: Float = -1

  init() {}

  /// - Parameter room: A distance in metres; a distance greater than ``farthest`` is reduced to ``farthest``.
  @inline(__always)
  init(_ slot: UInt32, room: Double) {
    self.slot = slot
    radius = Float(min(room, Self.farthest)) * 0.999_999
  }

  @inline(__always)
  var room: Double { Double(radius) }

  /// The greatest ``room``, in metres. The distance is scaled with the longest degree of longitude within ``room``, so
  /// a greater ``room`` makes the safe region smaller.
  static let farthest = 2_000.0
}

/// The lines of all devices, by number, and the surroundings of each device. Each line is one cache line.
///
/// This type has value semantics: ``own()`` must be called before each change.
struct DeviceLines: Sendable {
  private final class Storage: @unchecked Sendable {
    /// At least this many lines (4 MB) are aligned to large pages, which reduces misses of the address translation.
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

  /// The surroundings of each device. They are meaningless while the device has no safe region.
  @inline(__always)
  var surroundings: UnsafeMutablePointer<DeviceSurroundings> { storage.surroundings }

  @inline(__always)
  subscript(device: UInt32) -> DeviceLine {
    get { storage.lines[Int(device)] }
    nonmutating _modify { yield &storage.lines[Int(device)] }
  }

  /// Copies the storage if it is shared, so that changes do not affect other copies of the value.
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
