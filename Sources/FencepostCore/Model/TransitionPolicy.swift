/// When a crossing of a shape counts, and which changes become events.
///
/// A fix is decisive when it lies beyond the boundary by the margin:
/// inwards `min(max(entryMargin, accuracyFactor · accuracy), size / 2)`,
/// outwards `max(exit margin, accuracyFactor · accuracy)`, where the size of a circle is its radius. The crossing is confirmed when the device has then
/// stayed on that side for the dwell.
///
/// With probabilities, a fix must also be certain enough: inwards the probability that the shape contains the true
/// position is at least ``entryProbability``, outwards it is at most ``exitProbability``.
public struct TransitionPolicy: Sendable, Hashable {
  /// What ends a dwell.
  @frozen
  public enum DwellPolicy: UInt8, Sendable, Hashable {
    /// The dwell has passed and nothing spoke against it.
    case timer = 0
    /// The first fix on the new side after the dwell has passed.
    case evidence = 1
  }

  /// Which changes become events; the others update the record silently.
  @frozen
  public struct Notify: OptionSet, Sendable, Hashable {
    public let rawValue: UInt8

    @inlinable
    public init(rawValue: UInt8) {
      self.rawValue = rawValue
    }

    /// The determination of an undetermined state.
    public static let initial = Notify(rawValue: 1)
    public static let entry = Notify(rawValue: 2)
    public static let exit = Notify(rawValue: 4)
    public static let all: Notify = [.initial, .entry, .exit]

    /// Why a number is not a set of these flags, as a message; `nil` if it is.
    package static func defect(of bits: UInt32) -> String? {
      bits <= UInt32(all.rawValue) ? nil : "notify is \(bits); must be a combination of the bits 1, 2 and 4"
    }
  }

  /// Seconds inside before an entry is confirmed, in microseconds, 0 … 10¹⁵.
  public var entryDwellMicroseconds: Int64
  /// Seconds outside before an exit is confirmed, in microseconds, 0 … 10¹⁵.
  public var exitDwellMicroseconds: Int64
  /// Metres, finite, ≥ 0.
  public var entryMargin: Double
  /// Metres, finite, ≥ 0.
  public var exitMargin: Double
  /// 0: the exit margin is ``exitMargin``. Else it is the size clamped to `exitMargin … exitMarginLimit`.
  public var exitMarginLimit: Double
  /// Finite, ≥ 0; with 0 the accuracy of fixes does not change the margins. Must be 0 with probabilities.
  public var accuracyFactor: Double
  /// The least probability of being inside with which a fix is decisive inwards: above 0.5, at most 0.99999. 0: a fix
  /// is decisive by the margins alone. Set it together with ``exitProbability``.
  public var entryProbability: Double
  /// The greatest probability of being inside with which a fix is decisive outwards: at least 0.00001, below 0.5. 0: a
  /// fix is decisive by the margins alone. Set it together with ``entryProbability``.
  public var exitProbability: Double
  public var dwellPolicy: DwellPolicy
  public var notify: Notify

  public init(
    entryDwellMicroseconds: Int64 = 20_000_000, exitDwellMicroseconds: Int64 = 20_000_000,
    entryMargin: Double = 20, exitMargin: Double = 20, exitMarginLimit: Double = 0, accuracyFactor: Double = 1,
    dwellPolicy: DwellPolicy = .timer, notify: Notify = .all, entryProbability: Double = 0,
    exitProbability: Double = 0
  ) {
    self.entryDwellMicroseconds = entryDwellMicroseconds
    self.exitDwellMicroseconds = exitDwellMicroseconds
    self.entryMargin = entryMargin
    self.exitMargin = exitMargin
    self.exitMarginLimit = exitMarginLimit
    self.accuracyFactor = accuracyFactor
    self.entryProbability = entryProbability
    self.exitProbability = exitProbability
    self.dwellPolicy = dwellPolicy
    self.notify = notify
  }

