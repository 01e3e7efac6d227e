import PaymentCore
import TestSupport
import Testing

@testable import WalletConnectPayKit
@testable import WalletConnectPayProvider

/// The conditions and delays of repeated requests (Protocol 3.4 and 7).
@Suite struct ClientRetryTests {
    typealias Answer = ScriptedService.Answer

    static let half = UInt64(1) << 63

    @Test("The back-off is the vendor's")
    func theVendorsBackOff() async throws {
        for (random, expected) in [
            (UInt64(0), [1000, 2000, 2000, 2000, 2000]), (Self.half, [1250, 2500, 2500, 2500, 2500]),
            (.max, [1499, 2999, 2999, 2999, 2999]),
        ] as [(UInt64, [Int64])] {
            let world = try ClientWorld(["status": [.json(503, "")]], random: random)
            await #expect(throws: GetPaymentStatusError.self) {
                try await world.client.getPaymentStatus(paymentId: "p")
            }
            #expect(world.service.seen.count == 6)
            #expect(world.clock.sleeps == expected)
        }
    }

    static let answers: [(Answer, Bool)] = [
        (.json(429, Script.error("rate_limited")), true), (.json(500, Script.error("internal_error")), true),
        (.json(500, ""), true), (.json(502, "<html>"), true), (.json(503, ""), true), (.json(599, ""), true),
        (.json(400, ""), false), (.json(401, ""), false), (.json(404, ""), false), (.json(409, ""), false),
        (.json(422, ""), false), (.json(451, ""), false), (.json(302, ""), false), (.ok("garbage"), false),
        (.ok("{}"), false), (.failure(.notSent, .hostNotFound), true), (.failure(.notSent, .connectFailed("x")), true),
        (.failure(.maybeSent, .timedOut), true), (.failure(.maybeSent, .connectionLost("x")), true),
        (.failure(.notSent, .tls("x")), false), (.failure(.maybeSent, .malformedResponse("x")), false),
        (.failure(.maybeSent, .responseTooLarge(limit: 1)), false), (.failure(.notSent, .cancelled), false),
        (.failure(.notSent, .invalidRequest("x")), false),
    ]

    @Test("Only failures that may pass are asked again", arguments: answers)
    func whatIsAskedAgain(_ answer: Answer, _ isRepeated: Bool) async throws {
        for verb in ["options", "fetch", "status"] {
            let good = [
                "options": Script.options([Script.option("o", [])]), "fetch": Script.actions([Script.call("1")]),
                "status": Script.status("processing", isFinal: false),
            ]
            let world = try ClientWorld(
                ["options": [.ok(good["options"] ?? "")]].merging([verb: [answer, .ok(good[verb] ?? "")]]) { $1 })
            // Actions are asked for after the options.
            if verb == "fetch" { _ = try await world.options() }
            func seen() -> [ScriptedService.Seen] { world.service.seen.filter { $0.verb == verb } }
            let call: @Sendable () async throws -> Void = {
                switch verb {
                case "options": _ = try await world.options()
                case "fetch": _ = try await world.client.getRequiredPaymentActions(paymentId: "pay_1", optionId: "o")
                default: _ = try await world.client.getPaymentStatus(paymentId: "p")
                }
            }
            if isRepeated {
                try await call()
                #expect(seen().count == 2)
                #expect(seen()[0].body == seen()[1].body)
            } else {
                // An answer of `{}` is good enough for the options.
                if case .json(200, "{}", _) = answer, verb == "options" { continue }
                await #expect(throws: (any Error).self) { try await call() }
                #expect(seen().count == 1)
            }
        }
    }

    static let wishes: [(String?, Int64)] = [
        ("1", 1000), ("2", 2000), ("3600", 2000), ("99999999999999999999999", 2000), ("0", 1000), ("-1", 1000),
        ("not-a-number", 1000), ("1.5", 1000), ("", 1000), ("Sun, 06 Nov 1994 08:49:37 GMT", 1000), (nil, 1000),
    ]

    @Test("Retry-After is heeded", arguments: wishes)
    func heedsRetryAfter(_ wish: String?, _ expected: Int64) async throws {
        let good = Answer.ok(Script.status("processing", isFinal: false))
        let limited = try ClientWorld(["status": [.json(429, "", retryAfter: wish), good]])
        _ = try await limited.client.getPaymentStatus(paymentId: "p")
        #expect(limited.clock.sleeps == [expected])
        // Outages end, too.
        let unavailable = try ClientWorld(["status": [.json(503, "", retryAfter: wish), good]])
        _ = try await unavailable.client.getPaymentStatus(paymentId: "p")
        #expect(unavailable.clock.sleeps == [expected])
    }

    // MARK: Mutations

    static let waiting = Answer.ok(Script.status("requires_action", isFinal: false))
    static let paid = Answer.ok(Script.status("succeeded", isFinal: true))
    static let working = Answer.ok(Script.status("processing", isFinal: false, pollInMs: "2000"))

    struct Recovery: Sendable {
        let name: String
        let confirm: [Answer]
        let status: [Answer]
        /// The requests in order, and the sleeps between them.
        let verbs: [String]
        let sleeps: [Int64]
        let result: PaymentStatus?
    }

    static let recoveries = [
        Recovery(
            name: "a lost answer is settled by the status", confirm: [.failure(.maybeSent, .connectionLost("x"))],
            status: [paid], verbs: ["confirm", "status"], sleeps: [], result: .succeeded),
        Recovery(
            name: "a timeout is settled by the status, then polled", confirm: [.failure(.maybeSent, .timedOut)],
            status: [working, paid], verbs: ["confirm", "status", "status"], sleeps: [2000], result: .succeeded),
        Recovery(
            name: "a confirmation that never arrived is sent again",
            confirm: [.failure(.maybeSent, .connectionLost("x")), paid], status: [waiting],
            verbs: ["confirm", "status", "confirm"], sleeps: [1000], result: .succeeded),
        Recovery(
            name: "a fault of the service is in doubt, too", confirm: [.json(500, ""), .json(503, ""), paid],
            status: [waiting], verbs: ["confirm", "status", "confirm", "status", "confirm"], sleeps: [1000, 2000],
            result: .succeeded),
        Recovery(
            name: "what was never sent needs no status", confirm: [.failure(.notSent, .connectFailed("x")), paid],
            status: [], verbs: ["confirm", "confirm"], sleeps: [1000], result: .succeeded),
        Recovery(
            name: "a request that was held off may be one of two copies",
            confirm: [.json(429, "", retryAfter: "2"), paid], status: [waiting],
            verbs: ["confirm", "status", "confirm"], sleeps: [2000], result: .succeeded),
        Recovery(
            name: "so may one that came too early", confirm: [.json(425, ""), paid], status: [waiting],
            verbs: ["confirm", "status", "confirm"], sleeps: [1000], result: .succeeded),
        Recovery(
            name: "a conflict is not sent again", confirm: [.json(409, "")], status: [waiting],
            verbs: ["confirm", "status"], sleeps: [], result: nil),
        Recovery(
            name: "a conflict may be with another copy that was taken", confirm: [.json(409, "")],
            status: [working, paid], verbs: ["confirm", "status", "status"], sleeps: [2000], result: .succeeded),
        Recovery(
            name: "a price that expired is a plain refusal", confirm: [.json(409, Script.error("quote_expired"))],
            status: [], verbs: ["confirm"], sleeps: [], result: nil),
        Recovery(
            name: "an answer that cannot be read", confirm: [.ok("garbage")], status: [working, paid],
            verbs: ["confirm", "status", "status"], sleeps: [2000], result: .succeeded),
        Recovery(
            name: "the first one was in progress when the second was refused",
            confirm: [.failure(.maybeSent, .timedOut), .json(400, Script.error("invalid_state"))],
            status: [waiting, paid], verbs: ["confirm", "status", "confirm", "status"], sleeps: [1000],
            result: .succeeded),
        Recovery(
            name: "a plain refusal", confirm: [.json(422, "")], status: [], verbs: ["confirm"], sleeps: [], result: nil),
        Recovery(
            name: "a payment that expired meanwhile", confirm: [.failure(.maybeSent, .timedOut)],
            status: [.ok(Script.status("expired", isFinal: true))], verbs: ["confirm", "status"], sleeps: [],
            result: .expired),
        Recovery(
            name: "an unknown state is waited for, never confirmed again", confirm: [.failure(.maybeSent, .timedOut)],
            status: [.ok(Script.status("reviewing", isFinal: false)), paid], verbs: ["confirm", "status", "status"],
            sleeps: [1000], result: .succeeded),
        Recovery(
            name: "no status either", confirm: [.failure(.maybeSent, .timedOut)], status: [.json(404, "")],
            verbs: ["confirm", "status"], sleeps: [], result: nil),
        Recovery(
            name: "an outage", confirm: [.json(503, "")], status: [waiting],
            verbs: Array(repeating: ["confirm", "status"], count: 6).flatMap(\.self),
            sleeps: [1000, 2000, 2000, 2000, 2000], result: nil),
    ]

    @Test("A confirmation whose answer is lost is settled by the status", arguments: recoveries)
    func recovers(_ item: Recovery) async throws {
        let world = try ClientWorld(["confirm": item.confirm, "status": item.status])
        do {
            let response = try await world.client.confirmPayment(
                paymentId: "p", optionId: "o", signatures: ["0x1"], maxPollMs: 60_000)
            #expect(response.status == item.result, "\(item.name)")
        } catch {
            #expect(item.result == nil, "\(item.name): \(error)")
            #expect(error is ConfirmPaymentError)
        }
        #expect(world.service.verbs == item.verbs, "\(item.name)")
        #expect(world.clock.sleeps == item.sleeps, "\(item.name)")
        // Byte for byte the same.
        let confirmations = world.service.seen.filter { $0.verb == "confirm" }
        #expect(Set(confirmations.map { $0.url + $0.body }).count == 1)
    }

    /// The payer signs anew after a plain refusal; with an earlier copy in flight that would pay twice.
    @Test("A later refusal says that an earlier copy may have arrived")
    func aLaterRefusalSaysThatAnEarlierCopyMayHaveArrived() async throws {
        let world = try ClientWorld([
            "confirm": [.failure(.maybeSent, .timedOut), .json(422, "")], "status": [Self.waiting],
        ])
        let (name, text) = await told(as: ConfirmPaymentError.self) {
            try await world.client.confirmPayment(paymentId: "p", optionId: "o", signatures: ["0x1"])
        }
        #expect(name == "http" && text.contains("may have arrived") && text.contains("getPaymentStatus"))
        #expect(world.service.verbs == ["confirm", "status", "confirm", "status"])
    }

    @Test("A lost cancellation is settled by the status")
    func aLostCancellationIsSettledByTheStatus() async throws {
        let lost = Answer.failure(.maybeSent, .connectionLost("x"))
        let cancelled = Answer.ok(Script.status("cancelled", isFinal: true))
        let world = try ClientWorld(["cancel": [lost], "status": [cancelled]])
        let response = try await world.client.cancelPayment(paymentId: "p")
        #expect(response == CancelPaymentResponse(paymentId: "p"))
        let second = try ClientWorld([
            "cancel": [lost, .json(400, Script.error("invalid_state"))], "status": [Self.waiting, Self.paid],
        ])
        await #expect(throws: PayError.self) { try await second.client.cancelPayment(paymentId: "p") }
        #expect(second.service.verbs == ["cancel", "status", "cancel", "status"])
    }

    @Test("Cancelling the task ends the waiting")
    func cancellingTheTaskEndsTheWaiting() async throws {
        let world = try ClientWorld(["status": [.json(503, "")]])
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await world.client.getPaymentStatus(paymentId: "p")
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(world.service.seen.count == 1)
    }
}
