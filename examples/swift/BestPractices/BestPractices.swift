// Shows the practices of Fencepost.docc/BestPractices.md, with one function for each practice. The output is the same
// on every machine.
import Fencepost
import FencepostStore
import Foundation

@main
struct BestPractices {
  static func main() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "fencepost-practices-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await openAtEveryStart(folder.path)
    try await oneInstanceForAName(folder.path)
    try await alwaysAwaitEvents()
    try await recordsAreTheTable()
    try await littleWorkForAChange()
    try await radiusAndPolicy()
    try await greeterAtTheDoor()
    try await cafeteriaAtNoon()
  }
}

let office = Coordinate(latitude: 37.3349, longitude: -122.0090)
let beacon = BeaconUUID(high: 0xe2c5_6db5_dffb_48d2, low: 0xb060_d0f5_a710_96e0)

/// Seconds after 2023-11-14T22:13:20Z.
func time(_ seconds: Double) -> Timestamp {
  Timestamp(microseconds: 1_700_000_000_000_000 + Int64(seconds * 1e6))
}

/// Returns a fix that lies the given number of metres east of the office.
func fix(_ seconds: Double, metres: Double, accuracy: Double = 8) -> Fix {
  Fix(
    latitude: office.latitude, longitude: office.longitude + metres / 88_600, accuracy: accuracy, time: time(seconds))
}

/// Passes the pending events to `handle`, one after another.
func handleEvents(_ monitor: Monitor, _ handle: (Event) -> Void) async throws {
  while let event = try await monitor.nextEvent() { handle(event) }
}

/// Open a stored monitor first whenever the program starts: the monitor first delivers the events that were not
/// handled. `ensure` leaves existing conditions unchanged.
func openAtEveryStart(_ folder: String) async throws {
  print("open at every start")
  for launch in 1...2 {
    let monitor = try await Monitor("habits", store: folder)
    let isNew = try await monitor.ensure(
      CircularGeographicCondition(center: office, radius: 200), identifier: "office", assuming: .unsatisfied)
    print("  launch \(launch): \(isNew ? "added" : "still there")")
    if launch == 1 {
      try await monitor.feed(fix(0, metres: 10))  // the program ends before it handles the event of this fix
    } else {
      try await handleEvents(monitor) { print("  handled now: \($0.identifier) \($0.state.name)") }
    }
    try await monitor.close()
  }
}

/// There can be only one instance of a stored monitor per name, so pass this instance to all code that needs it. A
/// second instance with the same name cannot be created, in this process or in another.
func oneInstanceForAName(_ folder: String) async throws {
  print("one instance for a name")
  let monitor = try await Monitor("habits", store: folder)
  do {
    _ = try await Monitor("habits", store: folder)
  } catch {
    print("  \(error)")
  }
  try await monitor.close()
}

/// A task awaits events for as long as the program runs. The records of a monitor change only when the program requests
/// events.
func alwaysAwaitEvents() async throws {
  print("always await events")
  let monitor = Monitor()
  try await monitor.add(CircularGeographicCondition(center: office, radius: 200), identifier: "office")
  let consumer = Task {
    for try await event in await monitor.events {
      print("  \(event.identifier) \(event.state.name)")
      if event.state == .unsatisfied { break }
    }
  }
  try await monitor.feed(fix(0, metres: 10))
  try await monitor.feed(fix(10, metres: 300))
  try await monitor.advance(to: time(30))
  try await consumer.value
}

/// The records already contain the last state of each condition, so the program keeps no table of its own.
func recordsAreTheTable() async throws {
  print("records are the table")
  let monitor = Monitor()
  for (identifier, metres) in [("office", 0.0), ("station", 2_000)] {
    let center = fix(0, metres: metres).coordinate
    try await monitor.add(CircularGeographicCondition(center: center, radius: 200), identifier: identifier)
  }
  try await monitor.feed(fix(0, metres: 10))
  try await handleEvents(monitor) { _ in }
  for identifier in await monitor.identifiers {
    guard let last = await monitor.record(for: identifier)?.lastEvent else { continue }
    print("  \(identifier): \(last.state.name)")
  }
}

