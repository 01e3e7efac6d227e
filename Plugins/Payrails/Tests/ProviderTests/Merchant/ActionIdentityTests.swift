import Foundation
import PaymentCore
import PaymentCrypto
import PaymentRouting
import PaymentTesting
import PayrailsMerchant
import PayrailsSandbox
import TestSupport
import Testing

/// The action that a result belongs to, while the portal and other servers act on the same payment (Protocol 3.5).
@Suite struct MerchantActionIdentityTests {
    /// Acts in the portal once, right before the next request of the kind `verb` arrives.
    private func portal(
        _ world: MerchantWorld, before verb: String, _ act: @escaping @Sendable (PayrailsSandbox.Session) async -> Void,
        on payment: PaymentReference
    ) {
        let sandbox = world.sandbox
        world.wire.before { request in
            guard request.method == .post, request.url.path.hasSuffix("/" + verb) else { return }
            world.wire.before(nil)
            if let session = await sandbox.renewSession(payment.id) { await act(session) }
        }
    }

    private func handleAll(_ world: MerchantWorld, _ payment: PaymentReference) async {
        for notification in await world.notifications(payment) {
            _ = try? await world.router.handle(notification, from: PayrailsMerchant.id)
        }
    }

    // MARK: Refunds

    @Test(
        "A refund of the portal is not taken for one that shows late, after an earlier one",
        arguments: [
            // Without a record only what shows within the wait distinguishes the two.
            (true, true, 500), (true, true, 30_000), (true, false, 500), (true, false, 30_000), (false, true, 500),
            (false, false, 500),
        ])
    func portalRefund(hasRecord: Bool, isFailing: Bool, delay: Int) async throws {
        let world = try MerchantWorld { $0.statesRecords = hasRecord }
        let payment = try await world.captured()
        _ = try await world.router.refund(try world.refund(payment, 500))
        let sandbox = world.sandbox
        portal(world, before: "refund", { await sandbox.refund($0, units: 100, isFailing: isFailing) }, on: payment)
        await sandbox.showActions(after: .milliseconds(delay))
        let request = try world.refund(payment, 3300, "LimitExceeded")
        let outcome = try await world.router.refund(request)
        // A failure of the portal's could be this one's until this one shows.
        if isFailing && delay == 30_000 {
            #expect(receipt(outcome) == nil)
        } else {
            #expect(!outcome.isFinal, "\(outcome)")
        }
        world.clock.advance(by: .seconds(60))
        await handleAll(world, payment)
        #expect(receipt(try await world.router.status(of: payment)) != nil)
        #expect(await world.refunds(payment.id) == ["5.00 EUR"] + (isFailing ? [] : ["1.00 EUR"]))
    }

    @Test("A refund of the portal, made after a request that was lost, is not taken for this one's")
    func portalAfterLostRequest() async throws {
        let (world, payment) = try await MerchantWorld.captured()
        world.faults.inject(.dropBefore) { $1.hasSuffix("/refund") }
        let request = try world.refund(payment, 3300)
        #expect(isUnknown(try await world.router.refund(request)))
        let session = try #require(await world.sandbox.renewSession(payment.id))
        await world.sandbox.refund(session, units: 3300)
        world.clock.advance(by: .seconds(60))
        await world.sandbox.showActions(after: .seconds(30))
        #expect(try await world.router.refund(request) == .pending(retryAfter: .seconds(60)))
        #expect(await world.refunds(payment.id) == ["33.00 EUR"])
        world.clock.advance(by: .seconds(60))
        #expect(receipt(try await world.router.refund(request))?.amount == request.amount)
        #expect(await world.refunds(payment.id) == ["33.00 EUR", "33.00 EUR"])
    }

