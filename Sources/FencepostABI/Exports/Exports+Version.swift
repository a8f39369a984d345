import CFencepost

/// The version as text, made of the three numbers of the header. Its place is a global variable, not the heap, so that an
/// unloaded library keeps no memory.
private nonisolated(unsafe) var versionText: (UInt64, UInt64, UInt64, UInt64) = {
  var text: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
  let version = "\(FENCEPOST_VERSION_MAJOR).\(FENCEPOST_VERSION_MINOR).\(FENCEPOST_VERSION_PATCH)"
  withUnsafeMutableBytes(of: &text) { $0.copyBytes(from: version.utf8.prefix($0.count - 1)) }
  return text
}()

@_cdecl("fencepost_version_string") @implementation
public func fencepost_version_string() -> UnsafePointer<CChar>? {
  withUnsafePointer(to: &versionText) { UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self) }
}
