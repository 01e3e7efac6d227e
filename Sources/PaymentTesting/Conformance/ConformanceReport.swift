import Synchronization

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

// MARK: - Trials of storages

/// A kind of store that is probed.
public struct StorageSubject<Store: Sendable>: Sendable {
    /// One empty store, and the functions of its storage.
    public struct Storage: Sendable {
        /// The store.
        public let store: Store
        /// Opens the same storage again, as another process would; nil if that is impossible.
        public let reopen: (@Sendable () async throws -> Store)?
        /// Cuts the power and opens the remains; nil if there is no such storage, or no way to cut its power. Nothing
        /// opened before is used afterwards.
        public let losePower: (@Sendable () async throws -> Store)?

        /// Creates a storage.
        public init(
            _ store: Store, reopen: (@Sendable () async throws -> Store)? = nil,
            losePower: (@Sendable () async throws -> Store)? = nil
        ) {
            self.store = store
            self.reopen = reopen
            self.losePower = losePower
        }
    }

    /// The name for reports.
    public let name: String
    let make: @Sendable () async throws -> Storage

    /// Creates a subject.
    ///
    /// - Parameters:
    ///   - name: The name in reports.
    ///   - make: Makes an empty store in its own storage, at every call.
    public init(_ name: String, make: @escaping @Sendable () async throws -> Storage) {
        self.name = name
        self.make = make
    }
}

/// One probe of one storage: it calls the storage and collects the defects.
package protocol StorageTrial: Sendable {
    var findings: Findings { get }
}

/// The findings of a probe, in their order.
package final class Findings: Sendable {
    private let list = Mutex<[String]>([])

    package init() {}

    package var all: [String] { list.withLock { $0 } }
    package var isEmpty: Bool { all.isEmpty }

    package func add(_ wrong: String) { list.withLock { $0.append(wrong) } }
}

/// The subject does not have the probed capability, and does not claim it.
package struct InapplicableError: Error {
    let reason: String

    package init(reason: String) { self.reason = reason }
}

extension StorageTrial {
    package func expect(_ isRight: Bool, _ wrong: @autoclosure () -> String) {
        if !isRight { findings.add(wrong()) }
    }

    /// Expects work to be refused with exactly this error.
    package func expects<Refusal: Error & Equatable>(
        _ refusal: Refusal, _ what: String, _ work: () async throws -> Void
    ) async {
        do {
            try await work()
            expect(false, "\(what) is accepted")
        } catch let other as Refusal where other == refusal {
        } catch { expect(false, "\(what) is refused with '\(error)', and not with '\(refusal)'") }
    }
}

extension ConformanceReport where Name: CaseIterable {
    /// Runs every probe, each with its own trial.
    package static func probing<Trial: StorageTrial>(
        _ subject: String, _ make: () async throws -> Trial, _ run: (Name, Trial) async throws -> Void
    ) async -> Self {
        var probes: [Probe] = []
        for name in Name.allCases {
            let verdict: Verdict
            do {
                let trial = try await make()
                try await run(name, trial)
                verdict = trial.findings.isEmpty ? .passed : .failed(trial.findings.all)
            } catch let skip as SkipError {
                verdict = .skipped(skip.reason)
            } catch let lack as InapplicableError {
                verdict = .inapplicable(lack.reason)
            } catch {
                verdict = .failed(["the probe was interrupted: \(error)"])
            }
            probes.append(Probe(name: name, verdict: verdict))
        }
        return Self(subject: subject, probes: probes)
    }
}