    @Test("One id over two amounts, from two servers, is two requests, and neither result is the other's")
    func otherAmount() async throws {
        let (world, payment) = try await MerchantWorld.captured()
        let other = try world.otherServer(over: SandboxTransport(world.sandbox))
        let (mine, others) = (try world.refund(payment, 6600, "return-1"), try world.refund(payment, 3300, "return-1"))
        portal(world, before: "refund", { _ in _ = try? await other.refund(others) }, on: payment)
        let outcome = try await world.router.refund(mine)
        #expect(!outcome.isFinal, "\(outcome)")
        await handleAll(world, payment)
        #expect(receipt(try await world.router.refund(mine))?.amount == mine.amount)
        #expect(await world.refunds(payment.id) == ["33.00 EUR", "66.00 EUR"])
    }

    @Test("A refund that failed is made when it is requested again")
    func failedRefund() async throws {
        let (world, payment) = try await MerchantWorld.captured()
        let request = try world.refund(payment)
        await world.sandbox.failNext("refund")
        #expect(isDeclined(try await world.router.refund(request)))
        #expect(receipt(try await world.router.refund(request))?.amount == request.amount)
        #expect(await world.refunds(payment.id) == ["33.00 EUR"])
        #expect(Set(world.wire.keys("refund")).count == 2)
    }

    @Test("Without a record of the payment, one action after the request is this one's")
    func counted() async throws {
        let world = try MerchantWorld { $0.statesRecords = false }
        let payment = try await world.captured()
        #expect(receipt(try await world.router.refund(try world.refund(payment))) != nil)
        #expect(receipt(try await world.router.status(of: payment))?.amount == nil)
        await world.sandbox.failNext("refund")
        #expect(isDeclined(try await world.router.refund(try world.refund(payment, 3300, "credit-2"))))
        #expect(await world.refunds(payment.id) == ["33.00 EUR"])
    }

    @Test(
        "A record that is not readable, or of another payment, decides nothing",
        arguments: [
            ["results": []], ["results": [["amount": ["value": "1.00", "currency": "EUR"]]]], ["results": "none"],
            ["results": [["amount": ["value": "99.00", "currency": "EUR"], "refundedAmount": ["value": "-1"]]]],
            [
                "results": [
                    [
                        "amount": ["value": "99.00", "currency": "EUR"],
                        "refundedAmount": ["value": "99.01", "currency": "EUR"],
                    ]
                ]
            ],
            [
                "results": [
                    [
                        "amount": ["value": "99.00", "currency": "EUR"],
                        "refundedAmount": ["value": "5.00", "currency": "EUR"],
                    ], ["amount": ["value": "99.00", "currency": "EUR"]],
                ]
            ],
        ] as [JSONValue])
    func unreadableRecord(answer: JSONValue) async throws {
        let (world, payment) = try await MerchantWorld.captured()
        world.wire.edit { path, body in if path.hasSuffix("/payments") { body = answer } }
        #expect(receipt(try await world.router.refund(try world.refund(payment))) != nil)
        #expect(await world.refunds(payment.id) == ["33.00 EUR"])
    }

    // MARK: Captures

    @Test("A capture of the portal over another amount is not this one's", arguments: [true, false])
    func portalCapture(hasRecord: Bool) async throws {
        let world = try MerchantWorld { $0.statesRecords = hasRecord }
        let payment = try await world.paid()
        let sandbox = world.sandbox
        portal(world, before: "capture", { await sandbox.capture($0, units: 5000) }, on: payment)
        let outcome = try? await world.capture(payment, 8000)
        #expect(outcome.map { receipt($0) == nil } ?? true, "\(String(describing: outcome))")
        let amount = receipt(try await world.router.status(of: payment))?.amount
        #expect(amount == (hasRecord ? try MerchantWorld.euros(5000) : nil))
    }

