import FencepostKernel
import Foundation
import TestSupport
import Testing

@testable import Fencepost
@testable import FencepostCore
@testable import FencepostStore
@testable import FencepostStoreCore

/// Tests how a fleet's store is opened after its head row was manipulated and got a correct checksum.
@Suite struct HostileHeadTests {
  private static let seconds: Int64 = 1_000_000

  private func open(_ folder: Folder) throws -> StoredFleet {
    try StoredFleet(
      name: "f", Conditions(), options: FleetOptions(), directory: folder.path, durability: .relaxed(interval: 1))
  }

  private func fill(_ folder: Folder, devices: Int) throws {
    var fleet = try open(folder)
    try fleet.call { engine throws(MonitorError) in
      for number in 0..<devices {
        let fix = Fix(latitude: 0, longitude: 0, time: Timestamp(microseconds: Self.seconds))
        try engine.feed(fix, for: try engine.device("device \(number)"))
      }
    }
    try fleet.close()
  }

  /// Changes the head row of the fleet's store, and writes the row with a correct checksum.
  private func reseal(_ folder: Folder, _ change: (inout FleetHeadRow) -> Void) throws {
    let path = folder.file("f.fencepost")
    let connection = try Connection.open(path)
    try connection.begin()
    let schema = try Schema.verify(.fleet, connection)
    var sums = StoreSums(number: schema)
    var bytes: [UInt8] = []
    try StoreStatements.prepare(connection).forEachRow { row in
      if row.table == .head { bytes = Array(row.bytes.dropLast(StoreSums.size)) } else { sums.add(row) }
    }
    var head = try bytes.withRawBytes { bytes throws(Damage) in
      var reader = ByteReader(bytes)
      return try FleetHeadRow(reading: &reader)
    }
    change(&head)
    var writer = ByteWriter(reserving: 512)
    head.encode(to: &writer)
    let sealed = Array(writer.bytes) + sums.end(of: writer.bytes)
    let hex = sealed.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    try connection.run(text: "UPDATE rows SET data=x'\(hex)' WHERE kind=0")
    try connection.foldLog()
  }

  /// A store of one megabyte must not make the library allocate gigabytes, whatever number of devices the head row
  /// states.
  @Test func devicesThatAreNotThere() throws {
    let folder = try Folder()
    try fill(folder, devices: 20)
    try reseal(folder) { _ in }
    #expect(try open(folder).state.deviceCount == 20)
    for (count, bound) in [(21, 21), (67_108_863, 67_108_863), (20, 67_108_863), (1, 67_108_863)] as [(UInt64, UInt64)]
    {
      try reseal(folder) { head in
        head.deviceCount = count
        head.bound = bound
      }
      let before = try folder.bytes("f.fencepost")
      let start = ContinuousClock.now
      do {
        // The count of devices is correct, but the device numbers are far apart, so the devices get new numbers.
        let fleet = try open(folder)
        #expect(count == 20 && fleet.state.deviceCount == 20)
        #expect(fleet.state.deviceNumbers.max() == DeviceNumber.of(19, generation: 0, lap: 0))
        try reseal(folder) { $0.bound = 20 }
      } catch MonitorError.storeCorrupt(let reason) {
        #expect(count != 20 && reason.contains("f.fencepost"), "\(reason)")
        #expect(try folder.bytes("f.fencepost") == before)
      }
      #expect(ContinuousClock.now - start < .seconds(1), "four gigabytes take longer")
    }
  }
}
