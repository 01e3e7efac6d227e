import Foundation
import PaymentCore
import PaymentRouting
import TestSupport
import Testing

@Suite("What no journal keeps")
struct PayerAnswerTests {
    private static let paid = ServiceReport.succeeded(PaymentReceipt(reference: ScriptedProvider.reference))

    /// Asks for a card in one step, and needs it in another.
    private static func card(_ asked: Tally, failing: String? = nil) -> ScriptedProvider.Pay {
        { _, context in
            let ask = { @Sendable in
                try await context.ask("card") { () -> Redacted<String> in
                    asked.count("card")
                    if asked["card"] == 1, failing == "question" { throw CancellationError() }
                    return Redacted("4242 number \(asked["card"])")
                }
            }
            _ = try await context.step("prepare", .interaction) { () -> Bool in
                _ = try await ask()
                return true
            }
            if failing == "between", asked["between"] == 0 {
                asked.count("between")
                throw PaymentError(.network, "lost", provider: "acme", phase: .maybeSent)
            }
            return try await context.step("pay", .mutation(replay: .never)) {
                let card = try await ask().reveal()
                #expect(card == "4242 number \(asked["card"])")
                return Self.paid
            }
        }
    }

    @Test("An answer is asked for once in a run, given to every step of it, and stored nowhere")
    func once() async throws {
        let asked = Tally()
        var world = World()
        world.provider.payBody = Self.card(asked)
        #expect(try await world.pay() == Self.paid)
        #expect(asked["card"] == 1)
        #expect(try await !"\(world.histories)".contains("4242"))
    }

    @Test("The next run has no answer and asks again; so does one whose question failed")
    func again() async throws {
        let asked = Tally()
        var world = World()
        world.provider.statusBody = { _, _ in .pending(retryAfter: nil) }
        world.provider.payBody = Self.card(asked, failing: "between")
        _ = try await world.pay()
        #expect(asked["card"] == 1)
        #expect(try await world.pay() == Self.paid)
        #expect(asked["card"] == 2)
        #expect(try await !"\(world.histories)".contains("4242"))

        var other = World()
        let retried = Tally()
        let ask = Self.card(retried, failing: "question")
        other.provider.payBody = { attempt, context in
            await #expect(throws: CancellationError.self) {
                try await context.ask("card") { throw CancellationError() } as Int
            }
            #expect(context.answer(to: "card", as: Int.self) == nil)
            _ = try? await ask(attempt, context)
            return Self.paid
        }
        #expect(try await other.pay() == Self.paid)
        #expect(retried["card"] == 1)
    }

    @Test("A context prints nothing of the answers")
    func silent() async throws {
        var world = World()
        world.provider.payBody = { _, context in
            _ = try await context.ask("card") { "4242" }
            var text = "\(context)"
            dump(context, to: &text)
            #expect(!text.contains("4242"))
            return Self.paid
        }
        #expect(try await world.pay() == Self.paid)
    }

    @Test("A step that ends without a result is not kept, and runs again in the next run")
    func unfinished() async throws {
        let ran = Tally()
        var world = World()
        world.provider.payBody = { _, context in
            let visit = try await context.stepIfFinished("page", .interaction) { () -> String? in
                ran.count("page")
                return ran["page"] == 1 ? nil : "back"
            }
            guard let visit else { return .pending(retryAfter: nil) }
            #expect(visit == "back")
            return Self.paid
        }
        #expect(try await world.pay() == .pending(retryAfter: nil))
        let first = try #require(try await world.histories.first)
        #expect(!first.entries.contains { if case .stepFinished = $0.event { true } else { false } })
        #expect(try await world.pay() == Self.paid)
        #expect(ran["page"] == 2)
    }

    @Test("A mutation that says it did nothing is closed, unless a request of it was lost", arguments: [false, true])
    func mutation(isLost: Bool) async throws {
        var world = World()
        world.provider.statusBody = { _, _ in .pending(retryAfter: nil) }
        world.transport = RecordingTransport { request throws(TransportError) in
            throw TransportError(isLost ? .maybeSent : .notSent, .timedOut, origin: request.url.origin)
        }
        world.provider.payBody = { _, context in
            let done = try await context.stepIfFinished("pay", .mutation(replay: .never)) { () -> Bool? in
                _ = try? await context.http.send(.capture())
                return nil
            }
            #expect(done == nil)
            return .cancelled
        }
        let outcome = try await world.pay()
        let history = try #require(try await world.histories.first)
        #expect(history.mayHaveMovedMoney == isLost)
        if isLost {
            #expect(outcome.unknownOutcome != nil, "a lost request is open")
        } else {
            #expect(outcome == .cancelled)
        }
    }
}
