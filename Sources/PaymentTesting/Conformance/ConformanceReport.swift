/// The results of ``ProviderConformance`` or ``JournalConformance``.
public struct ConformanceReport<Name: RawRepresentable & Hashable & Sendable>: Sendable, Hashable,
    CustomStringConvertible
where Name.RawValue == String {
    /// The result of one probe.
    @nonexhaustive
    public enum Verdict: Sendable, Hashable {
        /// The subject keeps the rule.
        case passed
        /// The subject breaks the rule: the observations, one sentence each.
        case failed([String])
        /// The subject has the capability, but the probe could not be made, for this reason: its result is unknown.
        case skipped(String)
        /// There is nothing to probe: the subject does not have the capability, and does not claim it.
        case inapplicable(String)
    }

    /// One probe.
    public struct Probe: Sendable, Hashable {
        /// The name.
        public let name: Name
        /// The result.
        public let verdict: Verdict
    }

    /// The name of the subject.
    public let subject: String
    /// All probes, in the order in which they ran.
    public let probes: [Probe]

    /// True if no probe failed. Some may not have been made: see ``isComplete``.
    public var isPassed: Bool { failed.isEmpty }

    /// True if every capability of the subject was probed, and nothing failed: the goal of authors.
    public var isComplete: Bool { failed.isEmpty && skipped.isEmpty }

    /// The probes that failed.
    public var failed: [Name] {
        probes.filter { if case .failed = $0.verdict { true } else { false } }.map(\.name)
    }

    /// The probes that could not be made, although the subject has their capability.
    public var skipped: [Name] {
        probes.filter { if case .skipped = $0.verdict { true } else { false } }.map(\.name)
    }

    /// The probes of capabilities that the subject does not have.
    public var inapplicable: [Name] {
        probes.filter { if case .inapplicable = $0.verdict { true } else { false } }.map(\.name)
    }

    /// A table for people.
    public var description: String {
        let unmade = skipped.isEmpty ? "" : "; not probed: \(skipped.count)"
        var lines = ["Conformance of \(subject): \(isPassed ? "passed" : "failed")\(unmade)"]
        for probe in probes {
            switch probe.verdict {
            case .passed: lines.append("  passed   \(probe.name.rawValue)")
            case .skipped(let reason): lines.append("  not probed  \(probe.name.rawValue): \(reason)")
            case .inapplicable(let reason): lines.append("  nothing to probe  \(probe.name.rawValue): \(reason)")
            case .failed(let findings):
                lines.append("  FAILED   \(probe.name.rawValue)")
                lines += findings.prefix(5).map { "             \($0)" }
                if findings.count > 5 { lines.append("             and \(findings.count - 5) more") }
            }
        }
        return lines.joined(separator: "\n")
    }
}
