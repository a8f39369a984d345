import FencepostKernel

/// Identifies a condition in any table by its identifier and definition: BLAKE2s over the identifier and the encoded
/// kind, tag, policy and geometry. The generation and the assumed state are left out. Rules of the same meaning have the
/// same definition.
///
/// Among n conditions, two different ones have the same digest with a probability of at most n² / 2^129 (10⁻²⁷ for a
/// million). An attacker needs about 2^64 digests to find two such conditions.
struct ConditionDigest: Hashable, Sendable {
  var first: UInt64
  var second: UInt64
}

extension ConditionTable {
  /// The digest of the condition in a slot in use.
  func digest(of slot: UInt32) -> ConditionDigest {
    var writer = ByteWriter(reserving: 256)
    identifiers.withBytes(of: slot) { bytes in
      writer.putCompact(UInt64(bytes.count))
      writer.put(UnsafeRawBufferPointer(bytes))
    }
    putDefinition(of: slot, &writer)
    let digest = Blake2s.digest(writer.bytes)
    return ConditionDigest(first: digest.first, second: digest.second)
  }

  /// A hash of the definition, by which portable devices identified conditions before format 3.
  func definitionHash(of slot: UInt32) -> UInt32 {
    var writer = ByteWriter(reserving: 256)
    putDefinition(of: slot, &writer)
    var sum = Checksum()
    sum.add(writer.bytes)
    return UInt32(truncatingIfNeeded: sum.value)
  }

  private func putDefinition(of slot: UInt32, _ writer: inout ByteWriter) {
    writer.put(kind(of: slot).rawValue)
    writer.put(tag(of: slot))
    policy(of: slot).encode(to: &writer)
    timing(of: slot)?.encode(to: &writer)
    if let band = band(of: slot) {
      band.encode(to: &writer)
      writer.put(policy(of: slot).verticalMargin)
    }
    if case .rule(let rule) = subject(of: slot) {
      rule.encodeMeaning(to: &writer)
    } else {
      subject(of: slot).encode(to: &writer)
    }
  }

  /// A hash of the identifier, by which portable devices identified conditions before format 3.
  func identifierHash(of slot: UInt32) -> UInt64 {
    identifiers.withBytes(of: slot) { bytes in
      var sum = Checksum(seed: 3)
      sum.add(UnsafeRawBufferPointer(bytes))
      return sum.value
    }
  }

  /// The slots of the conditions, by the hash of their identifier.
  var slotsByIdentifierHash: [UInt64: UInt32] {
    var slots = [UInt64: UInt32]()
    slots.reserveCapacity(count)
    for slot in live { slots[identifierHash(of: slot)] = slot }
    return slots
  }
}

/// The digests of the conditions of one version of a table, each computed once. Many devices are inside the same
/// polygon, and the time for its digest is proportional to its vertices.
struct ConditionDigests: Sendable {
  private var digests = [UInt32: ConditionDigest]()

  mutating func of(_ slot: UInt32, _ table: ConditionTable) -> ConditionDigest {
    if let known = digests[slot] { return known }
    let digest = table.digest(of: slot)
    digests[slot] = digest
    return digest
  }
}

/// Finds the conditions of a table that portable devices refer to. Each index is built when a device first needs it.
struct PortableConditions: Sendable {
  private var digests = [ConditionDigest: UInt32]()
  private var identifiers = [UInt64: UInt32]()

  /// The slot of an equal condition; `nil` if the table contains no such condition.
  mutating func slot(of condition: DeviceBytes.Reference.Condition?, _ table: ConditionTable) -> UInt32? {
    switch condition {
    case nil: return nil
    case .digest(let digest)?:
      if digests.isEmpty {
        digests.reserveCapacity(table.count)
        for slot in table.live { digests[table.digest(of: slot)] = slot }
      }
      return digests[digest]
    case .hashes(let identifier, let definition)?:
      if identifiers.isEmpty { identifiers = table.slotsByIdentifierHash }
      guard let slot = identifiers[identifier], table.definitionHash(of: slot) == definition else { return nil }
      return slot
    }
  }
}
