import CFencepost

/// The version as text, made of the three numbers of the header; lives as long as the process.
private let versionText: UInt = {
  let bytes = Array("\(FENCEPOST_VERSION_MAJOR).\(FENCEPOST_VERSION_MINOR).\(FENCEPOST_VERSION_PATCH)".utf8) + [0]
  let text = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
  for (index, byte) in bytes.enumerated() { text[index] = CChar(bitPattern: byte) }
  return UInt(bitPattern: text)
}()

@_cdecl("fencepost_version_string") @implementation
public func fencepost_version_string() -> UnsafePointer<CChar>? {
  UnsafePointer(bitPattern: versionText)
}
