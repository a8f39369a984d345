import Testing

/// Runs the conformance scenarios on fleets and on the `Monitor` actor.
@Suite struct ConformanceTests {
  @Test func corpusIsThere() {
    #expect(Scenario.all.count >= 62 + 40)
    #expect(Scenario.all.count { $0.file.hasPrefix("Shapes/") } >= 40)
    #expect(Scenario.all.count { $0.file.hasPrefix("Paths/") } >= 25)
    #expect(Scenario.all.count { $0.file.hasPrefix("Plausibility/") } >= 25)
    #expect(Scenario.all.count { $0.file.hasPrefix("Probability/") } >= 25)
    #expect(Scenario.all.count { $0.file.hasPrefix("Schedules/") } >= 80)
    #expect(Scenario.all.count { $0.file.hasPrefix("Height/") } >= 90)
    #expect(Scenario.all.count { $0.file.hasPrefix("Rules/") } >= 110)
    #expect(Set(Scenario.all.map(\.name)).count == Scenario.all.count)
  }

  @Test func corpusOfFleetsIsThere() {
    #expect(Scenario.fleets.count >= 25)
    #expect(Scenario.fleets.allSatisfy { $0.fleet != nil && !$0.steps.isEmpty })
    #expect(Set(Scenario.fleets.map(\.name)).count == Scenario.fleets.count)
  }

  @Test(arguments: Scenario.fleets)
  func fleet(_ scenario: Scenario) throws {
    var runner = try FleetScenarioRunner(scenario, restartsEveryStep: false)
    try runner.run()
  }

  @Test(arguments: Scenario.fleets)
  func fleetRestartedAfterEveryStep(_ scenario: Scenario) throws {
    var runner = try FleetScenarioRunner(scenario, restartsEveryStep: true)
    try runner.run()
  }

  /// Plays the scenarios of rules on a device of a fleet, unless they need what a fleet or its table refuses.
  @Test(arguments: Scenario.rulesOfFleets, [false, true])
  func ruleInAFleet(_ scenario: Scenario, restartsEveryStep: Bool) throws {
    var runner = try FleetScenarioRunner(scenario, restartsEveryStep: restartsEveryStep)
    try runner.run()
  }

  @Test func rulesOfFleetsAreThere() {
    #expect(Scenario.rulesOfFleets.count >= 40, "\(Scenario.rulesOfFleets.count)")
  }

  @Test(arguments: Scenario.all)
  func scenario(_ scenario: Scenario) async throws {
    try await run(scenario, restartsEveryStep: false, isStored: false)
  }

  @Test(arguments: Scenario.all)
  func restartedAfterEveryStep(_ scenario: Scenario) async throws {
    try await run(scenario, restartsEveryStep: true, isStored: false)
  }

  @Test(arguments: Scenario.all)
  func inAStorage(_ scenario: Scenario) async throws {
    try await run(scenario, restartsEveryStep: false, isStored: true)
  }

  @Test(arguments: Scenario.all)
  func reopenedAfterEveryStep(_ scenario: Scenario) async throws {
    try await run(scenario, restartsEveryStep: true, isStored: true)
  }

  private func run(_ scenario: Scenario, restartsEveryStep: Bool, isStored: Bool) async throws {
    if scenario.needsDirectory { try skip(scenario, "names are exclusive in directories only") }
    if scenario.needsStorage, !isStored { try skip(scenario, "a monitor in memory has no store that could fail") }
    try await ScenarioRunner(scenario, restartsEveryStep: restartsEveryStep, isStored: isStored).run()
  }

  private func skip(_ scenario: Scenario, _ reason: String) throws {
    print("skipped: \(scenario.name): \(reason)")
    try Test.cancel("skipped: \(reason)")
  }
}
