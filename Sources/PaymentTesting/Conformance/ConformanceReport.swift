/// What ``ProviderConformance`` or ``JournalConformance`` found.
public struct ConformanceReport<Name: RawRepresentable & Hashable & Sendable>: Sendable, Hashable,
    CustomStringConvertible
where Name.RawValue == String {
    /// How one probe ended.
    @nonexhaustive
    public enum Verdict: Sendable, Hashable {
        /// The subject does it right.
        case passed
        /// It does not: what was seen, one sentence each.
        case failed([String])
        /// The subject has what is probed, but the probe could not be made, and why: nothing is known of it.
        case skipped(String)
        /// There is nothing to probe: the subject cannot do it, and does not claim to.
        case inapplicable(String)
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

    /// Whether no probe failed. Some may not have been made: see ``isComplete``.
    public var isPassed: Bool { failed.isEmpty }

    /// Whether everything that the subject can do was probed, and nothing failed: what authors want.
    public var isComplete: Bool { failed.isEmpty && skipped.isEmpty }

    /// The probes that failed.
    public var failed: [Name] {
        probes.filter { if case .failed = $0.verdict { true } else { false } }.map(\.name)
    }

    /// The probes that could not be made, although the subject has what they are about.
    public var skipped: [Name] {
        probes.filter { if case .skipped = $0.verdict { true } else { false } }.map(\.name)
    }

    /// The probes that are about something that the subject cannot do.
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
