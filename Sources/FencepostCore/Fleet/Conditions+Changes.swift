extension Conditions {
  /// Removes a condition and its waiting events. An unknown identifier changes nothing.
  ///
  /// - Returns: Whether there was one.
  @discardableResult
  public func remove(_ identifier: String) -> Bool {
    change { table in
      guard let slot = table.slot(of: identifier) else { return false }
      table.remove(slot)
      return true
    }
  }

  /// Number of conditions.
  public var count: Int { read { table in table.count } }

  /// The identifiers in the order in which the conditions were added.
  public var identifiers: [String] { readLong { table in table.live.map { table.identifier(of: $0) } } }

  /// The whole table as bytes, the same on every platform, generations included. See ``init(restoring:)``.
  public func snapshot() -> [UInt8] { readLong { table in table.withSnapshot { Array($0) } } }
}
