import FencepostKernel

@testable import Fencepost
@testable import FencepostCore

/// A slow reference monitor for circles, polygons and corridors with delivery `every`. The oracle measures every
/// condition at every fix, without index, chords or heap. The oracle was written from section 0.1 of the semantics
/// page.
struct GeographicOracle {
  /// The area of a condition, which provides the values d and r that the semantics page defines.
  enum Place {
    case circle(CircularGeographicCondition)
    case shape(GeodesicShape)

    init(_ condition: any Condition) throws {
      if let circle = condition as? CircularGeographicCondition {
        self = .circle(circle)
      } else if let polygon = condition as? PolygonalGeographicCondition {
        self = .shape(try GeodesicShape.reading(polygon.multiple.definition))
      } else if let polygon = condition as? MultiPolygonalGeographicCondition {
        self = .shape(try GeodesicShape.reading(polygon.definition))
      } else {
        self = .shape(try GeodesicShape.reading((condition as! CorridorGeographicCondition).definition))
      }
    }

    func distance(_ coordinate: Coordinate) -> Double {
      switch self {
      case .circle(let circle):
        GeodesicInverse.distance(
          latitude1: circle.center.latitude, longitude1: circle.center.longitude, latitude2: coordinate.latitude,
          longitude2: coordinate.longitude)
      case .shape(let shape):
        shape.boundaryDistance(of: SurfacePoint(latitude: coordinate.latitude, longitude: coordinate.longitude))
      }
    }

    var line: Double {
      switch self {
      case .circle(let circle): circle.radius
      case .shape: 0
      }
    }

    var size: Double {
      switch self {
      case .circle(let circle): circle.radius
      case .shape(let shape): shape.depth
      }
    }
  }

  struct Told: Equatable, CustomStringConvertible {
    var identifier: String
    var generation: UInt64
    var state: Event.State
    var cause: Event.Cause
    var date: Int64
    var evidenceDate: Int64?
    var flags: Diagnostics

    var description: String {
      "\(identifier)#\(generation) \(state.name) \(cause.name) @\(date) from \(evidenceDate ?? -1) \(flags.rawValue)"
    }
  }

  private struct Pending {
    var fix: Fix
    var deadline: Int64
  }

  private struct Watched {
    var identifier: String
    var generation: UInt64
    var place: Place
    var policy: TransitionPolicy
    /// `nil`: undetermined.
    var isInside: Bool?
    var candidate: Pending?
    /// The state after the last event, including silent events.
    var noted: Event.State
  }

  private var watched: [Watched] = []
  private var generations: UInt64 = 0
  private var lastFix: Fix?
  private var flags: Diagnostics = []
  private(set) var clock: Int64 = .min
  private(set) var told: [Told] = []

  var identifiers: [String] { watched.map(\.identifier) }

  mutating func takeTold() -> [Told] {
    defer { told = [] }
    return told
  }

  mutating func add(
    _ place: Place, _ identifier: String, _ assuming: Event.State, _ policy: TransitionPolicy
  ) {
    remove(identifier)
    generations += 1
    watched.append(
      Watched(
        identifier: identifier, generation: generations, place: place, policy: policy, isInside: nil,
        candidate: nil, noted: assuming))
    let index = watched.count - 1
    if !flags.isEmpty { return diagnose(index) }
    if let lastFix, clock - lastFix.time.microseconds <= 60_000_000 { determine(index, lastFix) }
  }

  mutating func remove(_ identifier: String) {
    watched.removeAll { $0.identifier == identifier }
  }

  mutating func feed(_ fix: Fix) {
    confirmDue { $0 < fix.time.microseconds }
    clock = fix.time.microseconds
    lastFix = fix
    var confirmed: [(deadline: Int64, index: Int)] = []
    if flags.isEmpty {
      for index in watched.indices where watched[index].isInside == nil {
        determine(index, fix)
        watched[index].generation |= Self.justDetermined  // this fix has already determined the state
      }
      for index in watched.indices where watched[index].generation & Self.justDetermined == 0 {
        if let deadline = cross(index, fix) { confirmed.append((deadline, index)) }
      }
      for index in watched.indices { watched[index].generation &= ~Self.justDetermined }
    }
    confirmDue(with: confirmed) { $0 <= fix.time.microseconds }
  }

  mutating func advance(to time: Int64) {
    clock = time
    confirmDue { $0 <= time }
  }

