import Foundation
import PaymentCore
import PaymentRouting
import PaymentTesting
import TestSupport
import Testing

/// A payee's payment: what was done with it from here decides beside what its service says, however late that comes.
@Suite("The payee's part in a payment")
struct PayeeRecordTests {
    private static let payment = ScriptedProvider.reference
    private static let paid = ServiceReport.succeeded(PaymentReceipt(reference: payment, amount: .cents(250)))
    private static let denials: [ServiceReport] = [
        .declined(DeclineReason(.refused, "no")), .cancelled, .expired,
    ]

    private let journal = InMemoryJournal()
    private let clock = VirtualClock()
    private let all = CaptureRequest(of: payment, amount: .cents(250))

    private func shop(
        saying status: ServiceReport, _ messages: [String: ServiceReport] = [:], of subject: PaymentReference = payment
    ) -> CapturingShop {
        var shop = CapturingShop()
        shop.shop.base.statusBody = { _, _ in status }
        shop.messages = messages.mapValues { PaymentNotification(reference: subject, report: $0) }
        return shop
    }

    private func router(
        _ shop: CapturingShop, seed: UInt64 = 1, leases: LeasePolicy = LeasePolicy()
    ) throws -> PaymentRouter {
        try PaymentRouter(shop, journal: journal, clock: clock, seed: seed, leases: leases)
    }

    private func handle(_ message: String, _ router: PaymentRouter) async throws -> PaymentOutcome {
        let notification = IncomingNotification(headers: [:], body: Array(message.utf8))
        return try await router.handle(notification, from: "acme").outcome
    }

    private func refund(_ cents: UInt128, _ id: String = "return-1") -> RefundRequest {
        RefundRequest(of: Self.payment, amount: .cents(cents), id: id)
    }

    private static func isUnknown(_ outcome: PaymentOutcome) -> Bool {
        if case .unknown = outcome { true } else { false }
    }

    private static func isRefunded(_ outcome: PaymentOutcome) -> Bool {
        if case .declined(let reason) = outcome { reason.code == .refunded } else { false }
    }

    // MARK: Messages

    @Test("A message that no money moved is final only if the service says so, asked now", arguments: denials)
    func lateNo(denial: ServiceReport) async throws {
        #expect(try await handle("no", router(shop(saying: denial, ["no": denial]))) == denial)
        #expect(try await handle("no", router(shop(saying: Self.paid, ["no": denial]))) == Self.paid)
        let open = try await handle("no", router(shop(saying: .pending(retryAfter: nil), ["no": denial])))
        #expect(Self.isUnknown(open))
    }

    @Test("A message that it is paid is not stated of what has ended unpaid since", arguments: denials)
    func lateYes(denial: ServiceReport) async throws {
        #expect(try await handle("yes", router(shop(saying: denial, ["yes": Self.paid]))) == denial)
        // A status that shows late contradicts nothing.
        let late = try await handle("yes", router(shop(saying: .pending(retryAfter: nil), ["yes": Self.paid])))
        #expect(late == Self.paid)
    }

    @Test("A service that cannot be asked sends its message again, and one that knows no such payment need not")
    func unanswered() async throws {
        var shop = shop(saying: Self.paid, ["yes": Self.paid])
        shop.shop.base.statusBody = { _, _ in throw PaymentError(.network, "down", provider: "acme") }
        let down = shop
        await #expect(throws: PaymentError.self) { try await handle("yes", router(down)) }
        shop.shop.base.statusBody = { _, _ in
            throw PaymentError(.notFound, "no such payment", provider: "acme", phase: .answered)
        }
        #expect(try await handle("yes", router(shop)) == Self.paid, "it is known by its message alone")
    }

    @Test("Neither a message nor a status denies what was captured from here", arguments: denials)
    func captured(denial: ServiceReport) async throws {
        let router = try router(shop(saying: denial, ["no": denial]))
        #expect(try await router.capture(all) == CapturingShop.receipt(all))
        for outcome in [try await handle("no", router), try await router.status(of: Self.payment)] {
            let unknown = try #require(outcome.unknownOutcome, "stated: \(outcome)")
            #expect(unknown.message.contains("captured"))
        }
    }