  /// Hashes the values that differ most often. The table of policies hashes the policy of each condition that is added.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(entryDwellMicroseconds)
    hasher.combine(exitDwellMicroseconds)
    hasher.combine(entryMargin)
    hasher.combine(exitMargin)
    hasher.combine(entryProbability)
  }

  /// 20 s dwell, 20 m margins, accuracy counts: the default.
  public static let standard = TransitionPolicy()
  /// No dwell, no margins: the line itself decides.
  public static let exact = TransitionPolicy(
    entryDwellMicroseconds: 0, exitDwellMicroseconds: 0, entryMargin: 0, exitMargin: 0, accuracyFactor: 0)
  /// Like what is known of Core Location: leaving needs the radius, from 60 to 200 m, beyond the boundary.
  public static let coreLocation = TransitionPolicy(exitMargin: 60, exitMarginLimit: 200)

  /// Longest dwell or timeout that is accepted: about 31.7 years.
  static let longestDuration: Int64 = 1_000_000_000_000_000

  /// The first value that is out of range, as a message that names it as C and Python do; `nil` when the policy is sound.
  package var defect: String? {
    func range(_ name: String, _ microseconds: Int64) -> String? {
      (0...Self.longestDuration).contains(microseconds)
        ? nil : "\(name) is \(microseconds) microseconds; must be from 0 to \(Self.longestDuration)"
    }
    func range(_ name: String, _ value: Double) -> String? {
      value.isFinite && value >= 0 ? nil : "\(name) is \(value); must be finite and at least 0"
    }
    if let defect = range("entry_dwell", entryDwellMicroseconds) ?? range("exit_dwell", exitDwellMicroseconds) {
      return defect
    }
    if let defect = range("entry_margin", entryMargin) ?? range("exit_margin", exitMargin)
      ?? range("exit_margin_limit", exitMarginLimit) ?? range("accuracy_factor", accuracyFactor)
    {
      return defect
    }
    if exitMarginLimit != 0, exitMarginLimit < exitMargin {
      return "exit_margin_limit is \(exitMarginLimit); must be 0 or at least exit_margin, \(exitMargin)"
    }
    return probabilityDefect ?? Notify.defect(of: UInt32(notify.rawValue))
  }

  /// A message about the probabilities; `nil` if they are valid. NaN is tested before any other comparison, which may
  /// raise an exception.
  private var probabilityDefect: String? {
    let isDefined = !entryProbability.isNaN && !exitProbability.isNaN
    if isDefined, entryProbability == 0, exitProbability == 0 { return nil }
    guard isDefined, entryProbability > 0.5, entryProbability <= 0.99999, exitProbability >= 0.00001,
      exitProbability < 0.5
    else {
      return "entry_probability or exit_probability is out of range; must be above 0.5 to 0.99999, and from 0.00001 to "
        + "below 0.5; or set both to 0"
    }
    guard accuracyFactor == 0 else {
      return "accuracy_factor is above 0; must be 0 with entry_probability, which uses the accuracy itself"
    }
    return nil
  }

  /// Whether a fix must reach a probability to be decisive.
  @inline(__always)
  var hasProbability: Bool { entryProbability != 0 }

  /// Whether a probability of being inside is decisive for a side. NaN is decisive for no side.
  func isDecisive(inwards isInwards: Bool, _ probability: Double) -> Bool {
    guard !probability.isNaN else { return false }
    return isInwards ? probability >= entryProbability : probability <= exitProbability
  }

  /// An accuracy up to this, metres, is never too coarse to say "inside", however small the shape is. Less would leave
  /// small shapes undecided where positions come from networks; more would tell of shapes that the device only passed.
  static var alwaysFineEnough: Double { 100 }

  /// The exit margin of a shape of that size, before accuracy is looked at.
  @inline(__always)
  func exitMargin(size: Double) -> Double {
    exitMarginLimit == 0 ? exitMargin : min(max(size, exitMargin), exitMarginLimit)
  }

  /// The entry margin of a shape of that size, before accuracy is looked at: no margin makes a place unenterable.
  @inline(__always)
  func entryMargin(size: Double) -> Double { min(entryMargin, size / 2) }

  /// Metres inside the line at which a fix of that accuracy is decisive.
  @inline(__always)
  func marginInwards(size: Double, accuracy: Double) -> Double {
    let scaled = accuracyFactor == 0 ? 0 : accuracyFactor * accuracy
    return min(max(entryMargin, scaled), size / 2)
  }

  /// Metres outside the line at which a fix of that accuracy is decisive.
  @inline(__always)
  func marginOutwards(size: Double, accuracy: Double) -> Double {
    let scaled = accuracyFactor == 0 ? 0 : accuracyFactor * accuracy
    return max(exitMargin(size: size), scaled)
  }

  /// Whether a fix of that accuracy is too coarse to say "inside" for a shape of that size.
  @inline(__always)
  func isTooCoarse(size: Double, accuracy: Double) -> Bool {
    accuracyFactor != 0 && accuracy > max(size, Self.alwaysFineEnough)
  }
}
