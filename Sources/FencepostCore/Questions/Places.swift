import FencepostKernel

/// The places of a monitor as they were at a moment, to be asked about points: which of them hold a point, and whose lines
/// are nearest.
///
/// ```swift
/// let places = await monitor.places
/// for place in try places.containing(latitude: 37.3349, longitude: -122.0090) { print(place.identifier) }
/// ```
///
/// Answers are geometry: they come from the conditions alone, whatever their state, policy or place under the condition
/// limit, and whether a fix came or not. Nothing changes by a question. Exact as the detector is: the line is inside, and
/// what bounds leave open the full distance decides. Beacon conditions are in no place.
///
/// A value: taking one costs next to nothing, and any number of tasks may ask it at the same time. A change of the monitor's
/// conditions copies them while one is held.
public struct Places: Sendable {
  let table: ConditionTable
  /// What the answers of one part of the points may come to, about, before it is made smaller: 64 MB.
  var mostAtATime = 1 << 24
  /// How many points are put in order at a time, at most ``RowOrder/part``.
  var rowsAtATime = RowOrder.part

  init(_ table: ConditionTable) {
    self.table = table
  }

  /// The identifier of a condition; `nil` when none has that generation.
  ///
  /// - Complexity: O(log conditions).
  public func identifier(ofGeneration generation: UInt64) -> String? {
    table.slot(ofGeneration: generation).map { table.identifiers.string(of: $0) }
  }

  /// Calls `body` with the bytes of the identifier of a condition; with no bytes when none has that generation.
  package func withIdentifierBytes<Result>(
    ofGeneration generation: UInt64, _ body: (UnsafeBufferPointer<UInt8>) -> Result
  ) -> Result {
    guard let slot = table.slot(ofGeneration: generation) else {
      return body(UnsafeBufferPointer(start: nil, count: 0))
    }
    return table.identifiers.withBytes(of: slot, body)
  }

  func located(_ slot: UInt32, _ boundaryDistance: Double) -> LocatedCondition {
    LocatedCondition(
      identifier: table.identifiers.string(of: slot), generation: table.generation(of: slot), tag: table.tag(of: slot),
      boundaryDistance: boundaryDistance)
  }
}

extension ConditionTable {
  /// The conditions of this moment, for questions about points.
  package var places: Places { Places(self) }
}