    @Test("A message that a refund failed does not deny one that was made")
    func refundMade() async throws {
        let request = refund(100)
        var shop = shop(saying: Self.paid, ["no": .declined(DeclineReason(.refused, "no"))], of: request.reference)
        shop.shop.refundStatus = { request, _ in .succeeded(PaymentReceipt(reference: request.reference)) }
        let router = try router(shop)
        guard case .succeeded = try await router.refund(request) else { Issue.record("not refunded"); return }
        #expect(Self.isUnknown(try await handle("no", router)))
        guard case .succeeded = try await router.refund(request) else { Issue.record("forgotten"); return }
    }

    @Test("A message that names a refund ends it, where no earlier one has failed under its id")
    func refundEnds() async throws {
        let request = refund(100)
        let failed = ServiceReport.declined(DeclineReason(.refused, "the bank has no such account"))
        var shop = shop(saying: Self.paid, ["no": failed], of: request.reference)
        shop.shop.refundBody = { _, _ in throw TransportError(.maybeSent, .timedOut, origin: "https://acme.example") }
        shop.shop.refundStatus = { request, _ in
            .unknown(UnknownOutcome(reference: request.reference, message: "not shown yet"))
        }
        let router = try router(shop)
        #expect(Self.isUnknown(try await router.refund(request)))
        #expect(try await handle("no", router) == failed)
        #expect(await journal.unfinished().isEmpty)
        // The same message, again, may be about the first one.
        #expect(Self.isUnknown(try await router.refund(request)))
        #expect(Self.isUnknown(try await handle("no", router)))
        #expect(await journal.unfinished().count == 1)
    }

    // MARK: Refunds

    @Test("What was refunded as a whole is not called paid, neither by a message nor by a status")
    func refunded() async throws {
        let router = try router(shop(saying: Self.paid, ["yes": Self.paid]))
        _ = try await router.refund(refund(100))
        #expect(try await handle("yes", router) == Self.paid, "a part")
        #expect(try await router.status(of: Self.payment) == Self.paid)
        _ = try await router.refund(refund(150, "return-2"))
        for outcome in [try await handle("yes", router), try await router.status(of: Self.payment)] {
            #expect(Self.isRefunded(outcome), "\(outcome)")
        }
    }

    @Test(
        "Where the service does not say how much was paid, the capture does; otherwise it is not known",
        arguments: [true, false])
    func amount(captures: Bool) async throws {
        let paid = ServiceReport.succeeded(PaymentReceipt(reference: Self.payment))
        let router = try router(shop(saying: paid))
        if captures { _ = try await router.capture(all) }
        _ = try await router.refund(refund(100))
        let part = try await router.status(of: Self.payment)
        #expect(captures ? part == paid : Self.isUnknown(part))
        _ = try await router.refund(refund(150, "return-2"))
        let whole = try await router.status(of: Self.payment)
        #expect(captures ? Self.isRefunded(whole) : Self.isUnknown(whole))
    }

    @Test("While a refund of the rest may be made, the payment is not called paid")
    func refunding() async throws {
        var shop = shop(saying: Self.paid)
        shop.shop.refundBody = { _, _ in throw TransportError(.maybeSent, .timedOut, origin: "https://acme.example") }
        shop.shop.refundStatus = { _, _ in throw PaymentError(.network, "down", provider: "acme") }
        let router = try router(shop)
        _ = try await router.refund(refund(100))
        #expect(try await router.status(of: Self.payment) == Self.paid)
        let other = try self.router(shop, seed: 2)
        _ = try await other.refund(refund(250, "return-2"))
        #expect(Self.isUnknown(try await router.status(of: Self.payment)))
    }

    // MARK: Cancellations

    @Test("A payment that was cancelled from here is not called paid, and stays cancelled in this journal")
    func cancelled() async throws {
        let router = try router(shop(saying: Self.paid, ["yes": Self.paid]))
        #expect(try await router.cancel(Self.payment) == .cancelled)
        #expect(try await handle("yes", router) == .cancelled)
        #expect(try await router.status(of: Self.payment) == .cancelled)
        let records = await journal.histories(
            of: PaymentReference(provider: "acme", id: Self.payment.id, subject: .cancellation))
        #expect(records.count == 1 && records.allSatisfy(\.isFinished))
        #expect(try await router.cancel(Self.payment) == .cancelled)
        #expect(await journal.unfinished().isEmpty)
    }

