import CitconSandbox
import PaymentCore
import PaymentRouting
import PaymentTesting
import Synchronization
import TestSupport
import Testing

@testable import CitconKit
@testable import CitconMerchant
@testable import CitconProvider

/// A network that delivers a request twice and returns only the second answer, which is a refusal because of the first.
@Suite struct DoubleDeliveryTests {
    /// Delivers the `POST`s to one path twice.
    private final class Twice: HTTPTransport {
        private let base: any HTTPTransport
        private let path: String
        private let answers = Mutex<[Int]>([])
        /// True if inquiries fail, as after a crash of the process or of the service.
        let isDeaf = Mutexed(false)

        init(_ base: any HTTPTransport, _ path: String) {
            self.base = base
            self.path = path
        }

        /// The statuses of the answers that came back second.
        var second: [Int] { answers.withLock { $0 } }

        func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
            let isDoubled = request.method == .post && request.url.path.hasPrefix(path)
            if isDoubled { _ = try await base.send(request) }
            if isDeaf.value, request.method == .get {
                throw TransportError(.maybeSent, .timedOut, origin: request.url.origin)
            }
            let answer = try await base.send(request)
            if isDoubled { answers.withLock { $0.append(answer.status) } }
            return answer
        }
    }

    private func router(_ world: SandboxWorld, _ wire: Twice) async throws -> PaymentRouter {
        PaymentRouter(
            registry: try ProviderRegistry([try await world.provider()]), transport: wire, journal: world.journal,
            clock: world.clock, random: SeededRandomSource(seed: 5))
    }

    @Test("A confirmation that took the money and arrived twice is settled by an inquiry, not abandoned")
    func settledAtOnce() async throws {
        for scenario in [CitconSandbox.Scenario.card, .cashApp, .paidAtConfirm] {
            let world = try SandboxWorld()
            let charge = await world.sandbox.createCharge(scenario)
            let wire = Twice(world.transport, "/v1/charges/")
            let outcome = try await router(world, wire).pay(charge.link, as: world.payer())
            #expect(wire.second == [400], "\(scenario)")
            #expect(outcome.description.hasPrefix("paid"), "\(scenario): \(outcome)")
            #expect(await world.sandbox.ledger.captures(of: charge.id) == 1)
        }
    }

    @Test("When the process ends before it could ask, recovery asks")
    func settledByRecovery() async throws {
        let world = try SandboxWorld()
        let charge = await world.sandbox.createCharge(.paidAtConfirm)
        let wire = Twice(world.transport, "/v1/charges/")
        wire.isDeaf.change { $0 = true }
        let outcome = try await router(world, wire).pay(charge.link, as: world.payer())
        #expect(!outcome.isFinal && wire.second == [400])
        let open = try #require(await world.journal.unfinished().first)
        #expect(open.mayHaveMovedMoney)
        let failed = open.entries.contains { if case .stepFailed = $0.event { true } else { false } }
        #expect(!failed, "the confirmation is not without effect")

        wire.isDeaf.change { $0 = false }
        let reports = try await router(world, wire).recover(as: Payer())
        #expect(try reports.first?.result.get().description.hasPrefix("paid") == true)
        #expect(await world.sandbox.ledger.confirmRequests(of: charge.id) == 2, "not sent again")
        #expect(await world.sandbox.ledger.captures(of: charge.id) == 1)
    }

    @Test(
        "Only what was judged before the charge was looked at is proof that nothing was done",
        arguments: [
            (400, "4000", false), (400, "4100", false), (404, "4103", false), (422, "9999", false), (429, "", false),
            (400, "", false), (409, "", false), (406, "4202", false), (401, "4010", true), (400, "4102", true),
            (403, "", true), (415, "", true),
        ])
    func proof(_ status: Int, _ code: String, _ isProof: Bool) async throws {
        let state = Mutexed("initiated")
        let refusal: ScriptedCitcon.Answer = code.isEmpty ? .json(status, "<html>") : .fail(status, code, "no")
        let service = ScriptedCitcon { call, _ in
            if call == "POST config" { return .ok(#"{"gateway":"fomo"}"#) }
            return call.hasPrefix("POST") ? refusal : .ok(ScriptedCitcon.transaction(state.value))
        }
        let provider = CitconProvider(
            configuration: CitconConfiguration(
                endpoint: try CPayEndpoint(.UAT), accessToken: Redacted("UPI_token"), application: Shop.application))
        let journal = InMemoryJournal()
        let router = PaymentRouter(
            registry: try ProviderRegistry([provider]), transport: service, journal: journal, clock: VirtualClock(),
            random: SeededRandomSource(seed: 1))
        let payer = Payer(browser: { _ in nil }, policy: .firstWhateverItCosts)
        let link = LinkTests.good.replacing("wechatpay", with: "grabpay")
        let outcome = try? await router.pay(link, as: payer)
        #expect((outcome == nil) == isProof)
        #expect(await journal.unfinished().isEmpty == isProof)
        // The first copy is seen late.
        state.change { $0 = "succeeded" }
        let reports = try await router.recover(as: Payer())
        #expect(reports.isEmpty == isProof)
        if !isProof { #expect(try reports.first?.result.get().description.hasPrefix("paid") == true) }
        #expect(service.calls.count { $0.hasPrefix("POST charges") } == 1)
    }

    @Test("A wallet that was never started takes no money: a refusal is the end where the charge still waits")
    func refusedWallets() async throws {
        let inquiries: [(ScriptedCitcon.Answer, isOpen: Bool)] = [
            (.ok(ScriptedCitcon.transaction("initiated")), false), (.fail(404, "4103", "not found"), false),
            (.ok(ScriptedCitcon.transaction("pending")), true), (.ok(ScriptedCitcon.transaction("new-word")), true),
            (.ok(ScriptedCitcon.transaction("initiated", amount: 7)), true), (.fail(503, "5100", "down"), true),
            (.fail(401, "4010", "unauthorized"), true),
        ]
        for (answer, isOpen) in inquiries {
            let service = ScriptedCitcon(confirm: .fail(400, "4100", "duplicate request"), inquiry: answer)
            let journal = InMemoryJournal()
            let provider = CitconProvider(
                configuration: CitconConfiguration(
                    endpoint: try CPayEndpoint(.UAT), accessToken: Redacted("UPI_token"), application: Shop.application
                ))
            let router = PaymentRouter(
                registry: try ProviderRegistry([provider]), transport: service, journal: journal,
                clock: VirtualClock(), random: SeededRandomSource(seed: 1))
            let outcome = try? await router.pay(
                LinkTests.good, as: Payer(appLauncher: { _ in nil }, policy: .firstWhateverItCosts))
            #expect((outcome != nil) == isOpen, "\(answer)")
            #expect(await journal.unfinished().isEmpty == !isOpen, "\(answer)")
        }
    }

    @Test("The vendor's client reports what the first copy paid, and the refusal otherwise")
    func client() async throws {
        for (state, isPaid) in [("succeeded", true), ("authorized", true), ("expired", false), ("initiated", false)] {
            let service = ScriptedCitcon(
                gateway: "braintree", confirm: .fail(400, "4100", "duplicate request"),
                inquiry: .ok(ScriptedCitcon.transaction(state)), before: ScriptedCitcon.waiting)
            let order = Shop.order("card")
            order.payment?.nonce = "n"
            let result = await (try CPayClient(service)).requestOrder(order)
            #expect(result.isPaid == isPaid, "\(state)")
            if !isPaid { #expect(result.status == "fail" && result.data.code == "4100", "\(state)") }
        }
    }

    @Test("A refund that arrived twice is found by its reference, whatever the second answer was (Protocol 2.7, 2.8)")
    func refunds() async throws {
        for code in ["4100", "4202", "4000"] {
            let world = try MerchantWorld()
            let charge = try await world.paid()
            let wire = Twice(world.wire, "/v1/refunds")
            // The first copy is carried out; the service chooses the wording of the second answer.
            world.faults.inject(.status(400, body: #"{"status":"fail","data":{"code":"\#(code)"}}"#), after: 1) {
                $1 == "/v1/refunds"
            }
            let router = PaymentRouter(
                registry: try ProviderRegistry([world.merchant]), transport: wire, journal: world.journal,
                clock: world.clock, random: SeededRandomSource(seed: 9))
            let request = RefundRequest(
                of: charge.reference, amount: try Money(minorUnits: 1000, currency: .usd), id: "credit-1")
            let outcome = try await router.refund(request)
            #expect(outcome.description.hasPrefix("refunded"), "\(code): \(outcome)")
            #expect(await world.refunds(charge) == 1)
        }
    }

    @Test(
        "A refund that was refused, and cannot be looked for, stays open: nor where its charge is said not to be there",
        arguments: [503, 404])
    func refundsThatCannotBeLookedFor(_ status: Int) async throws {
        let world = try MerchantWorld()
        let charge = try await world.paid()
        world.faults.inject(.status(406, body: #"{"status":"fail","data":{"code":"4202"}}"#)) { $1 == "/v1/refunds" }
        world.faults.inject(.status(status), times: 1000, after: 1) { method, path in
            method == "GET" && path.hasPrefix("/v1/transactions/")
        }
        let request = RefundRequest(
            of: charge.reference, amount: try Money(minorUnits: 1000, currency: .usd), id: "credit-1")
        let outcome = try await world.router.refund(request)
        guard case .unknown = outcome else {
            Issue.record("nobody can know: \(outcome)")
            return
        }
        #expect(await world.journal.unfinished().count == 1)
    }
}
