import FencepostKernel

/// How a table that is given became one with a table that was kept.
enum TableAdoption: Sendable {
  /// It was new and empty, and is the kept one now, slots included.
  case taken
  /// They are the same version, also when the given one had to be brought forward.
  case equal
  /// The given one is a later version.
  case later
  /// Both came from the same beginning, and each was changed in another way since.
  case diverged
}

/// What a table knows of the kept tables that it was opened with.
struct AdoptedTables {
  /// The identifiers of their conditions, as hashes; `nil` when there was none.
  var identifiers: Set<UInt64>?
  /// The version of the table after the last of them; a later one was made by the host.
  var version: UInt64 = 0
  /// The families of their stores, and of new stores; new ones join the first. See ``FleetStorage/family``.
  var families: [UInt32] = []
}

extension Conditions {
  /// Makes sure that devices which were kept with another table can go on with this one: that each generation means the same
  /// in both.
  ///
  /// A table that is new and empty becomes the kept one. One that is an earlier version of it is brought forward; one that is
  /// a later version stays as it is, and the devices meet at their next input what changed since. One that was changed in
  /// another way since the same beginning stays as it is, too: two fleets have one table and a store each, only one of them
  /// had saved a change when the process ended, and the table was changed again before the other was opened.
  ///
  /// The same beginning is assumed when a fleet's store of the same family was opened over this table. Of snapshots, and of
  /// stores that were made before stores had families, it is assumed when another fleet had a version of this table, and the
  /// kept one has an identifier in common with that version or with the table as it is now, or one of them is empty.
  ///
  /// A table that the host changed after it was opened with another kept one is no earlier version if it has a condition that
  /// this kept one lacks, although no generation says so: bringing it forward would undo the host's change.
  ///
  /// - Parameter family: The family of the store that has the kept table; see ``FleetStorage/family``.
  /// - Throws: ``MonitorError/tableMismatch(_:)``, when it is none of these; nothing has changed then.
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
    guard table.limit.capacity == kept.limit.capacity else {
      throw .tableMismatch(
        "the fleet was saved with a table with condition_limit \(kept.limit.name); this one has "
          + "\(table.limit.name): create it with the same limit")
    }
    if last == 0 {
      table = copy kept
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
    // A later generation alone does not count as a change of the table, and is a part of the digest.
    forgetDigest()
    return .equal
  }

  /// Makes a storage that is opened over the table a member of the table's family.
  ///
  /// - Returns: Whether all rows must be written for that.
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
  /// Whether a table can have become this one: what both number alike is the same.
  fileprivate func isLaterVersion(of other: borrowing ConditionTable) -> Bool {
    let last = other.order.lastGeneration
    guard order.lastGeneration >= last else { return false }
    for slot in live {
      if generation(of: slot) > last { break }
      if !isCondition(slot, in: other) || !hasLaterPlace(slot, than: other) { return false }
    }
    return true
  }

  /// Whether a condition can have changed from its place under the limit in another table to its place in this table.
  private func hasLaterPlace(_ slot: UInt32, than other: borrowing ConditionTable) -> Bool {
    guard limit.capacity != nil, let known = other.slot(ofGeneration: generation(of: slot)) else { return true }
    return hasWaited(slot) == other.hasWaited(known) && (!isOverLimit(slot) || other.isOverLimit(known))
  }

  /// Whether another table has each condition, under the same generation.
  fileprivate func isPart(of other: borrowing ConditionTable) -> Bool {
    for slot in live where !isCondition(slot, in: other) { return false }
    return true
  }

  /// Whether a condition has the identifier of a condition of another table, or one of the tables is empty.
  fileprivate func hasIdentifier(of other: borrowing ConditionTable) -> Bool {
    if count == 0 || other.count == 0 { return true }
    let known = slotsByIdentifierHash
    for slot in other.live where known[other.identifierHash(of: slot)] != nil { return true }
    return false
  }

  /// Whether a condition has one of some identifiers.
  fileprivate func hasIdentifier(in hashes: Set<UInt64>) -> Bool {
    for slot in live where hashes.contains(identifierHash(of: slot)) { return true }
    return false
  }

  /// Whether another table has a condition, under the same generation.
  private func isCondition(_ slot: UInt32, in other: borrowing ConditionTable) -> Bool {
    guard let known = other.slot(ofGeneration: generation(of: slot)) else { return false }
    var own = ByteWriter(reserving: 512)
    var others = ByteWriter(reserving: 512)
    DefinitionRow.encode(slot, of: self, to: &own)
    DefinitionRow.encode(known, of: other, to: &others)
    return own.bytes.elementsEqual(others.bytes)
  }

  /// Removes and adds what makes this table a later version.
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
    if limit.capacity != nil { takeLimit(of: later) }
  }
}