    @Test("A cancellation whose answer was lost is open, and carried on by recovery")
    func interrupted() async throws {
        var shop = shop(saying: Self.paid)
        let calls = shop.calls
        shop.shop.cancelBody = {
            if calls["cancel"] == 1 { throw TransportError(.maybeSent, .timedOut, origin: "https://acme.example") }
            return .cancelled
        }
        let router = try router(shop)
        let error = await #expect(throws: PaymentError.self) { try await router.cancel(Self.payment) }
        #expect(error?.phase == .maybeSent)
        #expect(Self.isUnknown(try await router.status(of: Self.payment)), "it may be cancelled")
        let reports = try await self.router(shop, seed: 2).recover(as: Payer())
        #expect(reports.count == 1 && reports.first?.attempt.reference.cancelledPayment == Self.payment)
        guard case .success(.succeeded) = reports.first?.result else {
            Issue.record("\(reports)")
            return
        }
        #expect(calls["cancel"] == 2)
        #expect(try await router.status(of: Self.payment) == .cancelled)
    }

    @Test("A cancellation that was refused leaves nothing open, and another one is asked for")
    func refusedCancellation() async throws {
        var shop = shop(saying: Self.paid)
        let calls = shop.calls
        shop.shop.cancelBody = {
            if calls["cancel"] == 1 {
                throw PaymentError(.requestRefused, "not now", provider: "acme", phase: .answered)
            }
            return Self.paid
        }
        let router = try router(shop)
        let error = await #expect(throws: PaymentError.self) { try await router.cancel(Self.payment) }
        #expect(error?.code == .requestRefused && error?.phase == .answered)
        #expect(await journal.unfinished().isEmpty)
        #expect(try await router.cancel(Self.payment) == Self.paid)
        #expect(await journal.unfinished().isEmpty)
        #expect(try await router.status(of: Self.payment) == Self.paid)
    }

    @Test("What an interrupted cancellation has sent may still arrive, although the next try sends nothing")
    func interruptedTwice() async throws {
        var shop = shop(saying: Self.paid)
        let calls = shop.calls
        shop.shop.cancelBody = {
            if calls["cancel"] == 1 { throw TransportError(.maybeSent, .timedOut, origin: "https://acme.example") }
            throw PaymentError(.network, "down", provider: "acme", phase: .beforeSend)
        }
        let router = try router(shop)
        for _ in 0..<2 {
            let error = await #expect(throws: PaymentError.self) { try await router.cancel(Self.payment) }
            #expect(error?.phase == .maybeSent)
            #expect(Self.isUnknown(try await router.status(of: Self.payment)))
        }
        #expect(await journal.unfinished().count == 1)
    }

    @Test("Where a cancellation finds something in progress, and requests nothing, it leaves nothing open")
    func nothingRequested() async throws {
        var shop = shop(saying: Self.paid)
        shop.cancelsOnlyAsking = true
        let router = try router(shop)
        #expect(try await router.cancel(Self.payment) == .pending(retryAfter: nil))
        #expect(await journal.unfinished().isEmpty)
        #expect(try await router.status(of: Self.payment) == Self.paid)
    }

    @Test("Two clerks cancel once, and each hears so")
    func twoClerks() async throws {
        let gate = Gate()
        var shop = shop(saying: .cancelled)
        shop.shop.cancelBody = {
            await gate.pass()
            return .cancelled
        }
        // The virtual time of a wait passes at once: this is long enough for the other one on the busiest machine.
        let leases = LeasePolicy(duration: .seconds(86_400), timeout: .seconds(80_000))
        let routers = [try router(shop, leases: leases), try router(shop, seed: 2, leases: leases)]
        let outcomes = try await withThrowingTaskGroup(of: PaymentOutcome.self) { group in
            for router in routers { group.addTask { try await router.cancel(Self.payment) } }
            await gate.open()
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.count == 2 && outcomes.allSatisfy { $0 == .cancelled })
        #expect(await journal.unfinished().isEmpty)
    }
}
