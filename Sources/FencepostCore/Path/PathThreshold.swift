/// The level with which a detector compares the distance from a shape's line in its present state: the line itself, or
/// a margin beside it.
struct PathThreshold {
  enum Passage {
    /// To this distance from the line or a smaller one.
    case inwards
    /// To this distance from the line or a greater one.
    case outwards
    /// To a distance from the line that is greater than this one.
    case beyond
  }

  var passage: Passage
  /// The signed distance from the line, in metres.
  var level: Double
  /// The number of metres by which the device must be past the level. It is greater than the error of a distance after a
  /// change, so that a device that moves along a level, or slowly across it, passes the level once.
  var hysteresis = 0.0
  /// The margins with which the detector measures the shape.
  var margins: (inner: Double, outer: Double)

  /// The level with the hysteresis.
  var farLevel: Double { passage == .inwards ? level - hysteresis : level + hysteresis }

  /// Whether a position is past the level with the hysteresis, by the comparison that the detector uses.
  func isPassed(_ measure: Shape.Measure) -> Bool {
    let level = farLevel
    return switch passage {
    case .inwards: measure.distance <= measure.line + level
    case .outwards: measure.distance >= measure.line + level
    case .beyond: measure.distance - level > measure.line
    }
  }

  /// A lower bound of the distance that the device can move before it may be past the level with the hysteresis, in
  /// metres.
  func room(_ measure: Shape.Measure) -> Double {
    let level = farLevel
    return switch passage {
    case .inwards: (measure.least.isNaN ? measure.boundaryDistance : measure.least) - level
    case .outwards, .beyond: level - (measure.least.isNaN ? measure.boundaryDistance : measure.most)
    }
  }
}
