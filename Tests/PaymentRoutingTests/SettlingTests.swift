import PaymentCore
import PaymentSettlement
import PaymentTesting
import TestSupport
import Testing

/// One settlement, from the first question to the proof, with settlers whose answers are written down.
@Suite("A settlement")
struct SettlingTests {
    private struct ScriptedSettler: StubSettler {
        var isAble = true
        var isRegistering = true
        /// True to cancel the caller before it requests the payment.
        var isCancelling = false
        /// The answer to the request, and the states that are reported after it; nil for no answer.
        var answer = SettlementState.settled(.preimage(preimage))
        var later: SettlementState?
        let calls = Tally()

        func canSettle(_ kind: SettlementEndpoint.Kind, on network: String?) -> Bool { isAble }
        func register(_ name: String) async throws {
            calls.count("register")
            if !isRegistering { throw PaymentError(.network, "offline", phase: .maybeSent) }
        }
        func order(named name: String) async throws -> SettlementOrder? {
            let isAsked = calls["settle"] > 0
            if isCancelling { withUnsafeCurrentTask { $0?.cancel() } }
            guard let state = isAsked ? later : .registered else { throw PaymentError(.network, "offline") }
            return SettlementOrder(name: name, endpoint: endpoint, amount: nil, state: state)
        }
        func settle(_ settlement: Settlement) async throws -> SettlementState {
            calls.count("settle")
            return answer
        }
        func abandon(_ name: String) async throws -> SettlementState { answer }
    }

    private static let endpoint = SettlementEndpoint(.lightningAddress, text: "ann@pay.example")
    private static let preimage = String(repeating: "07", count: 32)

    private let clock = VirtualClock()

    private func settle(_ settler: ScriptedSettler, _ amount: Money = .cents(1, .satoshi)) async throws
        -> SettlementProof
    {
        let attempt = PaymentAttempt(
            option: PaymentMethodOption(id: "only", title: "only", amount: amount), from: clock.now)
        let context = ProviderContext.unstored(
            hosts: [], http: RecordingTransport(), payer: Payer(settler: settler), clock: clock)
        return try await context.settle(attempt, to: Self.endpoint)
    }

    @Test("The least amount is paid, and nothing is not handed to the settler")
    func amounts() async throws {
        #expect(try await settle(ScriptedSettler()) == .preimage(Self.preimage))
        let settler = ScriptedSettler()
        let error = await #expect(throws: PaymentError.self) { try await settle(settler, .cents(0, .satoshi)) }
        #expect(error?.code == .integrity && settler.calls["register"] == 0 && settler.calls["settle"] == 0)
    }

    @Test("A settler that does not pay such endpoints, or cannot note the name, is not asked to pay")
    func unable() async throws {
        for settler in [ScriptedSettler(isAble: false), ScriptedSettler(isRegistering: false)] {
            let error = await #expect(throws: PaymentError.self) { try await settle(settler) }
            #expect(error?.code == .payer && error?.phase == .beforeSend && settler.calls["settle"] == 0)
            #expect(settler.calls["register"] == (settler.isAble ? 1 : 0))
        }
    }

    @Test("A caller that is cancelled while the settler is asked what it knows requests nothing")
    func cancelled() async throws {
        let settler = ScriptedSettler(isCancelling: true)
        let error = await Task { () async -> PaymentError? in
            do { _ = try await settle(settler) } catch { return error as? PaymentError }
            return nil
        }.value
        #expect(error?.code == .cancelled && error?.phase == .beforeSend && settler.calls["settle"] == 0)
    }

    @Test("A settler that was asked to pay, and then knows the name alone, has lost the payment")
    func lost() async throws {
        let error = await #expect(throws: PaymentError.self) { try await settle(ScriptedSettler(answer: .registered)) }
        #expect(error?.code == .payer && error?.phase == .maybeSent)
        #expect(error?.message.contains("does not know the payment that it was asked for") == true)
    }

    @Test("A payment in flight is asked about after the wait that the settler wishes; without an answer it may be made")
    func inFlight() async throws {
        let waiting = ScriptedSettler(
            answer: .inFlight(retryAfter: .seconds(7)), later: .settled(.preimage(Self.preimage)))
        #expect(try await settle(waiting) == .preimage(Self.preimage) && clock.slept >= .seconds(7))
        let silent = ScriptedSettler(answer: .inFlight(retryAfter: .seconds(7)))
        let error = await #expect(throws: PaymentError.self) { try await settle(silent) }
        #expect(error?.code == .payer && error?.phase == .maybeSent)
    }
}