/// When the position changes, the program does little work: it asks for the distance within which no state can change,
/// and arms only the conditions near the device.
func littleWorkForAChange() async throws {
  print("little work for a change")
  let monitor = Monitor()
  for index in 0..<500 {
    let center = fix(0, metres: 400 * Double(index)).coordinate
    try await monitor.add(CircularGeographicCondition(center: center, radius: 100), identifier: "shop \(index)")
  }
  var filter = SignificantChangeFilter()
  var planner = try RotationPlanner(slots: 20)
  for minute in 0..<60 {
    let fix = fix(Double(minute) * 60, metres: 150 + 210 * Double(minute))
    guard filter.accepts(fix) else { continue }
    try await monitor.feed(fix)
    let plan = try await planner.plan(monitor, at: fix.coordinate, accuracy: fix.accuracy)
    let safe = try await monitor.safeDistance(at: fix.coordinate)
    if minute % 20 == 0 {
      print("  minute \(minute): -\(plan.removals.count) +\(plan.additions.count), \(Int(safe.rounded())) m to a line")
    }
  }
}

/// Use a radius of at least 100 m, and a margin and a dwell that suit the fixes, because a small circle with `exact`
/// reports noise.
func radiusAndPolicy() async throws {
  print("radius and policy")
  for (name, radius, policy) in [
    ("50 m, exact", 50.0, TransitionPolicy.exact), ("50 m, standard", 50, .standard),
    ("150 m, standard", 150, .standard),
  ] {
    let monitor = Monitor()
    try await monitor.add(
      CircularGeographicCondition(center: office, radius: radius), identifier: "office", policy: policy)
    // The device is at a desk 40 m from the centre, with fixes that jump by 30 m.
    for step in 0..<120 {
      let noise: [Double] = [0, 25, -10, 30, 5, -30, 15, -20]
      try await monitor.feed(fix(Double(step) * 5, metres: 40 + noise[step % noise.count], accuracy: 20))
    }
    var count = 0
    try await handleEvents(monitor) { _ in count += 1 }
    print("  \(name): \(count) events in ten minutes at a desk")
  }
}

/// Greets a visitor at a door: a beacon satisfies a condition, and the event names the beacon of that door.
func greeterAtTheDoor() async throws {
  print("a greeter at the door")
  let monitor = Monitor()
  try await monitor.add(BeaconIdentityCondition(uuid: beacon), identifier: "doors", assuming: .unsatisfied)
  try await monitor.feed(BeaconSighting(uuid: beacon, major: 2, minor: 7, rssi: -70), at: time(0))
  try await monitor.advance(to: time(60))
  try await handleEvents(monitor) { event in
    if event.state == .satisfied, let door = event.refinement as? BeaconIdentityCondition {
      print("  welcome at door \(door.minor ?? 0) of house \(door.major ?? 0)")
    } else {
      print("  good bye")
    }
  }
}

/// The cafeteria at noon: show the menu to people who arrive between 11:00 and 14:00, by the event's own time.
func cafeteriaAtNoon() async throws {
  print("the cafeteria at noon")
  let monitor = Monitor()
  try await monitor.add(
    CircularGeographicCondition(center: office, radius: 150), identifier: "cafeteria", assuming: .unsatisfied)
  for (hour, metres) in [(8.0, 10.0), (9, 900), (12, 10), (13, 900)] {
    // The first fix is at 22:13:20, and `hour` is an hour of the next day.
    let seconds = 6_400 + hour * 3_600
    try await monitor.feed(fix(seconds, metres: metres))
    try await monitor.advance(to: time(seconds + 60))
  }
  try await handleEvents(monitor) { event in
    guard event.state == .satisfied, let date = event.date else { return }
    let hour = date.microseconds / 3_600_000_000 % 24
    print("  \(hour) o'clock: " + ((11..<14).contains(hour) ? "today's menu" : "no menu"))
  }
}
