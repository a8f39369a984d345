import FencepostKernel

/// The result of comparing the caller's table with a saved table.
enum TableAdoption: Sendable {
  /// The caller's table was new and empty, and is now equal to the saved table, including the slots.
  case taken
  /// Both tables have the same version; the caller's table may have been brought up to date.
  case equal
  /// The caller's table is a later version of the saved table.
  case later
  /// Both tables come from the same table, but were changed differently.
  case diverged
}

/// The data that a table has about the saved tables with which it was opened.
struct AdoptedTables {
  /// The hashes of the identifiers of their conditions; `nil` if there was no saved table.
  var identifiers: Set<UInt64>?
  /// The version of the table after the last saved table was adopted. Later versions were made by the host.
  var version: UInt64 = 0
  /// The families of their stores and of new stores. New stores join the first family. See ``FleetStorage/family``.
  var families: [UInt32] = []
}

extension Conditions {
  /// Makes sure that devices that were saved with another table can continue with this table: each generation must have
  /// the same meaning in both tables.
  ///
  /// If this table is new and empty, it becomes equal to the saved table. If it is an earlier version of the saved
  /// table, it is brought up to date. If it is a later version, it stays as it is, and the devices see the changes at
  /// their next input. If both tables come from the same table but were changed differently, this table stays as it is,
  /// too. That happens if two fleets with one table have a store each, only one of them had saved a change when the
  /// process ended, and the table was changed again before the other fleet was opened.
  ///
  /// Two tables are assumed to come from the same table if a store of the same family was opened over this table. For
  /// snapshots, and for stores without a family, which older versions created, this is assumed if another fleet had a
  /// version of this table, and the saved table has an identifier in common with that version or with the present
  /// table, or one of these is empty.
  ///
  /// If the host has changed the table after it was opened with another saved table, and the table has a condition that
  /// the present saved table lacks, the table is not treated as an earlier version, even if the generations would allow
  /// it: bringing it up to date would undo the host's change.
  ///
  /// - Parameter family: The family of the store that contains the saved table; see ``FleetStorage/family``.
  /// - Throws: ``MonitorError/tableMismatch(_:)`` if none of these cases applies; nothing has changed then.
  func adopt(_ kept: Conditions, family: UInt32?) throws(MonitorError) -> TableAdoption {
    let known = adopted.withLock { $0 }
    let (adoption, version) = try change { table throws(MonitorError) in
      let adoption = try kept.read { kept throws(MonitorError) in
        try self.adopt(kept, into: &table, known, isRelated: family.map(known.families.contains) ?? false)
      }
      return (adoption, table.changes.version)
    }
    adopted.withLock { adopted in
      var identifiers = adopted.identifiers ?? []
      kept.read { kept in for slot in kept.live { identifiers.insert(kept.identifierHash(of: slot)) } }
      adopted.identifiers = identifiers
      adopted.version = version
    }
    return adoption
  }

  private func adopt(
    _ kept: borrowing ConditionTable, into table: inout ConditionTable, _ known: AdoptedTables, isRelated: Bool
  ) throws(MonitorError) -> TableAdoption {
    let last = table.order.lastGeneration
    if last == 0 {
      let version = table.changes.version
      table = copy kept
      // Another fleet that was opened over the empty table may have saved it, and must save the conditions, too.
      if kept.order.lastGeneration != 0 { table.startVersions(after: version) }
      forgetDigest()
      return .taken
    }
    if table.isLaterVersion(of: kept) {
      return last == kept.order.lastGeneration && table.count == kept.count ? .equal : .later
    }
    let isEarlier = kept.isLaterVersion(of: table)
    let isChanged = known.identifiers != nil && known.version != table.changes.version
    if !isEarlier || isChanged && !table.isPart(of: kept) {
      if isRelated { return .diverged }
      if let stored = known.identifiers, table.hasIdentifier(of: kept) || kept.hasIdentifier(in: stored) {
        return .diverged
      }
    }
    guard isEarlier else {
      throw .tableMismatch(
        "the fleet was saved with another table (\(kept.count) conditions up to generation "
          + "\(kept.order.lastGeneration); this one has \(table.count) up to \(last)): open this fleet first, "
          + "over an empty table, and sync that table; or export its devices as portable from there and load them with adapt"
      )
    }
    table.bringForward(to: kept)
    // A later generation alone does not count as a change of the table, but it is part of the digest.
    forgetDigest()
    return .equal
  }

  /// Makes a storage that is opened over the table a member of the table's family.
  ///
  /// - Returns: Whether all rows of the storage must be written because of this.
  func join(_ storage: any FleetStorage) -> Bool {
    adopted.withLock { adopted in
      let own = storage.family
      guard let joined = storage.join(adopted.families.first) else { return false }
      for family in [joined.family, own ?? joined.family] where !adopted.families.contains(family) {
        adopted.families.append(family)
      }
      return joined.needsAllRows
    }
  }
}

extension ConditionTable {
  /// Whether this table can be a later version of another table: conditions with the same generation must be equal.
  fileprivate func isLaterVersion(of other: borrowing ConditionTable) -> Bool {
    let last = other.order.lastGeneration
    guard order.lastGeneration >= last else { return false }
    for slot in live {
      if generation(of: slot) > last { break }
      if !isCondition(slot, in: other) { return false }
    }
    return true
  }

  /// Whether another table has each condition, under the same generation.
  fileprivate func isPart(of other: borrowing ConditionTable) -> Bool {
    for slot in live where !isCondition(slot, in: other) { return false }
    return true
  }

  /// Whether the two tables have an identifier in common, or one of the tables is empty.
  fileprivate func hasIdentifier(of other: borrowing ConditionTable) -> Bool {
    if count == 0 || other.count == 0 { return true }
    let known = slotsByIdentifierHash
    for slot in other.live where known[other.identifierHash(of: slot)] != nil { return true }
    return false
  }

  /// Whether a condition has one of the given identifiers.
  fileprivate func hasIdentifier(in hashes: Set<UInt64>) -> Bool {
    for slot in live where hashes.contains(identifierHash(of: slot)) { return true }
    return false
  }

  /// Whether another table contains a condition with the same generation.
  private func isCondition(_ slot: UInt32, in other: borrowing ConditionTable) -> Bool {
    guard let known = other.slot(ofGeneration: generation(of: slot)) else { return false }
    var own = ByteWriter(reserving: 512)
    var others = ByteWriter(reserving: 512)
    DefinitionRow.encode(slot, of: self, to: &own)
    DefinitionRow.encode(known, of: other, to: &others)
    return own.bytes.elementsEqual(others.bytes)
  }

  /// Removes and adds conditions so that this table equals a later version.
  fileprivate mutating func bringForward(to later: borrowing ConditionTable) {
    let last = order.lastGeneration
    for slot in ContiguousArray(live) where later.slot(ofGeneration: generation(of: slot)) == nil {
      remove(slot)
    }
    for slot in later.live where later.generation(of: slot) > last {
      startGenerations(after: later.generation(of: slot) - 1)
      later.identifiers.withBytes(of: slot) { enter(later.definition(of: slot), identifier: $0) }
    }
    startGenerations(after: later.order.lastGeneration)
  }
}
