import Synchronization

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
