public import CFencepost
import FencepostCore

@_cdecl("fencepost_uuid_parse") @implementation
public func fencepost_uuid_parse(
  _ text: UnsafePointer<CChar>?, _ out_uuid: UnsafeMutablePointer<UInt8>?,
  _ error: UnsafeMutablePointer<fencepost_error>?
) -> fencepost_status {
  Boundary.run(error) { () throws(BoundaryError) in
    let bytes = Boundary.identifier(try Boundary.require(text, "text"))
    let out = try Boundary.require(out_uuid, "out_uuid")
    let string = String(decoding: bytes, as: UTF8.self)
    guard let uuid = BeaconUUID(string) else {
      throw .invalidArgument("\"\(string)\" is not a UUID; must have the form 8-4-4-4-12 of hexadecimal digits")
    }
    uuid.store(to: UnsafeMutableRawPointer(out))
  }
}
