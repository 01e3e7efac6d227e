import PaymentCore
import PaymentRouting
import PaymentTesting
import TestSupport
import Testing

/// Steps that have other names in another version of a provider.
@Suite("Names of steps")
struct StepNameTests {
    private static let paid = ServiceReport.succeeded(PaymentReceipt(reference: ScriptedProvider.reference))

    private static func provider(
        _ names: [String], _ ran: Tally, _ replay: MutationReplay = .never
    ) -> ScriptedProvider {
        var provider = ScriptedProvider()
        provider.descriptor = .acme(replayWindow: replay == .sameKey ? .seconds(600) : .zero)
        provider.statusBody = { _, _ in .pending(retryAfter: nil) }
        provider.payBody = { attempt, context in
            for name in names {
                _ = try await context.step(name, .mutation(replay: replay)) {
                    ran.count(name)
                    return true
                }
            }
            return Self.paid
        }
        return provider
    }

    private static func resumed(_ events: [JournalEntry.Event], _ names: [String]) async throws -> (
        outcome: PaymentOutcome, ran: Tally, history: AttemptHistory
    ) {
        let ran = Tally()
        var world = World()
        world.provider = provider(names, ran)
        let attempt = try await world.crashed(events)
        let outcome = try await world.router.resume(attempt, as: Payer())
        return (outcome, ran, try await world.histories[0])
    }

    private static let begun = JournalEntry.Event.stepStarted(name: "confirm", kind: .mutation(replay: .never))

    @Test(
        "A mutation of a new name does not start beside one that is not met again",
        arguments: [
            [begun], [.stepStarted(name: "confirm", kind: .walletTransfer)],
            [begun, .stepFinished(name: "confirm", result: true)],
            [begun, .stepFinished(name: "confirm", result: true), .outcome(.pending(retryAfter: .seconds(5)))],
            [begun, .stepFailed(name: "confirm", reason: "refused"), begun],
        ])
    func renamed(events: [JournalEntry.Event]) async throws {
        let (outcome, ran, history) = try await Self.resumed(events, ["confirm payment"])
        #expect(ran["confirm payment"] == 0)
        guard case .unknown(let unknown) = outcome else { throw CancellationError() }
        #expect(unknown.message.contains("'confirm'") && unknown.message.contains("'confirm payment'"))
        #expect(!history.isFinished && history.mayHaveMovedMoney)
    }

    @Test("A step that was met again, or surely did nothing, is in no other's way")
    func met() async throws {
        let finished: [JournalEntry.Event] = [Self.begun, .stepFinished(name: "confirm", result: true)]
        let (outcome, ran, _) = try await Self.resumed(finished, ["confirm", "capture"])
        #expect(outcome == Self.paid)
        #expect(ran["confirm"] == 0 && ran["capture"] == 1)
        let failed: [JournalEntry.Event] = [
            .stepStarted(name: "look", kind: .query), Self.begun,
            .stepFailed(name: "confirm", reason: "refused"), .outcome(.pending(retryAfter: .seconds(5))),
        ]
        let (other, again, _) = try await Self.resumed(failed, ["confirm payment"])
        #expect(other == Self.paid)
        #expect(again["confirm payment"] == 1)
    }

    @Test("All of several have to be met again")
    func several() async throws {
        let two =
            [Self.begun, .stepFinished(name: "confirm", result: true)]
            + [
                .stepStarted(name: "capture", kind: .mutation(replay: .never)),
                .stepFinished(name: "capture", result: 1),
            ]
        let (outcome, ran, _) = try await Self.resumed(two, ["confirm", "settle"])
        guard case .unknown = outcome else { throw CancellationError() }
        #expect(ran["settle"] == 0)
    }

    @Test("The first of them by name is stated, and what has begun itself is replayed without the others")
    func order() async throws {
        let two = ["confirm", "capture"].flatMap { name -> [JournalEntry.Event] in
            [
                .stepStarted(name: name, kind: .mutation(replay: .never)),
                .stepFinished(name: name, result: true),
            ]
        }
        let (outcome, _, _) = try await Self.resumed(two, ["settle"])
        guard case .unknown(let unknown) = outcome else { throw CancellationError() }
        #expect(unknown.message.contains("'capture'"))
        // The other one may be repeated although it has not been met yet.
        let ran = Tally()
        var world = World()
        world.provider = Self.provider(["capture", "confirm"], ran, .sameKey)
        let attempt = try await world.crashed(
            ["confirm", "capture"].map { .stepStarted(name: $0, kind: .mutation(replay: .sameKey)) })
        #expect(try await world.router.resume(attempt, as: Payer()) == Self.paid)
        #expect(ran["capture"] == 1 && ran["confirm"] == 1)
    }
}
