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
