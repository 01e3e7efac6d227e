import PaymentCore
import PaymentRouting
import TestSupport
import Testing

/// Return URLs that name no payment concern every open one.
@Suite("Return URLs without a payment's name")
struct ReturnTests {
    /// A world with open payments `p1` to `p3`, the last of which is the latest.
    private static func world(
        _ complete: @escaping @Sendable (String) throws -> ServiceReport
    ) async throws -> World {
        var world = World()
        world.provider.match = { link in
            link.scheme == "shop" ? LinkMatch(nil, role: .callback) : ScriptedProvider.match(link)
        }
        world.provider.completeBody = { attempt, _ in try complete(attempt.reference.id) }
        for id in ["p1", "p2", "p3"] {
            let attempt = PaymentAttempt(
                id: AttemptID(rawValue: "att_\(id)"), reference: PaymentReference(provider: "acme", id: id),
                option: .euros("card"), idempotencyKey: id, startedAt: world.clock.now, expiresAt: nil)
            try await world.leave(AttemptHistory(attempt: attempt))
        }
        return world
    }

    private static let down = PaymentError(.network, "down", provider: "acme")

    private static func paid(_ id: String) -> ServiceReport {
        .succeeded(PaymentReceipt(reference: PaymentReference(provider: "acme", id: id)))
    }

    @Test("A listener that fails keeps no other from its events", arguments: ["p1", "p2", "p3"])
    func othersAreTried(paid: String) async throws {
        let world = try await Self.world { id in
            guard id == paid else { throw Self.down }
            return Self.paid(id)
        }
        #expect(try await world.router.handle("shop://paid") == Self.paid(paid))
    }

    @Test("Where none ended, the latest that could be asked is returned")
    func latest() async throws {
        let world = try await Self.world { id in
            if id == "p3" { throw Self.down }
            return .pending(retryAfter: .seconds(id == "p2" ? 2 : 1))
        }
        #expect(try await world.router.handle("shop://paid") == .pending(retryAfter: .seconds(2)))
        #expect(world.provider.calls["complete"] == 3)
    }

    @Test("It fails only when all of them do, with the failure that leaves most open")
    func allFail() async throws {
        let world = try await Self.world { id in
            throw PaymentError(.network, id, provider: "acme", phase: id == "p2" ? .maybeSent : .beforeSend)
        }
        await #expect { try await world.router.handle("shop://paid") } throws: {
            ($0 as? PaymentError)?.message == "p2"
        }
        #expect(world.provider.calls["complete"] == 3)
        #expect(try await world.journal.unfinished().count == 3)
    }

    @Test("It is reported as another payment's return only when it is no provider's", arguments: [true, false])
    func foreign(fails: Bool) async throws {
        let world = try await Self.world { id in
            if id == "p1", fails { throw Self.down }
            throw PaymentError(.foreignReturn, "another's", provider: "acme", phase: .maybeSent)
        }
        await #expect { try await world.router.handle("shop://paid") } throws: {
            ($0 as? PaymentError)?.code == (fails ? .network : .foreignReturn)
        }
    }

    @Test("Refunded money returns through no page")
    func refunds() async throws {
        let world = try await Self.world { Self.paid($0) }
        let request = RefundRequest(of: PaymentReference(provider: "acme", id: "p1"), amount: .cents(1), id: "7")
        let attempt = PaymentAttempt(
            id: AttemptID(rawValue: "att_r"), reference: request.reference, option: .euros("refund"),
            idempotencyKey: "r", startedAt: world.clock.now, expiresAt: nil)
        try await world.leave(AttemptHistory(attempt: attempt))
        #expect(try await world.router.handle("shop://paid") == Self.paid("p3"))
    }
}
