import Foundation
import PaymentCore
import PaymentRouting
import PaymentTesting
import PayrailsMerchant
import PayrailsProvider
import PayrailsSandbox
import Synchronization
import TestSupport
import Testing

/// One operation requested more than once: by two servers, by an old process and a new one, by a network that doubles.
@Suite struct MerchantDoubledTests {
    @Test("Two servers at the same time refund once")
    func refunds() async throws {
        let (world, payment) = try await MerchantWorld.captured()
        let request = try world.refund(payment)
        let (first, second) = (try world.otherServer(11), try world.otherServer(12))
        async let one = try? first.refund(request)
        async let two = try? second.refund(request)
        let outcomes = await [one, two].compactMap(\.self)
        #expect(outcomes.contains { receipt($0)?.amount == request.amount })
        #expect(!outcomes.contains { isDeclined($0) })
        #expect(await world.refunds(payment.id) == ["33.00 EUR"])
        #expect(Set(world.wire.keys("refund")).count == 1)
    }

    @Test("Two servers at the same time cancel once, and capture once")
    func cancelsAndCaptures() async throws {
        let world = try MerchantWorld()
        let payment = try await world.paid("a")
        let (first, second) = (try world.otherServer(11), try world.otherServer(12))
        async let one = try? first.cancel(payment)
        async let two = try? second.cancel(payment)
        _ = await (one, two)
        #expect(await world.events(payment.id).count { $0 == .cancelled } == 1)
        let other = try await world.paid("b")
        let request = CaptureRequest(of: other, amount: try MerchantWorld.euros(9900))
        let (third, fourth) = (try world.otherServer(13), try world.otherServer(14))
        async let three = try? third.capture(request)
        async let four = try? fourth.capture(request)
        _ = await (three, four)
        #expect(await world.events(other.id).count { $0 == .settled } == 1)
    }

    // MARK: Another server's

    @Test("Another server's capture is not taken for this one's")
    func foreignCaptures() async throws {
        let (world, payment) = try await MerchantWorld.paid()
        let other = try world.otherServer(over: SandboxTransport(world.sandbox))
        let request = CaptureRequest(of: payment, amount: try MerchantWorld.euros(5000))
        world.wire.before { sent in
            guard sent.method == .post, sent.url.path.hasSuffix("/capture") else { return }
            _ = try? await other.capture(request)
        }
        let outcome = try await world.capture(payment, 8000)
        #expect(isUnknown(outcome), "\(outcome)")
        #expect(world.posts("capture") == 1)
        #expect(receipt(try await world.router.status(of: payment)) != nil, "it is captured all the same")
    }

    @Test("Of two captures since the first look, neither is known to be this one's", arguments: [true, false])
    func twoCaptures(isSuccess: Bool) async throws {
        let (world, payment) = try await MerchantWorld.paid()
        world.wire.edit { _, body in
            guard let list = body["status"]?.array, list.contains(where: { $0["code"] == "captureSuccessful" }) else {
                return
            }
            let ending: JSONValue = .string(isSuccess ? "captureSuccessful" : "captureFailed")
            let others: [JSONValue] = [
                ["code": "captureRequested", "time": "2027-01-15T08:00:01.5Z"],
                ["code": ending, "time": "2027-01-15T08:00:01.6Z"],
            ]
            body["status"] = .array(
                list.map { entry in
                    guard entry["code"] == "captureSuccessful" else { return entry }
                    return ["code": ending, "time": entry["time"] ?? .null]
                } + others)
        }
        let outcome = try await world.capture(payment, 8000)
        #expect(isUnknown(outcome), "\(outcome)")
    }

    @Test("A result is not counted before the service shows that anything was requested")
    func unseenRequests() async throws {
        let (world, payment) = try await MerchantWorld.captured()
        world.wire.hide("refundRequested")
        let request = try world.refund(payment)
        #expect(try await world.router.refund(request) == .pending(retryAfter: .seconds(60)))
        world.wire.edit(nil)
        #expect(receipt(try await world.router.refund(request))?.amount == request.amount)
        #expect(await world.refunds(payment.id) == ["33.00 EUR"])
    }

    @Test("A refund that is asked for again is not taken for another one that was made meanwhile")
    func laterRefunds() async throws {
        let (world, payment) = try await MerchantWorld.captured()
        world.faults.inject(.dropBefore) { $1.hasSuffix("/refund") }
        // The sandbox reads the desired result from the refund's note.
        let request = try world.refund(payment, 3300, "LimitExceeded")
        #expect(isUnknown(try await world.router.refund(request)))
        #expect(receipt(try await world.router.refund(try world.refund(payment, 1000, "credit-2"))) != nil)
        // The service answers before it writes the status of the request.
        let faults = world.faults
        let isLate = Mutex(true)
        world.wire.edit { _, body in
            let posts = faults.requests.count { $0.method == "POST" && $0.path.hasSuffix("/refund") }
            guard posts == 3, let list = body["status"]?.array else { return }
            guard
                isLate.withLock({ isLate in
                    defer { isLate = false }; return isLate
                })
            else { return }
            let others = list.filter { $0["code"] != "refundRequested" && $0["code"] != "refundFailed" }
            let requests = list.filter { $0["code"] == "refundRequested" }
            body["status"] = .array(others + requests.prefix(1))
        }
        let outcome = try await world.router.refund(request)
        #expect(isUnknown(outcome), "\(outcome)")
        #expect(await world.refunds(payment.id) == ["10.00 EUR"])
    }

