import CFencepost

/// The memory for the version's text: a global variable instead of the heap, so that an unloaded library leaves no
/// memory behind.
private nonisolated(unsafe) var versionBytes: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

/// The address of the version's text, which is composed on first use from the three numbers in the header. After the
/// first use, the address is only read, so several threads can use it at the same time.
private let versionText: UInt = {
  let version = "\(FENCEPOST_VERSION_MAJOR).\(FENCEPOST_VERSION_MINOR).\(FENCEPOST_VERSION_PATCH)"
  return withUnsafeMutableBytes(of: &versionBytes) { bytes in
    bytes.copyBytes(from: version.utf8.prefix(bytes.count - 1))
    return UInt(bitPattern: bytes.baseAddress)
  }
}()

@_cdecl("fencepost_version_string") @implementation
public func fencepost_version_string() -> UnsafePointer<CChar>? {
  UnsafePointer(bitPattern: versionText)
}
