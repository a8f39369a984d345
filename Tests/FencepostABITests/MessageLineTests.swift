import Testing

@testable import FencepostABI

@Suite struct MessageLineTests {
  private func line(_ text: String, room: Int = 256) -> String {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: room + 1, alignment: 1)
    defer { buffer.deallocate() }
    buffer.initializeMemory(as: UInt8.self, repeating: 0xAA)
    MessageLine.write(text, to: UnsafeMutableRawBufferPointer(rebasing: buffer[..<room]))
    #expect(buffer[room] == 0xAA, "nothing is written past the buffer")
    let end = buffer.firstIndex(of: 0)
    #expect(end != nil && end! < room, "it is terminated")
    let text = String(validating: buffer[..<(end ?? 0)], as: UTF8.self)
    #expect(text != nil, "it is UTF-8")
    return text ?? ""
  }

  @Test func aMessageIsOneLine() {
    #expect(line("") == "")
    #expect(line("a\nb\r\tc\0d\u{85}e\u{2028}f\u{2029}g\u{7f}h\u{1b}[31m") == "a b  c d e f g h [31m")
    #expect(line("é 😀") == "é 😀")
  }

  /// If a text is too long, its beginning and its end are kept, and no character is cut in two.
  @Test func theMiddleOfALongOneIsLeftOut() {
    #expect(line(String(repeating: "a", count: 255)).count == 255)
    let long = "start " + String(repeating: "x", count: 300) + " end"
    let cut = line(long)
    #expect(cut.utf8.count == 255 && cut.hasPrefix("start x") && cut.hasSuffix("x end") && cut.contains(" … "))
    for shift in 0..<4 {
      for character in ["é", "€", "😀"] {
        let text = String(repeating: "a", count: shift) + String(repeating: character, count: 400)
        let cut = line(text)
        #expect(cut.utf8.count <= 255 && cut.utf8.count > 240, "\(cut.utf8.count)")
        #expect(cut.allSatisfy { "a… ".contains($0) || String($0) == character })
      }
    }
  }

  @Test(arguments: 8..<40) func smallBuffersAreFilledAsFarAsTheyGo(room: Int) {
    let cut = line(String(repeating: "€", count: 100), room: room)
    #expect(cut.utf8.count < room)
  }
}
