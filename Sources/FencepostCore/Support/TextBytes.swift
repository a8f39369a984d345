// Comparisons of texts by their UTF-8 bytes. The engine compares no `String` with `==` or `hasPrefix` and looks at no
// `Character`: these operations normalise texts and look up Unicode properties, which takes 65 kB of code and tables.

extension String {
  /// Whether the texts consist of the same bytes.
  package func hasBytes(of other: String) -> Bool { utf8.elementsEqual(other.utf8) }

  /// Whether the text begins with the bytes of another text.
  package func beginsWithBytes(of start: String) -> Bool { utf8.starts(with: start.utf8) }
}
