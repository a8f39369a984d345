extension FleetEngine {
  /// The numbers of many devices whose identifiers are given as UTF-8. All or none.
  ///
  /// - Parameters:
  ///   - isEntering: Whether those that are new are entered.
  ///   - identifier: Gives the bytes of a row's identifier.
  ///   - body: Receives the number of each row in order; `nil` where there is no such device.
  /// - Throws: ``MonitorError/invalidArgument(_:position:)``, whose position is the row; nothing has changed then, and `body`
  ///   was not called.
  package mutating func devices(
    count: Int, entering isEntering: Bool, identifier: (Int) -> UnsafeBufferPointer<UInt8>,
    _ body: (Int, UInt64?) -> Void
  ) throws(MonitorError) {
    var unknown = 0
    for row in 0..<count where number(identifierBytes: identifier(row)) == nil {
      if let defect = Definition.defect(ofIdentifier: identifier(row)) {
        throw .invalidArgument("row \(row): \(defect)", position: row)
      }
      unknown += 1
    }
    if isEntering, unknown > options.deviceLimit - deviceCount { try checkRoom(count, identifier) }
    for row in 0..<count {
      let bytes = identifier(row)
      body(row, isEntering ? try device(identifierBytes: bytes) : number(identifierBytes: bytes))
    }
  }

  /// Refuses rows with more new devices than there is room for; a row may name one again.
  private func checkRoom(
    _ count: Int, _ identifier: (Int) -> UnsafeBufferPointer<UInt8>
  ) throws(MonitorError) {
    var new: Set<[UInt8]> = []
    for row in 0..<count where number(identifierBytes: identifier(row)) == nil {
      new.insert(Array(identifier(row)))
      guard new.count <= options.deviceLimit - deviceCount else {
        throw .invalidArgument(
          "row \(row): \(deviceCount) devices and \(new.count) new ones are too many; device_limit is \(options.deviceLimit)",
          position: row)
      }
    }
  }
}
