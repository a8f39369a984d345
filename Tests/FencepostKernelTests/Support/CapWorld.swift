import FencepostKernel

/// How the circles of a randomly generated world are arranged.
enum CapWorld: String, CaseIterable {
  case uniform, clustered, nested, concentric, identical, tiny, huge, poles, antimeridian, antipodes, mixed
}

extension SeededGenerator {
  private mutating func bell() -> Double { (0..<6).reduce(0.0) { sum, _ in sum + uniform(-1...1) } / 2 }

  mutating func anywhere() -> EarthVector {
    let height = uniform(-1...1)
    return EarthVector(latitude: height * height * height * 30 + height * 60, longitude: uniform(-180...180))
  }

  mutating func distance() -> Double {
    switch next() % 6 {
    case 0: 0
    case 1: uniform(0...2e7)
    case 2: .infinity
    default: logarithmic(1, 2e7)
    }
  }

  mutating func cap(of world: CapWorld) -> (EarthVector, Double) {
    switch world {
    case .uniform:
      return (anywhere(), logarithmic(1, 1e5))
    case .clustered:
      return (near(latitude: 48, longitude: 11, spread: 0.1), logarithmic(20, 5000))
    case .nested:
      return (near(latitude: -33, longitude: 151, spread: 0.001), logarithmic(1, 1.2e7))
    case .concentric:
      return (EarthVector(latitude: 35.1, longitude: 139.2), uniform(1...3e6))
    case .identical:
      return (EarthVector(latitude: 51.5, longitude: 0), 64)
    case .tiny:
      return (near(latitude: 0, longitude: 0, spread: 0.0005), uniform(0...1))
    case .huge:
      return (anywhere(), uniform(1e6...1.276e7))
    case .poles:
      let latitude = 90 - logarithmic(1e-6, 1)
      let pole = EarthVector(latitude: next() % 2 == 0 ? latitude : -latitude, longitude: uniform(-180...180))
      return (pole, logarithmic(1, 1e6))
    case .antimeridian:
      let longitude = 180 - logarithmic(1e-6, 1)
      let side = EarthVector(latitude: uniform(-1...1), longitude: next() % 2 == 0 ? longitude : -longitude)
      return (side, logarithmic(1, 1e5))
    case .antipodes:
      return next() % 2 == 0
        ? (near(latitude: 20, longitude: 30, spread: 1), logarithmic(1, 1.2e7))
        : (near(latitude: -20, longitude: -150, spread: 1), logarithmic(1, 1.2e7))
    case .mixed:
      if next() % 50 == 0 { return (anywhere(), .infinity) }
      let others = CapWorld.allCases
      let other = others[Int(next() % UInt64(others.count))]
      return other == .mixed ? (anywhere(), logarithmic(1, 1e7)) : cap(of: other)
    }
  }

  mutating func position(of world: CapWorld, around caps: [CapSubject.Cap]) -> EarthVector {
    switch next() % 4 {
    case 0: anywhere()
    case 1: caps.isEmpty ? anywhere() : caps[Int(next() % UInt64(caps.count))].centre
    default: cap(of: world).0
    }
  }

  private mutating func near(latitude: Double, longitude: Double, spread: Double) -> EarthVector {
    EarthVector(latitude: latitude + bell() * spread, longitude: longitude + bell() * spread)
  }
}
