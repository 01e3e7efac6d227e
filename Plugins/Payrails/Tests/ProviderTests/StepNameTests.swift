import PaymentCore
import PaymentRouting
import PaymentTesting
import PayrailsSandbox
import TestSupport
import Testing

@testable import PayrailsProvider

/// The names of steps are stored: an attempt that an older version began resumes under them.
@Suite("Names of steps")
struct StepNameTests {
    @Test("Are what they were released as, with their kinds")
    func names() async throws {
        let (world, made) = await PayrailsWorld.made(.paid)
        let journal = InMemoryJournal()
        _ = try await world.router(journal).pay(made.link, as: world.payer("payPal"))
        let reference = PaymentReference(provider: PayrailsProvider.id, id: made.id)
        let history = try #require(await journal.histories(of: reference).first)
        var steps: [String] = []
        for entry in history.entries {
            if case .stepStarted(let name, let kind) = entry.event { steps.append("\(name) \(kind)") }
        }
        #expect(
            steps == [
                "look query", "prepare interaction", "authorize mutation(replay: PaymentCore.MutationReplay.never)",
                "page interaction", "confirm mutation(replay: PaymentCore.MutationReplay.sameKey)",
            ])
    }

    @Test("What they store can be read as it was written")
    func results() throws {
        let before = try JSONValue(parsing: #"{"status":"ready","mark":{"requests":1,"failures":1}}"#)
            .decode(PaymentFlow.Before.self)
        #expect(before.status == .ready && before.mark.requests == 1 && before.confirmKey == nil)
        let older = try JSONValue(
            parsing: #"{"status":"inFlight","mark":{"requests":0,"failures":0},"confirmKey":"K"}"#
        ).decode(PaymentFlow.Before.self)
        #expect(older.status == .inFlight && older.confirmKey == "K")
    }
}
