import PaymentCore
import PaymentRouting
import PaymentTesting
import PayrailsSandbox
import TestSupport
import Testing

/// The result of an action by its statuses, their times, and the payment's record (Protocol 3.5).
@Suite struct ActionResultTests {
    private static func euros(_ value: String) -> JSONValue { ["value": .string(value), "currency": "EUR"] }

    /// A captured payment, with the statuses of refunds in another form.
    private func captured(
        _ world: MerchantWorld, refunds change: @escaping @Sendable (JSONValue) -> JSONValue = { $0 },
        _ more: @escaping RecordingTransport.Edit = { _, _ in }
    ) async throws -> PaymentReference {
        let payment = try await world.captured()
        world.wire.edit { path, body in
            if let list = body["status"]?.array {
                body["status"] = .array(
                    list.map { $0["code"]?.string?.hasPrefix("refund") == true ? change($0) : $0 })
            }
            more(path, &body)
        }
        return payment
    }

    @Test(
        "Of a status and a record that contradict each other, neither is the result",
        arguments: [
            ("refundFailed", "38.00"), ("refundSuccessful", "5.00"), ("refundSuccessful", "4.00"),
            ("refundFailed", "4.00"),
        ])
    func contradiction(status: String, refunded: String) async throws {
        let world = try MerchantWorld()
        let faults = world.faults
        let payment = try await captured(
            world,
            refunds: { entry in
                guard entry["code"] == "refundSuccessful" else { return entry }
                return ["code": .string(status), "time": entry["time"] ?? .null]
            },
            { path, body in
                guard path.hasSuffix("/payments") else { return }
                let isRequested = faults.requests.contains { $0.method == "POST" && $0.path.hasSuffix("/refund") }
                body = [
                    "results": [
                        ["amount": Self.euros("99.00"), "refundedAmount": Self.euros(isRequested ? refunded : "5.00")]
                    ]
                ]
            })
        let outcome = try await world.router.refund(try world.refund(payment))
        #expect(!outcome.isFinal, "\(outcome)")
    }

    /// The clocks of the service's parts differ by some seconds.
    @Test(
        "A status counts from five seconds before the time in the answer on, or if it states no time",
        arguments: [
            ("2027-01-15T09:00:05Z", true), ("2027-01-15T09:00:04.999Z", false), ("0001-01-01T00:00:00Z", true),
        ])
    func times(time: String, counts: Bool) async throws {
        let world = try MerchantWorld()
        let payment = try await captured(
            world, refunds: { ["code": $0["code"] ?? .null, "time": .string(time)] },
            { path, body in if path.hasSuffix("/refund") { body["executedAt"] = "2027-01-15T09:00:10Z" } })
        let outcome = try await world.router.refund(try world.refund(payment))
        #expect(counts ? receipt(outcome) != nil : outcome == .pending(retryAfter: .seconds(60)), "\(outcome)")
    }

    @Test(
        "A refund that is requested again, and whose answer states no time, counts from then on",
        arguments: [nil, "0001-01-01T00:00:00Z"] as [String?])
    func repeatedWithoutTime(time: String?) async throws {
        let world = try MerchantWorld()
        let payment = try await captured(
            world, { path, body in if path.hasSuffix("/refund") { body["executedAt"] = time.map { .string($0) } } })
        world.faults.inject(.dropBefore) { $1.hasSuffix("/refund") }
        let request = try world.refund(payment)
        #expect(isUnknown(try await world.router.refund(request)))
        await world.sandbox.refund(try #require(await world.sandbox.renewSession(payment.id)), units: 1000)
        world.clock.advance(by: .seconds(60))
        #expect(receipt(try await world.router.refund(request))?.amount == request.amount)
        #expect(await world.refunds(payment.id) == ["10.00 EUR", "33.00 EUR"])
    }

    @Test("An answer that names no execution is about that of the request")
    func unnamedExecution() async throws {
        let world = try MerchantWorld()
        let payment = try await captured(world, { path, body in if path.hasSuffix("/refund") { body["links"] = nil } })
        #expect(receipt(try await world.router.refund(try world.refund(payment))) != nil)
    }

    @Test(
        "A result that a record proves is queried once; without a record it has to show twice",
        arguments: [true, false])
    func queries(hasRecord: Bool) async throws {
        let world = try MerchantWorld { $0.statesRecords = hasRecord }
        let payment = try await world.captured()
        await world.sandbox.showActions(after: .zero, lasting: .zero)
        #expect(receipt(try await world.router.refund(try world.refund(payment))) != nil)
        #expect(world.queries(around: "refund").last == (hasRecord ? 1 : 2))
    }

    @Test("A cancelled payment is queried once before the request and once after it", arguments: [true, false])
    func cancelled(showsRequest: Bool) async throws {
        let (world, payment) = try await MerchantWorld.paid()
        await world.sandbox.showActions(after: .zero, lasting: .zero)
        if !showsRequest { world.wire.hide("cancelRequested") }
        #expect(try await world.router.cancel(payment) == .cancelled)
        #expect(world.queries(around: "cancel") == [1, 1])
    }

    @Test("An access token that ends before the request, and is not renewed, leaves nothing open")
    func lostAccess() async throws {
        let world = try MerchantWorld { $0.accessTokenLifetime = 60 }
        let payment = try await world.captured()
        world.wire.before { request in
            guard request.url.path.hasSuffix("/payments") else { return }
            world.wire.before(nil)
            world.clock.advance(by: .seconds(61))
            world.faults.inject(.dropBefore, times: 9) { $1.hasPrefix("/auth/") }
        }
        let error = await failure { _ = try await world.router.refund(try world.refund(payment)) }
        #expect(error?.code == .network && error?.phase != .maybeSent)
        #expect(await world.journal.unfinished().allSatisfy { !$0.mayHaveMovedMoney })
        #expect(world.posts("refund") == 0)
    }
}