    @Test("A capture that was begun decides, and without one the authorisation does")
    func begunCapture() async throws {
        let (world, payment) = try await MerchantWorld.paid(.instant)
        world.wire.hide("captureRequested", "captureSuccessful")
        #expect(receipt(try await world.router.status(of: payment)) != nil)
        world.wire.hide("captureSuccessful")
        #expect(try await world.router.status(of: payment) == .pending(retryAfter: nil))
        #expect(try await world.router.cancel(payment) == .pending(retryAfter: nil))
        #expect(world.posts("cancel") == 0)
        world.wire.edit(nil)
        #expect(receipt(try await world.router.status(of: payment)) != nil)
        #expect(world.posts("cancel") == 0)
    }

    // MARK: Cancellations

    @Test("An accepted cancellation is pending until it ends, also of what is captured in the meantime")
    func acceptedCancellation() async throws {
        let (world, payment) = try await MerchantWorld.paid(.delayed)
        let clock = world.clock
        clock.advance(by: .seconds(59))
        portal(world, before: "cancel", { _ in clock.advance(by: .seconds(2)) }, on: payment)
        await world.sandbox.showActions(after: .zero, lasting: .seconds(30))
        #expect(try await world.router.cancel(payment) == .pending(retryAfter: nil))
        #expect(try await world.router.status(of: payment) == .pending(retryAfter: nil))
        #expect(try await world.router.cancel(payment) == .pending(retryAfter: nil))
        #expect(world.posts("cancel") == 1)
        let refund = await failure { _ = try await world.router.refund(try world.refund(payment)) }
        #expect(refund?.code == .requestRefused && refund?.retry == .later && world.posts("refund") == 0)
        clock.advance(by: .seconds(60))
        #expect(try await world.router.status(of: payment) == .cancelled)
        #expect(await world.refunds(payment.id) == ["99.00 EUR"])
    }

    @Test("A cancellation that shows late is pending: the capture before it is not the end")
    func lateCancellation() async throws {
        let (world, payment) = try await MerchantWorld.paid(.delayed)
        let clock = world.clock
        clock.advance(by: .seconds(59))
        portal(world, before: "cancel", { _ in clock.advance(by: .seconds(2)) }, on: payment)
        await world.sandbox.showActions(after: .seconds(30))
        #expect(try await world.router.cancel(payment) == .pending(retryAfter: nil))
        clock.advance(by: .seconds(60))
        #expect(try await world.router.status(of: payment) == .cancelled)
    }

    @Test("A cancellation by the portal is pending, and no second one is requested")
    func portalCancellation() async throws {
        let (world, payment) = try await MerchantWorld.paid(.instant)
        let session = try #require(await world.sandbox.renewSession(payment.id))
        await world.sandbox.cancel(session, lasting: .seconds(30))
        #expect(try await world.router.status(of: payment) == .pending(retryAfter: nil))
        #expect(try await world.router.cancel(payment) == .pending(retryAfter: nil))
        #expect(world.posts("cancel") == 0)
        world.clock.advance(by: .seconds(60))
        #expect(try await world.router.cancel(payment) == .cancelled)
    }

    @Test(
        "A cancellation by the portal that ends in the meantime is reported by its result",
        arguments: [
            ([], "pending"), (["cancelSuccessful"], "cancelled"), (["cancelFailed"], "failed"),
            (["cancelFailed", "cancelRequested"], "pending"), (["cancelSuccessful", "authorizeRequested"], "pending"),
            (["cancelFailed", "captureRequested", "captureSuccessful"], "paid"),
        ])
    func portalResult(codes: [String], meaning: String) async throws {
        let (world, payment) = try await MerchantWorld.paid()
        let end = world.clock.now.addingTimeInterval(1.5)
        let earlier = [
            "authorizeRequested", "authorizeSuccessful", "cancelRequested", "cancelFailed", "cancelRequested",
        ]
        world.wire.edit { [clock = world.clock] _, body in
            guard body["status"] != nil else { return }
            let all = earlier + (clock.now < end ? [] : codes)
            body["status"] = .array(
                all.enumerated().map { index, code in
                    [
                        "code": .string(code), "time": .string("2027-01-15T09:00:0\(index)Z"),
                        "errors": [["reason": ["result": "LimitExceeded"]]],
                    ]
                })
        }
        switch meaning {
        case "failed":
            let error = await failure { _ = try await world.router.cancel(payment) }
            #expect(error?.code == .requestRefused && error?.message.contains("LimitExceeded") == true)
        case "cancelled": #expect(try await world.router.cancel(payment) == .cancelled)
        case "paid": #expect(receipt(try await world.router.cancel(payment)) != nil)
        default: #expect(try await world.router.cancel(payment) == .pending(retryAfter: nil))
        }
        #expect(world.posts("cancel") == 0)
    }

