import Fencepost

/// Sequences of calls that drive past a few circles and a beacon. Any engine can make these calls; some of them deliver
/// events.
struct Drive {
  typealias Call = (inout MonitorEngine) throws -> [Event]

  static let options = MonitorOptions(delivery: .every)

  /// Returns a random sequence of calls; the same seed always gives the same sequence.
  ///
  /// - Parameter takesAll: If `true`, the consumer always reads all waiting events; if `false`, it reads at most three
  ///   at a time.
  static func calls(_ seed: UInt64, count: Int, takesAll: Bool = false) -> [Call] {
    var random = SeededGenerator("drive", salt: seed)
    var calls: [Call] = []
    var time: Int64 = 1_000
    let uuid = BeaconUUID(high: 1, low: 2)
    for number in 0..<6 {
      let radius = 40.0 + 30 * Double(number)
      calls.append { engine in
        try engine.add(
          CircularGeographicCondition(center: Coordinate(latitude: 0, longitude: 0), radius: radius),
          identifier: "circle \(number) with a name that is not short", policy: number % 2 == 0 ? .exact : .standard)
        return []
      }
    }
    calls.append { engine in
      try engine.add(BeaconIdentityCondition(uuid: uuid), identifier: "beacon")
      return []
    }
    while calls.count < count {
      time += Int64.random(in: 0...12, using: &random)
      let now = time
      switch Int.random(in: 0..<12, using: &random) {
      case 0, 1:
        let limit = takesAll ? Int.max : Int.random(in: 1...3, using: &random)
        calls.append { engine in
          var events: [Event] = []
          for _ in 0..<limit {
            guard let event = engine.nextEvent() else { break }
            events.append(event)
          }
          return events
        }
      case 2:
        calls.append { engine in
          engine.acknowledge()
          return []
        }
      case 3:
        calls.append { engine in
          try engine.feed([BeaconSighting(uuid: uuid, major: 1, minor: 2, rssi: -50)], at: at(now))
          return []
        }
      case 4:
        let number = Int.random(in: 0..<6, using: &random)
        let isGone = Bool.random(using: &random)
        calls.append { engine in
          let identifier = "circle \(number) with a name that is not short"
          if isGone {
            engine.remove(identifier)
          } else {
            try engine.add(
              CircularGeographicCondition(center: Coordinate(latitude: 0, longitude: 0), radius: 70),
              identifier: identifier, policy: .exact)
          }
          return []
        }
      default:
        let metres = Double.random(in: 0..<300, using: &random)
        calls.append { engine in
          try engine.feed(fix(now, metres))
          return []
        }
      }
    }
    return calls
  }
}
