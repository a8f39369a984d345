// Follows a drive past an office: two circles and a beacon, from the first fix to the last event.
import Fencepost

@main
struct Quickstart {
  static func main() async throws {
    let monitor = try await Monitor("my_custom_monitor")
    let office = Coordinate(latitude: 37.3349, longitude: -122.0090)
    try await monitor.add(
      CircularGeographicCondition(center: office, radius: 200), identifier: "office", assuming: .unsatisfied)
    try await monitor.add(CircularGeographicCondition(center: office, radius: 2_000), identifier: "district")
    let uuid = BeaconUUID(high: 0xe2c5_6db5_dffb_48d2, low: 0xb060_d0f5_a710_96e0)
    try await monitor.add(BeaconIdentityCondition(uuid: uuid, major: 1), identifier: "lobby")

    // One task feeds the sensors' data; every input carries its own time.
    let start: Int64 = 1_700_000_000
    let drive = Task {
      for second in stride(from: Int64(0), through: 600, by: 10) {
        let time = Timestamp(microseconds: (start + second) * 1_000_000)
        // The drive follows the parallel, from 5 km west of the office to 5 km east of it.
        let longitude = office.longitude + 0.0565 * (Double(second) / 300 - 1)
        try await monitor.feed(
          Fix(latitude: office.latitude, longitude: longitude, accuracy: 5, time: time))
        if second == 300 {
          try await monitor.feed(BeaconSighting(uuid: uuid, major: 1, minor: 7, rssi: -60), at: time)
        }
      }
    }
    try await drive.value

    // Another task consumes. Requesting the next event acknowledges the previous one.
    var handled = 0
    for try await event in await monitor.events {
      let seconds = event.date.map { $0.microseconds / 1_000_000 - start } ?? 0
      print("\(seconds) s: \(event.identifier) is \(event.state.name) (\(event.cause.name))")
      handled += 1
      if handled == 8 {
        await monitor.acknowledge()  // unless it is acknowledged, the event is redelivered after the loop ends
        break
      }
    }

    if let record = await monitor.record(for: "office"), let why = await monitor.explain("office") {
      print("office: last event \(record.lastEvent.sequence), \(record.lastEvent.state.name)")
      print("office: \(why.reason.name), \(Int(why.metresToDecide ?? 0)) m to decide")
    }
  }
}