    @Test("A cancellation without an answer is not reported as paid: it may still arrive")
    func unansweredCancellation() async throws {
        let (world, payment) = try await MerchantWorld.paid()
        let sandbox = world.sandbox
        portal(world, before: "cancel", { await sandbox.capture($0) }, on: payment)
        world.faults.inject(.dropBefore) { $1.hasSuffix("/cancel") }
        #expect(await failure { _ = try await world.router.cancel(payment) }?.phase == .maybeSent)
        #expect(receipt(try await world.router.status(of: payment)) == nil)
        // Asked for again, the service decides.
        #expect(receipt(try await world.router.cancel(payment)) != nil)
        #expect(receipt(try await world.router.status(of: payment)) != nil)
    }

    @Test("A cancellation that was lost is not carried on against a capture that was made since")
    func capturedSince() async throws {
        let (world, payment) = try await MerchantWorld.paid()
        world.faults.inject(.dropBefore) { $1.hasSuffix("/cancel") }
        #expect(await failure { _ = try await world.router.cancel(payment) }?.phase == .maybeSent)
        let sent = world.posts("cancel")
        #expect(try await world.capture(payment, 9900).receipt != nil, "not captured")
        // What the cancellation became is not known yet.
        #expect(receipt(try await world.router.status(of: payment)) == nil)
        _ = try await world.router.recover(as: Payer())
        #expect(world.posts("cancel") == sent)
        #expect(receipt(try await world.router.status(of: payment)) != nil)
        #expect(await world.refunds(payment.id).isEmpty)
    }

