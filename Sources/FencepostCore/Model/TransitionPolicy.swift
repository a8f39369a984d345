/// The rules for which crossings of a shape count, and which changes become events.
///
/// A fix is decisive if it is beyond the boundary by at least a margin. Inwards, the margin is `min(max(entryMargin,
/// accuracyFactor · accuracy), size / 2)`; outwards, it is `max(exit margin, accuracyFactor · accuracy)`. The size of a
/// circle is its radius. The crossing is confirmed once the device has stayed on that side for the dwell.
///
/// With probabilities, a fix must also be certain enough: inwards, the probability that the shape contains the true
/// position must be at least ``entryProbability``; outwards, it must be at most ``exitProbability``.
public struct TransitionPolicy: Sendable, Hashable {
  /// The rule for the end of a dwell.
  @frozen
  public enum DwellPolicy: UInt8, Sendable, Hashable {
    /// The dwell ends when its time has passed, unless a fix on the old side has ended the candidate.
    case timer = 0
    /// The dwell ends with the first fix on the new side after its time has passed.
    case evidence = 1
  }

  /// The changes that become events; other changes update the record silently.
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

    /// The reason why a number is not a set of these flags, as a message; `nil` if it is.
    package static func defect(of bits: UInt32) -> String? {
      bits <= UInt32(all.rawValue) ? nil : "notify is \(bits); must be a combination of the bits 1, 2 and 4"
    }
  }

  /// The time inside before an entry is confirmed, in microseconds, 0 … 10¹⁵.
  public var entryDwellMicroseconds: Int64
  /// The time outside before an exit is confirmed, in microseconds, 0 … 10¹⁵.
  public var exitDwellMicroseconds: Int64
  /// The entry margin in metres, finite, ≥ 0.
  public var entryMargin: Double
  /// The exit margin in metres, finite, ≥ 0.
  public var exitMargin: Double
  /// If 0, the exit margin is ``exitMargin``. Otherwise, it is the size of the shape, clamped to `exitMargin …
  /// exitMarginLimit`.
  public var exitMarginLimit: Double
  /// The factor of the accuracy in the margins, finite, ≥ 0. With 0, the accuracy has no effect on the margins. Must be
  /// 0 with probabilities.
  public var accuracyFactor: Double
  /// The smallest probability of being inside with which a fix is decisive inwards: above 0.5, at most 0.99999. With 0,
  /// only the margins decide. Set it together with ``exitProbability``.
  public var entryProbability: Double
  /// The greatest probability of being inside with which a fix is decisive outwards: at least 0.00001, below 0.5. With
  /// 0, only the margins decide. Set it together with ``entryProbability``.
  public var exitProbability: Double
  /// The margin above and below the limits of an ``AltitudeBand``, in metres, finite, ≥ 0. Inwards, it is at most half of
  /// the thickness of the band. With an ``accuracyFactor``, it grows with the vertical accuracy.
  public var verticalMargin: Double
  public var dwellPolicy: DwellPolicy
  public var notify: Notify

  public init(
    entryDwellMicroseconds: Int64 = 20_000_000, exitDwellMicroseconds: Int64 = 20_000_000,
    entryMargin: Double = 20, exitMargin: Double = 20, exitMarginLimit: Double = 0, accuracyFactor: Double = 1,
    dwellPolicy: DwellPolicy = .timer, notify: Notify = .all, entryProbability: Double = 0,
    exitProbability: Double = 0, verticalMargin: Double = 10
  ) {
    self.entryDwellMicroseconds = entryDwellMicroseconds
    self.exitDwellMicroseconds = exitDwellMicroseconds
    self.entryMargin = entryMargin
    self.exitMargin = exitMargin
    self.exitMarginLimit = exitMarginLimit
    self.accuracyFactor = accuracyFactor
    self.entryProbability = entryProbability
    self.exitProbability = exitProbability
    self.verticalMargin = verticalMargin
    self.dwellPolicy = dwellPolicy
    self.notify = notify
  }

  /// Hashes the values that differ most often, because the policy of each added condition is hashed.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(entryDwellMicroseconds)
    hasher.combine(exitDwellMicroseconds)
    hasher.combine(entryMargin)
    hasher.combine(exitMargin)
    hasher.combine(entryProbability)
  }

  /// The default: dwells of 20 s, margins of 20 m, and margins that grow with the accuracy.
  public static let standard = TransitionPolicy()
  /// No dwells and no margins: the line itself decides.
  public static let exact = TransitionPolicy(
    entryDwellMicroseconds: 0, exitDwellMicroseconds: 0, entryMargin: 0, exitMargin: 0, accuracyFactor: 0,
    verticalMargin: 0)
  /// The observed behaviour of Core Location: the exit margin is the radius, clamped to 60 … 200 m.
  public static let coreLocation = TransitionPolicy(exitMargin: 60, exitMarginLimit: 200, verticalMargin: 0)

  /// The longest dwell or timeout that is accepted, in microseconds: about 31.7 years.
  static let longestDuration: Int64 = 1_000_000_000_000_000

  /// A message about the first value that is out of range, with its name in C and Python; `nil` if the policy is valid.
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
      ?? range("vertical_margin", verticalMargin)
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

  /// The vertical margin of a policy that was saved without it, because its condition has no band.
  var usualVerticalMargin: Double {
    let hasNoMargin = entryMargin == 0 && exitMargin == 0 && accuracyFactor == 0 && !hasProbability
    return hasNoMargin || isEqualInPlane(to: .coreLocation) ? 0 : Self.standard.verticalMargin
  }

  /// Whether two policies have the same effect on conditions without a band.
  func isEqualInPlane(to other: TransitionPolicy) -> Bool {
    var same = self
    same.verticalMargin = other.verticalMargin
    return same == other
  }

  /// Whether a fix must reach a probability to be decisive.
  @inline(__always)
  var hasProbability: Bool { entryProbability != 0 }

  /// Whether a probability of being inside is decisive for a side. NaN is decisive for no side.
  func isDecisive(inwards isInwards: Bool, _ probability: Double) -> Bool {
    guard !probability.isNaN else { return false }
    return isInwards ? probability >= entryProbability : probability <= exitProbability
  }

  /// An accuracy up to this number of metres is never too coarse to determine "inside", however small the shape is.
  /// With a smaller value, small shapes would stay undetermined with positions from networks; with a larger one, shapes
  /// that the device only passes would be reported.
  static var alwaysFineEnough: Double { 100 }

  /// The exit margin for a shape of a size, without the accuracy.
  @inline(__always)
  func exitMargin(size: Double) -> Double {
    exitMarginLimit == 0 ? exitMargin : min(max(size, exitMargin), exitMarginLimit)
  }

  /// The entry margin for a shape of a size, without the accuracy; at most half of the size, so that every shape can be
  /// entered.
  @inline(__always)
  func entryMargin(size: Double) -> Double { min(entryMargin, size / 2) }

  /// The distance inside the line from which a fix of an accuracy is decisive, in metres.
  @inline(__always)
  func marginInwards(size: Double, accuracy: Double) -> Double {
    let scaled = accuracyFactor == 0 ? 0 : accuracyFactor * accuracy
    return min(max(entryMargin, scaled), size / 2)
  }

  /// The distance outside the line from which a fix of an accuracy is decisive, in metres.
  @inline(__always)
  func marginOutwards(size: Double, accuracy: Double) -> Double {
    let scaled = accuracyFactor == 0 ? 0 : accuracyFactor * accuracy
    return max(exitMargin(size: size), scaled)
  }

  /// Whether a fix of an accuracy is too coarse to determine "inside" for a shape of a size.
  @inline(__always)
  func isTooCoarse(size: Double, accuracy: Double) -> Bool {
    accuracyFactor != 0 && accuracy > max(size, Self.alwaysFineEnough)
  }
}
