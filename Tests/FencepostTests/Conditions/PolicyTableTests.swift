import Testing

@testable import Fencepost
@testable import FencepostCore

@Suite struct PolicyTableTests {
  @Test func equalPoliciesShareAnIndex() {
    var table = PolicyTable()
    let one = table.take(.standard)
    #expect(table.take(.standard) == one)
    let two = table.take(.exact)
    #expect(two != one)
    #expect(table[two] == .exact)
    table.release(one)
    #expect(table.take(.standard) == one)
  }

  @Test func anIndexIsUsedAgainWhenNobodyHoldsIt() {
    var table = PolicyTable()
    let one = table.take(.standard)
    table.release(one)
    #expect(table.take(.coreLocation) == one)
    #expect(table[one] == .coreLocation)
    #expect(table.take(.standard) != one)
    #expect(table.policies.count == 2)
  }
}