    @Test(
        "A lost cancellation that arrives after the payment was stated as paid is stated then",
        arguments: [true, false])
    func arrivesLate(isCapturedHere: Bool) async throws {
        let (world, payment) = try await MerchantWorld.paid()
        world.faults.inject(.dropBefore) { $1.hasSuffix("/cancel") }
        #expect(await failure { _ = try await world.router.cancel(payment) }?.phase == .maybeSent)
        if isCapturedHere {
            _ = try await world.capture(payment)
        } else {
            await world.sandbox.capture(try #require(await world.sandbox.renewSession(payment.id)))
        }
        #expect(receipt(try await world.router.cancel(payment)) != nil)
        #expect(await world.journal.unfinished().isEmpty, "nothing waits for it any more")
        let lost = try #require(world.wire.requests.first { $0.url.path.hasSuffix("/cancel") })
        _ = try await SandboxTransport(world.sandbox).send(lost)
        world.clock.advance(by: .seconds(60))
        #expect(await world.refunds(payment.id) == ["99.00 EUR"])
        let late = try #require(await world.notifications(payment).last)
        let outcomes = [
            try await world.router.status(of: payment), try await world.router.cancel(payment),
            try await world.router.handle(late, from: payment.provider).outcome,
        ]
        // A capture of this journal is not denied, until a cancellation from here has found that its money went back.
        #expect(isCapturedHere ? isUnknown(outcomes[0]) : outcomes[0] == .cancelled, "\(outcomes[0])")
        #expect(outcomes[1] == .cancelled && outcomes[2] == .cancelled, "\(outcomes)")
    }

    @Test("A cancellation that fails is reported, and may be requested again under another key")
    func failedCancellation() async throws {
        let (world, payment) = try await MerchantWorld.paid()
        await world.sandbox.failNext("cancel")
        let error = await failure { _ = try await world.router.cancel(payment) }
        #expect(error?.code == .requestRefused && error?.message.contains("GenericRejection") == true)
        #expect(try await world.router.cancel(payment) == .cancelled)
        #expect(Set(world.wire.keys("cancel")).count == 2)
    }

    // MARK: Amounts and workspaces

    private func signed(_ json: JSONValue) -> IncomingNotification {
        let body = json.serialized()
        let code = Digest.sha256.authenticate(body, key: Array(MerchantWorld.webhookSecret.reveal().utf8))
        return IncomingNotification(headers: ["X-Signature": Data(code).base64EncodedString()], body: body)
    }

    private static let unreadable: [JSONValue] = [
        ["value": "1200.5", "currency": "JPY"], ["value": "-99.00", "currency": "EUR"],
        ["value": .number(JSONNumber(99)), "currency": "EUR"], ["value": "99.001", "currency": "EUR"],
        ["value": "9.9e1", "currency": "EUR"], ["value": "99", "currency": "eur"],
        ["value": "99,00", "currency": "EUR"], "99.00", [:], .number(JSONNumber(99)),
    ]

    @Test("An amount that cannot be read is no amount of the order", arguments: unreadable)
    func unreadableAmounts(amount: JSONValue) async throws {
        let (world, payment) = try await MerchantWorld.captured()
        let paid = signed([
            "event": "executionActionCompleted",
            "details": [
                "action": "capture", "execution": ["id": .string(payment.id)], "success": true, "amount": amount,
            ],
        ])
        #expect(throws: PaymentError.self) { try world.merchant.read(paid) }
        let refunded = signed([
            "event": "executionActionCompleted",
            "details": [
                "action": "refund", "execution": ["id": .string(payment.id)], "success": true,
                "actionMeta": ["refundReference": "credit-1", "refundAmount": amount],
            ],
        ])
        #expect(throws: PaymentError.self) { try world.merchant.read(refunded) }
        world.wire.edit { path, body in if path.hasSuffix(payment.id) { body["amount"] = amount } }
        #expect(await failure { _ = try await world.router.status(of: payment) }?.code == .integrity)
        #expect(await failure { _ = try await world.router.refund(try world.refund(payment)) }?.code == .integrity)
        #expect(world.posts("refund") == 0)
    }

    @Test("A failed action states no total, and is applied all the same")
    func failedTotals() throws {
        let world = try MerchantWorld()
        var state = PayrailsPaymentState(execution: "e1", amount: try MerchantWorld.euros(9900))
        let failed = try world.merchant.read(
            signed([
                "event": "executionActionCompleted",
                "details": [
                    "action": "refund", "actionId": "a1", "execution": ["id": "e1"], "success": false,
                    "amount": ["value": "0.00", "currency": "EUR"], "errors": [["title": "action.not-allowed"]],
                ],
            ]))
        #expect(state.apply(failed) == .applied && state.refunds == ["action-a1": false])
    }

    @Test("A notification of another workspace is not the merchant's", arguments: ["w1", "w2", nil])
    func workspaces(workspace: String?) throws {
        let clock = VirtualClock()
        func merchant(_ workspace: String?) -> PayrailsMerchant {
            PayrailsMerchant(
                endpoint: .staging, credentials: PayrailsCredentials(clientID: "c", secret: Redacted("s")),
                captureMode: .manual, workspace: workspace, notificationSecrets: [MerchantWorld.webhookSecret],
                clock: clock)
        }
        var body: JSONValue = ["event": "executionCreated", "details": ["execution": ["id": "e1"]]]
        body["workspaceId"] = workspace.map(JSONValue.string)
        let notification = signed(body)
        #expect(((try? merchant("w1").read(notification)) != nil) == (workspace != "w2"))
        #expect((try? merchant(nil).read(notification)) != nil)
    }
}
