import Testing

@testable import Fencepost
@testable import FencepostCore

@Suite struct BeaconUUIDTests {
  @Test func readsAndWrites() {
    let uuid = BeaconUUID("E2C56DB5-dffb-48d2-B060-d0f5A71096e0")
    #expect(uuid == someUUID)
    #expect("\(someUUID)" == "e2c56db5-dffb-48d2-b060-d0f5a71096e0")
  }

  @Test(arguments: [
    "", "e2c56db5-dffb-48d2-b060-d0f5a71096e", "e2c56db5-dffb-48d2-b060-d0f5a71096e00",
    "e2c56db5dffb48d2b060d0f5a71096e0", "e2c56db5-dffb-48d2-b060-d0f5a71096eg", "{2c56db5-dffb-48d2-b060-d0f5a71096e0}",
    "e2c56db-5dffb-48d2-b060-d0f5a71096e0", "e2c56db5-dffb-48d2-b060-d0f5a71096é",
    " e2c56db5-dffb-48d2-b060-d0f5a71096e0",
  ])
  func refusesOtherForms(_ text: String) {
    #expect(BeaconUUID(text) == nil)
  }
}
