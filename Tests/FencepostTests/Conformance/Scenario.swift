import Foundation
import Testing

/// One scenario of the corpus (Tests/Conformance/README.md).
struct Scenario: Sendable, CustomTestStringConvertible {
  var file: String
  var name: String
  var options: [String: JSON]
  /// The options of the fleet, if the scenario is about a fleet.
  var fleet: [String: JSON]?
  var steps: [JSON]

  var testDescription: String { name }

  /// All monitor scenarios, sorted by file name.
  static let all: [Scenario] = read(
    ["", "Shapes/", "Paths/", "Gates/", "Plausibility/", "Probability/", "Order/", "Schedules/", "Height/", "Rules/"])

  /// All fleet scenarios.
  static let fleets: [Scenario] = read(["Fleets/"])

  /// The scenarios of rules as those of a fleet with one device. Scenarios are left out that need what a fleet or its
  /// table refuses, or that look back at an earlier fix.
  static let rulesOfFleets: [Scenario] = read(["Rules/"]).compactMap { scenario in
    let options: Set = ["initial_fix_max_age", "order", "beacon_exit_timeout", "beacon_initial_timeout"]
    guard scenario.options["initial_fix_max_age"] == .null, options.isSuperset(of: scenario.options.keys) else {
      return nil
    }
    let refused: Set = [
      "active", "absent_after", "repeat_every", "max_events", "line", "host", "record", "rewind", "restart",
      "containing", "nearest", "sync",
    ]
    guard scenario.allSteps.allSatisfy({ refused.isDisjoint(with: ($0.object ?? [:]).keys) }) else { return nil }
    var own = scenario
    own.fleet = scenario.options.filter { $0.key != "initial_fix_max_age" }
    own.options = [:]
    own.steps = [.object(["enter": "d"])] + scenario.steps.map { $0.ofDevice }
    return own
  }

  private static func read(_ folders: [String]) -> [Scenario] {
    let folder = packageRoot.appending(path: "Tests/Conformance")
    let names = folders.flatMap { below in
      ((try? FileManager.default.contentsOfDirectory(atPath: folder.appending(path: below).path)) ?? []).map {
        below + $0
      }
    }
    return names.filter { $0.hasSuffix(".json") }.sorted().flatMap { file -> [Scenario] in
      do {
        let content = try JSONDecoder().decode(JSON.self, from: Data(contentsOf: folder.appending(path: file)))
        return (content.array ?? [content]).map { scenario in
          Scenario(
            file: file, name: scenario["name"]?.string ?? "", options: scenario["options"]?.object ?? [:],
            fleet: scenario["fleet"]?.object, steps: scenario["steps"]?.array ?? [])
        }
      } catch {
        return [Scenario(file: file, name: "\(file): \(error)", options: [:], fleet: nil, steps: [])]
      }
    }
  }

  private var allSteps: [JSON] { steps.flatMap { step in step["step"].map { [step, $0] } ?? [step] } }

  /// True if a store fails in the scenario.
  var needsStorage: Bool { allSteps.contains { $0["store"] != nil } }

  /// True if the scenario needs a name that is already in use; `fencepost_conform --store` runs these scenarios on
  /// directories.
  var needsDirectory: Bool { allSteps.contains { $0["refused"]?.string == "monitor_in_use" } }
}

extension JSON: ExpressibleByStringLiteral {
  init(stringLiteral value: String) { self = .string(value) }

  /// The step of a monitor as that of a device of a fleet.
  fileprivate var ofDevice: JSON {
    guard var members = object else { return self }
    if let step = members["step"] { members["step"] = step.ofDevice }
    let ofOneDevice: Set = ["fix", "see", "scanning", "identifiers_in_state", "explain"]
    if !ofOneDevice.isDisjoint(with: members.keys) { members["device"] = "d" }
    if members["add"] != nil || members["ensure"] != nil, members["assuming"] == nil { members["assuming"] = "unknown" }
    return .object(members)
  }
}

/// Thrown if the result of a step differs from the expected result.
struct Mismatch: Error, CustomStringConvertible {
  var description: String

  init(_ description: String) {
    self.description = description
  }

  init(expected: JSON, got: Any) {
    description = "expected \(expected), got \(got)"
  }
}
