import Testing

/// The conformance corpus on the actor.
@Suite struct ConformanceTests {
  @Test func corpusIsThere() {
    #expect(Scenario.all.count >= 62 + 40)
    #expect(Set(Scenario.all.map(\.name)).count == Scenario.all.count)
  }

  @Test(arguments: Scenario.all)
  func scenario(_ scenario: Scenario) async throws {
    if let reason = scenario.needsStore { try skip(scenario, reason) }
    try await ScenarioRunner(scenario, restartsEveryStep: false).run()
  }

  @Test(arguments: Scenario.all)
  func restartedAfterEveryStep(_ scenario: Scenario) async throws {
    if let reason = scenario.needsStore { try skip(scenario, reason) }
    try await ScenarioRunner(scenario, restartsEveryStep: true).run()
  }

  private func skip(_ scenario: Scenario, _ reason: String) throws {
    print("skipped: \(scenario.name): \(reason)")
    try Test.cancel("skipped: \(reason)")
  }
}
