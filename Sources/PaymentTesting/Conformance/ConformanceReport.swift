/// What ``ProviderConformance`` found.
public struct ConformanceReport: Sendable, Hashable, CustomStringConvertible {
    /// How one probe ended.
    public enum Verdict: Sendable, Hashable {
        /// The provider does it right.
        case passed
        /// It does not: what was seen, one sentence each.
        case failed([String])
        /// The probe could not be made, and why.
        case skipped(String)
    }

    /// One probe.
    public struct Probe: Sendable, Hashable {
        /// Its name.
        public let name: ProviderConformance.Probe
        /// How it ended.
        public let verdict: Verdict
    }

    /// The provider that was probed.
    public let provider: String
    /// All probes, in the order in which they ran.
    public let probes: [Probe]

    /// Whether no probe failed.
    public var isPassed: Bool { failed.isEmpty }

    /// The probes that failed.
    public var failed: [ProviderConformance.Probe] {
        probes.filter { if case .failed = $0.verdict { true } else { false } }.map(\.name)
    }

    /// A table for people.
    public var description: String {
        var lines = ["Conformance of \(provider): \(isPassed ? "passed" : "failed")"]
        for probe in probes {
            switch probe.verdict {
            case .passed: lines.append("  passed   \(probe.name.rawValue)")
            case .skipped(let reason): lines.append("  skipped  \(probe.name.rawValue): \(reason)")
            case .failed(let findings):
                lines.append("  FAILED   \(probe.name.rawValue)")
                lines += findings.prefix(5).map { "             \($0)" }
                if findings.count > 5 { lines.append("             and \(findings.count - 5) more") }
            }
        }
        return lines.joined(separator: "\n")
    }
}
