public import Foundation

/// The folder of Package.swift, found from this source file.
public let packageRoot = URL(filePath: #filePath)
  .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
