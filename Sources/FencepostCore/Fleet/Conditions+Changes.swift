extension Conditions {
  /// Removes a condition, and its events that wait; nothing happens when there is none.
  ///
  /// - Returns: Whether there was one.
  @discardableResult
  public func remove(_ identifier: String) -> Bool {
    change { engine in engine.remove(identifier) }
  }

  /// Number of conditions.
  public var count: Int { read { engine in engine.conditionCount } }

  /// The identifiers in the order in which the conditions were added.
  public var identifiers: [String] { read { engine in engine.identifiers } }

  /// The whole table as bytes, the same on every platform, generations included. See ``init(restoring:)``.
  public func snapshot() -> [UInt8] { read { engine in engine.snapshot() } }
}
