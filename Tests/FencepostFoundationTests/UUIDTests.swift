import Fencepost
import FencepostFoundation
import Foundation
import Testing

@Suite struct UUIDTests {
  @Test func bytesKeepTheirOrder() throws {
    let uuid = try #require(UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF"))
    let beacon = BeaconUUID(uuid)
    #expect(beacon == BeaconUUID(high: 0x0011_2233_4455_6677, low: 0x8899_aabb_ccdd_eeff))
    #expect(beacon.uuid == uuid)
    #expect("\(beacon)" == uuid.uuidString.lowercased())
  }

  @Test func anyBitsGoThereAndBack() {
    var state: UInt64 = 1
    for _ in 0..<1_000 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let beacon = BeaconUUID(high: state, low: ~state &* 3)
      #expect(BeaconUUID(UUID(beacon)) == beacon)
      #expect(BeaconUUID(UUID(beacon).uuidString) == beacon)
    }
  }

  @Test func conditionsAndSightingsTakeUUIDs() {
    let uuid = UUID()
    let beacon = BeaconUUID(uuid)
    #expect(BeaconIdentityCondition(uuid: uuid) == BeaconIdentityCondition(uuid: beacon))
    #expect(BeaconIdentityCondition(uuid: uuid, major: 3) == BeaconIdentityCondition(uuid: beacon, major: 3))
    #expect(
      BeaconIdentityCondition(uuid: uuid, major: 3, minor: 4)
        == BeaconIdentityCondition(uuid: beacon, major: 3, minor: 4))
    #expect(
      BeaconSighting(uuid: uuid, major: 3, minor: 4, rssi: -50)
        == BeaconSighting(uuid: beacon, major: 3, minor: 4, rssi: -50))
  }
}
