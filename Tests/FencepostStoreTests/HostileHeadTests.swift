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
    try reseal(folder.file("f.fencepost"), .fleet) { reader, writer throws(Damage) in
      var head = try FleetHeadRow(reading: &reader)
      change(&head)
      head.encode(to: &writer)
    }
  }

  /// Changes the head row of a monitor's store, and writes the row with a correct checksum.
  private func resealMonitor(_ folder: Folder, _ change: (inout HeadRow) -> Void) throws {
    try reseal(folder.file("m.fencepost"), .monitor) { reader, writer throws(Damage) in
      var head = try HeadRow(reading: &reader, format: try reader.take())
      change(&head)
      head.encode(to: &writer)
    }
  }

  private func reseal(
    _ path: String, _ kind: StoreKind, _ change: (inout ByteReader, inout ByteWriter) throws(Damage) -> Void
  ) throws {
    let connection = try Connection.open(path)
    try connection.begin()
    let schema = try Schema.verify(kind, connection)
    var sums = StoreSums(number: schema)
    var bytes: [UInt8] = []
    try StoreStatements.prepare(connection).forEachRow { row in
      if row.table == .head { bytes = Array(row.bytes.dropLast(StoreSums.size)) } else { sums.add(row) }
    }
    var writer = ByteWriter(reserving: 512)
    try bytes.withRawBytes { bytes throws(Damage) in
      var reader = ByteReader(bytes)
      try change(&reader, &writer)
    }
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

  private static let numbers: [UInt64] = [1 << 60, 1 << 62 - 1, 1 << 62, 1 << 62 + 1, 1 << 63 - 1, 1 << 63, .max]

  /// The counters of a fleet are near the end of their range: the file is refused and stays as it is, or the
  /// fleet continues.
  @Test func countersOfFleets() throws {
    let counters: [WritableKeyPath<FleetHeadRow, UInt64>] = [
      \.appended, \.lastPosition, \.moment.counters.acceptedFixes, \.moment.counters.invalidFixes,
      \.moment.counters.lateInputs, \.moment.counters.aheadInputs, \.moment.counters.acceptedSightings,
    ]
    for counter in counters {
      for number in Self.numbers {
        let folder = try Folder()
        try fill(folder, devices: 2)
        try reseal(folder) { head in
          head[keyPath: counter] = number
          if counter == \.lastPosition { head.appended = number }
        }
        let before = try folder.bytes("f.fencepost")
        do {
          var fleet = try open(folder)
          #expect(number <= 1 << 62, "\(counter) is \(number)")
          try fleet.call { engine throws(MonitorError) in
            try engine.conditions.add(
              CircularGeographicCondition(center: Coordinate(latitude: 0, longitude: 0), radius: 100),
              identifier: "home", policy: .exact)
            for second in 2..<20 as Range<Int64> {
              let fix = Fix(
                latitude: second % 2 == 0 ? 0 : 1, longitude: 0, time: Timestamp(microseconds: second * Self.seconds))
              try engine.feed(fix, for: 1)
              try? engine.feed(Fix(latitude: 91, longitude: 0, time: fix.time), for: 1)
              try? engine.feed(Fix(latitude: 1, longitude: 0, time: Timestamp(microseconds: 0)), for: 1)
              try engine.feed([], at: fix.time, for: 2)
            }
            while engine.nextEvent() != nil {}
            engine.acknowledge()
          }
          try fleet.close()
          if number <= 1 << 60 { #expect(try open(folder).state.deviceCount == 2) }
        } catch MonitorError.storeCorrupt(let reason) {
          #expect(number > 1 << 62 && reason.contains("\(number)"), "\(counter): \(reason)")
          #expect(try folder.bytes("f.fencepost") == before)
        }
      }
    }
  }

  /// The same for the counters of a monitor.
  @Test func countersOfMonitors() throws {
    let counters: [WritableKeyPath<HeadRow, UInt64>] = [
      \.lastGeneration, \.lastSequence, \.lastChange, \.lastTicket,
    ]
    let options = MonitorOptions(conditionLimit: 2)
    for counter in counters {
      for number in Self.numbers {
        let folder = try Folder()
        var stored = try StoredEngine(name: "m", options: options, directory: folder.path)
        func drive(_ first: Int64) throws {
          try stored.call { engine throws(MonitorError) in
            for number in 0..<4 as Range<Int64> {
              try engine.add(
                CircularGeographicCondition(center: Coordinate(latitude: 0, longitude: 0), radius: 100),
                identifier: "home \(first + number)", policy: .exact)
            }
            for second in first..<(first + 20) {
              let time = Timestamp(microseconds: second * Self.seconds)
              try engine.feed(Fix(latitude: second % 2 == 0 ? 0 : 1, longitude: 0, time: time))
            }
            engine.remove("home \(first)")
            for _ in 0..<5 { _ = engine.nextEvent() }
          }
          try stored.close()
        }
        try drive(1)
        try resealMonitor(folder) { $0[keyPath: counter] = number }
        let before = try folder.bytes("m.fencepost")
        do {
          stored = try StoredEngine(name: "m", options: options, directory: folder.path)
          #expect(number <= 1 << 62, "\(counter) is \(number)")
          try drive(100)
          if number <= 1 << 60 {
            stored = try StoredEngine(name: "m", options: options, directory: folder.path)
            try stored.close()
          }
        } catch MonitorError.storeCorrupt(let reason) {
          #expect(number > 1 << 62 && reason.contains("\(number)"), "\(counter): \(reason)")
          #expect(try folder.bytes("m.fencepost") == before)
        }
      }
    }
  }
}
