import Testing

@testable import Fencepost
@testable import FencepostCore

@Suite struct PolicyTableTests {
  @Test func equalPoliciesShareAnIndex() {
    var table = PolicyTable()
    let one = table.take(.standard, .none)
    #expect(table.take(.standard, .none) == one)
    let two = table.take(.exact, .none)
    #expect(two != one)
    #expect(table[two] == .exact)
    table.release(one)
    #expect(table.take(.standard, .none) == one)
  }

  @Test func anIndexIsUsedAgainWhenNobodyHoldsIt() {
    var table = PolicyTable()
    let one = table.take(.standard, .none)
    table.release(one)
    #expect(table.take(.coreLocation, .none) == one)
    #expect(table[one] == .coreLocation)
    #expect(table.take(.standard, .none) != one)
    #expect(table.policies.count == 2)
  }
}
