extension Event {
  /// The event as one JSON object on one line, the same in every interface and on every platform.
  ///
  /// The keys are, in this order: `sequence, identifier, state, cause, date, evidence_date, refinement, diagnostics,
  /// generation, latitude, longitude, accuracy, boundary_distance`. Dates are in ISO 8601 (UTC) with six decimals;
  /// numbers have the shortest form that reads back as the same number; a missing value is `null`. The following keys
  /// are present only if they apply: `evidence`, which is `path` if the deciding position is a point of the path
  /// between two fixes; `gap`, which is `true`; `direction`, which is `left_to_right` or `right_to_left`;
  /// `probability`; `vertical_distance`; and `decided_by`.
  public var json: String {
    jsonText.string
  }

  var jsonText: JSONText {
    var text = JSONText()
    text.append("{\"sequence\":" as StaticString)
    text.append(sequence)
    text.append(",\"identifier\":" as StaticString)
    text.appendQuoted(identifier)
    text.append(",\"state\":\"" as StaticString)
    text.append(state.name)
    text.append("\",\"cause\":\"" as StaticString)
    text.append(cause.name)
    text.append("\",\"date\":" as StaticString)
    Self.append(date, to: &text)
    text.append(",\"evidence_date\":" as StaticString)
    Self.append(evidenceDate, to: &text)
    text.append(",\"refinement\":" as StaticString)
    Self.append(beacon, to: &text)
    text.append(",\"diagnostics\":[" as StaticString)
    var isFirst = true
    for (bit, name) in Diagnostics.names.enumerated() where diagnostics.rawValue & (1 << UInt32(bit)) != 0 {
      text.append(isFirst ? "\"" : ",\"" as StaticString)
      text.append(name)
      text.append("\"" as StaticString)
      isFirst = false
    }
    text.append("],\"generation\":" as StaticString)
    text.append(generation)
    text.append(",\"latitude\":" as StaticString)
    text.append(evidence?.coordinate.latitude ?? .nan)
    text.append(",\"longitude\":" as StaticString)
    text.append(evidence?.coordinate.longitude ?? .nan)
    text.append(",\"accuracy\":" as StaticString)
    text.append(evidence?.accuracy ?? .nan)
    text.append(",\"boundary_distance\":" as StaticString)
    text.append(evidence?.boundaryDistance ?? .nan)
    if let source = evidence?.source, source != .fix {
      text.append(",\"evidence\":\"" as StaticString)
      text.append(source.name)
      text.append("\"" as StaticString)
    }
    if followsGap { text.append(",\"gap\":true" as StaticString) }
    if let direction {
      text.append(",\"direction\":\"" as StaticString)
      text.append(direction.name)
      text.append("\"" as StaticString)
    }
    if let probability = evidence?.probability {
      text.append(",\"probability\":" as StaticString)
      text.append(probability)
    }
    if let distance = evidence?.verticalDistance {
      text.append(",\"vertical_distance\":" as StaticString)
      text.append(distance)
    }
    if let decidedBy {
      text.append(",\"decided_by\":" as StaticString)
      text.append(decidedBy)
    }
    text.append("}" as StaticString)
    return text
  }

  private static func append(_ date: Timestamp?, to text: inout JSONText) {
    guard let date else { return text.append("null" as StaticString) }
    text.append("\"" as StaticString)
    text.append(date)
    text.append("\"" as StaticString)
  }

  private static func append(_ beacon: BeaconIdentityCondition?, to text: inout JSONText) {
    guard let beacon else { return text.append("null" as StaticString) }
    text.append("{\"uuid\":\"" as StaticString)
    text.append(beacon.uuid)
    text.append("\",\"major\":" as StaticString)
    if let major = beacon.major { text.append(UInt64(major)) } else { text.append("null" as StaticString) }
    text.append(",\"minor\":" as StaticString)
    if let minor = beacon.minor { text.append(UInt64(minor)) } else { text.append("null" as StaticString) }
    text.append("}" as StaticString)
  }
}

extension Event.State {
  /// The name in lower case, as in the JSON.
  public var name: StaticString {
    switch self {
    case .unknown: "unknown"
    case .satisfied: "satisfied"
    case .unsatisfied: "unsatisfied"
    case .unmonitored: "unmonitored"
    }
  }
}

extension Event.Evidence.Source {
  /// The name in lower case, as in the JSON.
  public var name: StaticString {
    switch self {
    case .fix: "fix"
    case .path: "path"
    }
  }
}

extension CrossingDirection {
  /// The name in lower case, as in the JSON.
  public var name: StaticString {
    switch self {
    case .leftToRight: "left_to_right"
    case .rightToLeft: "right_to_left"
    }
  }
}

extension Event.Cause {
  /// The name in lower case, as in the JSON.
  public var name: StaticString {
    switch self {
    case .none: "none"
    case .determination: "determination"
    case .crossing: "crossing"
    case .timeout: "timeout"
    case .repeat: "repeat"
    case .diagnostic: "diagnostic"
    }
  }
}