  mutating func setFlags(_ new: Diagnostics, at time: Int64) {
    confirmDue { $0 < time }
    clock = time
    if new != flags {
      let wasSuspended = !flags.isEmpty
      flags = new
      for index in watched.indices {
        if !new.isEmpty, !wasSuspended {
          watched[index].isInside = nil
          watched[index].candidate = nil
        }
        diagnose(index)
      }
    }
    confirmDue { $0 <= time }
  }

  private static let justDetermined: UInt64 = 1 << 63

  private func distance(_ index: Int, _ fix: Fix) -> Double {
    watched[index].place.distance(fix.coordinate)
  }

  private mutating func diagnose(_ index: Int) {
    told.append(
      Told(
        identifier: watched[index].identifier, generation: watched[index].generation & ~Self.justDetermined,
        state: watched[index].noted, cause: .diagnostic, date: clock, evidenceDate: nil, flags: flags))
  }

  private mutating func tell(
    _ index: Int, _ kind: TransitionPolicy.Notify, _ cause: Event.Cause, _ date: Int64, _ fix: Fix
  ) {
    let state: Event.State = watched[index].isInside == true ? .satisfied : .unsatisfied
    guard state != watched[index].noted else { return }
    watched[index].noted = state
    guard watched[index].policy.notify.contains(kind) else { return }
    told.append(
      Told(
        identifier: watched[index].identifier, generation: watched[index].generation & ~Self.justDetermined,
        state: state, cause: cause, date: date, evidenceDate: fix.time.microseconds, flags: flags))
  }

  private mutating func determine(_ index: Int, _ fix: Fix) {
    let (d, a, r) = (distance(index, fix), fix.accuracy, watched[index].place.line)
    if watched[index].policy.accuracyFactor == 0 || a <= max(watched[index].place.size, 100) {
      watched[index].isInside = d <= r
    } else if d - a > r {
      watched[index].isInside = false
    } else {
      return
    }
    tell(index, .initial, .determination, clock, fix)
  }

  /// Returns the deadline of the candidate if this fix confirms the crossing; otherwise returns nil.
  private mutating func cross(_ index: Int, _ fix: Fix) -> Int64? {
    let policy = watched[index].policy
    let (d, a, r) = (distance(index, fix), fix.accuracy, watched[index].place.line)
    let size = watched[index].place.size
    let k = policy.accuracyFactor
    let wasInside = watched[index].isInside == true
    if (d <= r) == wasInside {
      watched[index].candidate = nil
      return nil
    }
    if let candidate = watched[index].candidate {
      return policy.dwellPolicy == .evidence && fix.time.microseconds >= candidate.deadline ? candidate.deadline : nil
    }
    let isDecisive: Bool
    if wasInside {
      let limit = policy.exitMarginLimit
      let base = limit == 0 ? policy.exitMargin : min(max(size, policy.exitMargin), limit)
      isDecisive = d >= r + max(base, k == 0 ? 0 : k * a)
    } else {
      isDecisive =
        d <= r - min(max(policy.entryMargin, k == 0 ? 0 : k * a), size / 2) && (k == 0 || a <= max(size, 100))
    }
    guard isDecisive else { return nil }
    let dwell = wasInside ? policy.exitDwellMicroseconds : policy.entryDwellMicroseconds
    watched[index].candidate = Pending(fix: fix, deadline: fix.time.microseconds + dwell)
    return dwell == 0 ? fix.time.microseconds : nil
  }

  private mutating func confirmDue(
    with confirmed: [(deadline: Int64, index: Int)] = [], _ isDue: (Int64) -> Bool
  ) {
    var due = confirmed.map { (deadline: $0.deadline, index: $0.index, date: clock) }
    for index in watched.indices where watched[index].policy.dwellPolicy == .timer {
      guard let candidate = watched[index].candidate, isDue(candidate.deadline),
        !confirmed.contains(where: { $0.index == index })
      else { continue }
      due.append((candidate.deadline, index, candidate.deadline))
    }
    due.sort { ($0.deadline, watched[$0.index].generation) < ($1.deadline, watched[$1.index].generation) }
    for (_, index, date) in due {
      guard let candidate = watched[index].candidate else { continue }
      watched[index].candidate = nil
      let isInside = watched[index].isInside != true
      watched[index].isInside = isInside
      tell(index, isInside ? .entry : .exit, .crossing, date, candidate.fix)
    }
  }
}
