import Testing

@testable import Fencepost
@testable import FencepostCore

@Suite struct JSONTextTests {
  private func text(_ body: (inout JSONText) -> Void) -> String {
    var text = JSONText()
    body(&text)
    return text.string
  }

  @Test func stringsAreEscaped() {
    #expect(text { $0.appendQuoted("") } == "\"\"")
    #expect(text { $0.appendQuoted("a\"\\/é😀") } == "\"a\\\"\\\\/é😀\"")
    #expect(text { $0.appendQuoted("\n\r\t\0\u{1f}\u{7f}") } == "\"\\n\\r\\t\\u0000\\u001f\\u007f\"")
  }

  @Test func numbersReadBack() {
    #expect(text { $0.append(-0.0) } == "-0")
    #expect(text { $0.append(12.0) } == "12")
    #expect(text { $0.append(1e22) } == "1e+22")
    for value in [Double.nan, .infinity, -.infinity] { #expect(text { $0.append(value) } == "null") }
    for value in [0.1, -1.0 / 3, 1e-7, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 5e15, 123_456_789.125] {
      let written = text { $0.append(value) }
      #expect(Double(written) == value, "\(written)")
      #expect(!written.hasSuffix(".0") && !written.hasPrefix("."))
    }
    #expect(text { $0.append(UInt64.max) } == "18446744073709551615")
  }

  @Test func timesAreISO8601() {
    func written(_ microseconds: Int64) -> String { text { $0.append(Timestamp(microseconds: microseconds)) } }
    #expect(written(0) == "1970-01-01T00:00:00.000000Z")
    #expect(written(-1) == "1969-12-31T23:59:59.999999Z")
    #expect(written(951_782_400_000_001) == "2000-02-29T00:00:00.000001Z")
    #expect(written(4_107_542_399_999_999) == "2100-02-28T23:59:59.999999Z")
    #expect(written(253_402_300_800_000_000) == "+10000-01-01T00:00:00.000000Z")
    #expect(written(-62_167_219_200_000_001) == "-1-12-31T23:59:59.999999Z")
    #expect(written(-62_167_219_200_000_000) == "0000-01-01T00:00:00.000000Z")
  }

  @Test func identifiersOfBeaconsAreInLowerCase() {
    #expect(text { $0.append(someUUID) } == "e2c56db5-dffb-48d2-b060-d0f5a71096e0")
    #expect(text { $0.append(BeaconUUID(high: 0, low: .max)) } == "00000000-0000-0000-ffff-ffffffffffff")
  }
}
