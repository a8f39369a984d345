/// What a detector compares the distance of a shape with, in its present state: the line, or a margin beside it.
struct PathThreshold {
  enum Passage {
    /// To that distance from the line, or a lesser one.
    case inwards
    /// To that distance from the line, or a greater one.
    case outwards
    /// Farther from the line than that.
    case beyond
  }

  var passage: Passage
  /// Signed distance from the line, metres.
  var level: Double
  /// The number of metres by which the device must be past the level. It is greater than the error of a distance after a
  /// change, so that a device that moves along a level, or slowly across it, passes the level once.
  var hysteresis = 0.0
  /// What the detector has the shape measured with.
  var margins: (inner: Double, outer: Double)

  /// The level with the hysteresis.
  var farLevel: Double { passage == .inwards ? level - hysteresis : level + hysteresis }

  /// Whether a position is past it, as the detector decides that.
  func isPassed(_ measure: Shape.Measure) -> Bool {
    let level = farLevel
    return switch passage {
    case .inwards: measure.distance <= measure.line + level
    case .outwards: measure.distance >= measure.line + level
    case .beyond: measure.distance - level > measure.line
    }
  }

  /// How far the device can go from there before it may be past it, metres.
  func room(_ measure: Shape.Measure) -> Double {
    let level = farLevel
    return switch passage {
    case .inwards: (measure.least.isNaN ? measure.boundaryDistance : measure.least) - level
    case .outwards, .beyond: level - (measure.least.isNaN ? measure.boundaryDistance : measure.most)
    }
  }
}