    @Test("A result that is counted after another worker took the payment over is no refund's")
    func takenOver() async throws {
        let (world, payment) = try await MerchantWorld.captured()
        let (faults, journal, clock) = (world.faults, world.journal, world.clock)
        let stranger = PaymentLease(payment: payment, holder: "stranger", duration: .seconds(600))
        world.wire.before { request in
            guard request.method == .get, faults.requests.contains(where: { $0.path.hasSuffix("/refund") }) else {
                return
            }
            clock.advance(by: .seconds(700))
            _ = await journal.acquire(stranger, at: clock.now)
        }
        let error = await failure { _ = try await world.router.refund(try world.refund(payment)) }
        #expect(error?.code == .inUse && error?.phase == .maybeSent)
        #expect(await world.journal.unfinished().count == 1)
    }

    @Test("A notification about another refund of the same id ends none", arguments: [true, false])
    func foreignRefunds(isOtherPayment: Bool) async throws {
        let world = try MerchantWorld()
        let (mine, other) = (try await world.captured("a"), try await world.captured("b"))
        world.faults.inject(.dropBefore) { $1.hasSuffix("/refund") }
        let request = try world.refund(mine)
        #expect(isUnknown(try await world.router.refund(request)))
        // Another server, with its own journal, counts its refunds from the same number.
        let payment = isOtherPayment ? other : mine
        let made = try await world.otherServer(12).refund(try world.refund(payment, 1000))
        #expect(receipt(made) != nil, "\(made)")
        for notification in await world.notifications(payment) {
            let error = await failure { _ = try await world.router.handle(notification, from: PayrailsMerchant.id) }
            #expect(error == nil || error?.code == .integrity)
        }
        #expect(await world.journal.unfinished().map(\.attempt.refund) == [request])
        #expect(await world.refunds(payment.id) == ["10.00 EUR"])
    }

    @Test("A refund's notification states the payment, and the amount that was requested")
    func refundNotifications() async throws {
        let (world, payment) = try await MerchantWorld.captured()
        let request = try world.refund(payment)
        _ = try await world.router.refund(request)
        let read = try await world.notifications(payment).map { try world.merchant.verify($0) }
        let refunds = read.filter { $0.reference == request.reference }
        #expect(refunds.count == 2 && refunds.allSatisfy { $0.reference.refundedPayment == payment })
        #expect(refunds.compactMap { receipt($0.report)?.amount } == [request.amount])
    }

    // MARK: The network's

    @Test("Requests that the network doubles are carried out once")
    func doubledRequests() async throws {
        let world = try MerchantWorld()
        let sandbox = world.sandbox
        world.wire.before { request in
            guard request.method == .post else { return }
            _ = await sandbox.respond(to: request)
        }
        let payment = try await world.captured()
        #expect(receipt(try await world.router.refund(try world.refund(payment))) != nil)
        #expect(await world.refunds(payment.id) == ["33.00 EUR"])
        #expect(await world.sandbox.ledger.count(of: .created) == 1)
        #expect(await world.events(payment.id).count { $0 == .settled } == 1)
    }

    @Test("Secrets and tokens stand in no request but where they belong, and in no text")
    func secrets() async throws {
        let world = try MerchantWorld()
        let session = try await world.client.open(try MerchantWorld.order())
        _ = try await world.pay(session)
        let payment = try #require(session.payment)
        _ = try await world.capture(payment)
        _ = try await world.router.refund(try world.refund(payment))
        var text = shown(session) + shown(world.merchant) + "\(session.order)"
        for request in world.wire.requests {
            text += "\(request) \(request.url.text) " + String(decoding: request.body, as: UTF8.self)
        }
        let sent = world.wire.requests.compactMap { $0.headers["Authorization"] }
        let token = try #require(sent.first).dropFirst("Bearer ".count)
        for secret in [
            MerchantWorld.secret, MerchantWorld.webhookSecret.reveal(), String(token), session.initData.data,
        ] { #expect(!text.contains(secret)) }
    }
}

extension MerchantWorld {
    /// A world with a payment that the payer has authorised.
    static func paid(_ mode: PayrailsCaptureMode = .manual) async throws -> (MerchantWorld, PaymentReference) {
        let world = try MerchantWorld(mode)
        return (world, try await world.paid())
    }

    /// A world with a payment that was captured.
    static func captured() async throws -> (MerchantWorld, PaymentReference) {
        let world = try MerchantWorld()
        return (world, try await world.captured())
    }

    /// Another server: with a separate client, token and journal.
    func otherServer(_ seed: UInt64 = 10, over transport: (any HTTPTransport)? = nil) throws -> PaymentRouter {
        try router(of: Self.merchant(at: clock), over: transport, journal: InMemoryJournal(), seed: seed)
    }
}

extension RecordingTransport {
    /// Hides statuses of these codes from now on.
    func hide(_ codes: String...) {
        edit { _, body in
            guard let list = body["status"]?.array else { return }
            body["status"] = .array(list.filter { !codes.contains($0["code"]?.string ?? "") })
        }
    }
}
