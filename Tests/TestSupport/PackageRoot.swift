public import Foundation

/// The folder of Package.swift, located relative to this source file.
public let packageRoot = URL(filePath: #filePath)
  .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
