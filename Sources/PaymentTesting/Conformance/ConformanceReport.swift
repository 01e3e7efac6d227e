/// What ``ProviderConformance`` or ``JournalConformance`` found.
public struct ConformanceReport<Name: RawRepresentable & Hashable & Sendable>: Sendable, Hashable,
    CustomStringConvertible
where Name.RawValue == String {
    /// How one probe ended.
    public enum Verdict: Sendable, Hashable {
        /// The subject does it right.
        case passed
        /// It does not: what was seen, one sentence each.
        case failed([String])
        /// The probe could not be made, and why.
        case skipped(String)
    }

    /// One probe.
    public struct Probe: Sendable, Hashable {
        /// Its name.
        public let name: Name
        /// How it ended.
        public let verdict: Verdict
    }

    /// What was probed.
    public let subject: String
    /// All probes, in the order in which they ran.
    public let probes: [Probe]

    /// Whether no probe failed.
    public var isPassed: Bool { failed.isEmpty }

    /// The probes that failed.
    public var failed: [Name] {
        probes.filter { if case .failed = $0.verdict { true } else { false } }.map(\.name)
    }

    /// The probes that could not be made.
    public var skipped: [Name] {
        probes.filter { if case .skipped = $0.verdict { true } else { false } }.map(\.name)
    }

    /// A table for people.
    public var description: String {
        var lines = ["Conformance of \(subject): \(isPassed ? "passed" : "failed")"]
        for probe in probes {
            switch probe.verdict {
            case .passed: lines.append("  passed   \(probe.name.rawValue)")
            case .skipped(let reason): lines.append("  not probed  \(probe.name.rawValue): \(reason)")
            case .failed(let findings):
                lines.append("  FAILED   \(probe.name.rawValue)")
                lines += findings.prefix(5).map { "             \($0)" }
                if findings.count > 5 { lines.append("             and \(findings.count - 5) more") }
            }
        }
        return lines.joined(separator: "\n")
    }
}
