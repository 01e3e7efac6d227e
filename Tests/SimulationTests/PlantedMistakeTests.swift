import Foundation
import PaymentCore
import PaymentTesting
import Testing

/// Proof that the simulator finds what it is there to find: each mistake is planted from outside and must be caught.
@Suite("Planted mistakes")
struct PlantedMistakeTests {
    struct Mistake: Sendable, CustomTestStringConvertible {
        let name: String
        let variation: Variation
        /// A word that the breach must have.
        let symptom: String
        var testDescription: String { name }
    }

    private static let mistakes = [
        Mistake(name: "A step is sent before it is journaled", variation: unjournaled, symptom: "times"),
        Mistake(name: "The key is made anew for a retry", variation: freshKeys, symptom: "times"),
        Mistake(name: "Status 500 is taken for not processed", variation: trusting500, symptom: "abandoned"),
        Mistake(name: "Recovery sends again instead of asking", variation: resending, symptom: "times"),
    ]

    private static var keyedOnly: Variation {
        var variation = Variation()
        variation.services = [.keyed]
        variation.checksDurability = false
        return variation
    }

    private static var unjournaled: Variation {
        var variation = keyedOnly
        variation.journal = { ForgetfulJournal(base: $0) }
        return variation
    }

    private static var freshKeys: Variation {
        var variation = keyedOnly
        variation.provider = KeyedProvider { _, context in context.random.uuid() }
        return variation
    }

    private static var trusting500: Variation {
        var variation = keyedOnly
        variation.transport = { Trusting500(base: $0) }
        return variation
    }

    /// The service recognises nothing, and the network itself repeats nothing: every second capture is the client's doing.
    private static var withoutKeys: Variation {
        var variation = keyedOnly
        variation.serviceRecognizesKeys = false
        variation.faults = { faults in
            faults.duplicated = 0
            faults.silentReplay = 0
        }
        variation.provider = KeyedProvider(replay: .never)
        return variation
    }

    private static var resending: Variation {
        var variation = withoutKeys
        variation.provider = KeyedProvider(replay: .sameKey)
        return variation
    }

    @Test("Is found within 10,000 histories", arguments: mistakes)
    func found(mistake: Mistake) {
        let seed = (0..<10_000 as Range<UInt64>).first { seed in
            History(seed: seed, variation: mistake.variation).run().breaches.contains { $0.contains(mistake.symptom) }
        }
        #expect(seed != nil, "nobody noticed")
    }

    @Test("The same histories without the mistake are sound", arguments: [keyedOnly, withoutKeys])
    func control(variation: Variation) {
        for seed in 0..<150 as Range<UInt64> {
            let verdict = History(seed: seed, variation: variation).run()
            #expect(verdict.breaches.isEmpty, "SEED=\(seed)")
        }
    }

    @Test("A record that is missing when the request leaves is noticed at once")
    func uncovered() {
        var variation = Variation()
        variation.journal = { ForgetfulJournal(base: $0) }
        let verdicts = (0..<20 as Range<UInt64>).map { History(seed: $0, variation: variation).run() }
        #expect(verdicts.contains { $0.breaches.contains { $0.contains("left before its step was durable") } })
    }
}

/// A journal that says a mutation's start is stored and does not store it.
private struct ForgetfulJournal: PaymentJournal {
    let base: any PaymentJournal

    func append(_ entry: JournalEntry, to attempt: AttemptID, under lease: PaymentLease) async throws {
        if case .stepStarted(_, .mutation) = entry.event { return }
        try await base.append(entry, to: attempt, under: lease)
    }

    func acquire(_ lease: PaymentLease, at now: Date) async throws -> Bool { try await base.acquire(lease, at: now) }
    func renew(_ lease: PaymentLease, at now: Date) async throws { try await base.renew(lease, at: now) }
    func release(_ lease: PaymentLease) async throws { try await base.release(lease) }
    func open(_ attempt: PaymentAttempt, under lease: PaymentLease) async throws {
        try await base.open(attempt, under: lease)
    }
    func history(of attempt: AttemptID) async throws -> AttemptHistory? { try await base.history(of: attempt) }
    func histories(of payment: PaymentReference) async throws -> [AttemptHistory] {
        try await base.histories(of: payment)
    }
    func unfinished() async throws -> [AttemptHistory] { try await base.unfinished() }
}

/// A network that takes a fault of the service for proof that nothing happened.
private struct Trusting500: HTTPTransport {
    let base: any HTTPTransport

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        let response = try await base.send(request)
        guard response.status == 500 else { return response }
        throw TransportError(.notSent, .tls("a fault of the service"), origin: request.url.origin)
    }
}
