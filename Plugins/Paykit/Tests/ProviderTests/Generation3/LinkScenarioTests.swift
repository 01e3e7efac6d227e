import PaykitKit
import PaykitProvider
import PaymentCore
import PaymentRouting
import PaymentStandards
import PaymentStore
import PaymentTesting
import TestSupport
import Testing

@testable import PaykitSandbox

/// The sandbox's scenarios of private links, against an application's client.
@Suite("Scenarios of private links")
struct LinkScenarioTests: NetworkSuite {
    typealias Scenario = PubkySandbox.LinkScenario

    let network = TestNetwork()
    private let check = PaykitEndpointCheck(StandardsReader(), network: .regtest)

    /// An application's user, whose app accepts links.
    private func client() async throws -> PaykitClient {
        let client = try await sandbox.client(clock: clock) {
            $0.receiver = PaykitReceiverPath("router/wallet")
            $0.receiverSecret = Redacted([UInt8](repeating: 7, count: 32))
        }
        try await client.publishReceiver()
        return client
    }

    @discardableResult
    private func poll(_ link: PaykitPrivateLink, _ count: Int = 8) async throws -> PaykitPrivateLink.Status? {
        var status: PaykitPrivateLink.Status?
        for _ in 0..<count { status = try await link.poll() }
        return status
    }

    private func pay(_ request: PaykitPrivateLinkRequest, over link: PaykitPrivateLink) async throws {
        guard request.recurs else {
            try await link.pay(request.id, with: network.settler, check: check)
            return
        }
        let period = try #require(request.schedule?.lastPeriod(at: clock.now))
        try await link.pay(period: period, of: request.id, with: network.settler, check: check)
    }

    @Test("Every scenario ends as it says", arguments: Scenario.allCases)
    func ends(_ scenario: Scenario) async throws {
        let client = try await client()
        let peer = try await sandbox.createLinkPeer(scenario).user.key
        guard scenario.expectedOutcome != .unreachable else {
            await #expect(throws: PaykitError.self) { try await client.privateLink(with: peer.text).poll() }
            return
        }
        let link = try await client.privateLink(with: peer.text)
        let status = try await poll(link)
        switch scenario.expectedOutcome {
        case .waiting:
            #expect(status == .linking)
            #expect(try await link.requests().isEmpty)
        case .keyChanged: try await otherKey(link, status, peer)
        case .unreceipted where scenario == .offers: try await offered(client, peer)
        case .paid, .unreceipted:
            #expect(status == .linked)
            let request = try #require(try await link.requests().first)
            #expect(!request.isOwn && request.amount?.minorUnits == 2100 && request.reference == "tea")
            for _ in 0..<2 { try await pay(request, over: link) }
            #expect(try await poll(link) == .linked)
            #expect(await captures(of: peer) == 1)
            #expect(try await link.receipts(for: request.id).count == (scenario.expectedOutcome == .paid ? 1 : 0))
            #expect(try await link.requests().count == (scenario == .reusesInvoice ? 2 : 1))
            guard scenario == .reusesInvoice else { return }
            let again = try #require(try await link.requests().last { $0.phase == .proposed })
            await #expect(throws: PaykitError.self) { try await pay(again, over: link) }
            #expect(await captures(of: peer) == 1)
        case .pays, .unpaid:
            #expect(status == .linked)
            try await asked(scenario, client, link, peer)
        default: Issue.record("no such outcome: \(scenario.expectedOutcome)")
        }
    }

    /// Nothing is paid over a link whose other side shows another key, before that is confirmed.
    private func otherKey(
        _ link: PaykitPrivateLink, _ status: PaykitPrivateLink.Status?, _ peer: PubkyKey
    ) async throws {
        guard case .keyChanged(let key)? = status else {
            Issue.record("\(String(describing: status))")
            return
        }
        await #expect(throws: PaykitError.self) {
            for one in try await link.requests() { try await pay(one, over: link) }
        }
        #expect(await captures(of: peer) == 0)
        try await link.trust(key)
        #expect(try await poll(link) == .linked)
        let request = try #require(try await link.requests().last)
        try await pay(request, over: link)
        try await poll(link)
        #expect(await captures(of: peer) == 1)
        #expect(try await link.receipts(for: request.id).count == 1)
    }

    /// An endpoint that was sent to this user alone is paid without a request, by a router, once.
    private func offered(_ client: PaykitClient, _ peer: PubkyKey) async throws {
        let router = try network.router(links: try await client.linkPayments(chain: .regtest))
        let payer = Payer(policy: .firstWhateverItCosts, settler: try network.settler)
        #expect(try await router.pay("pubky://\(peer)", as: payer).receipt != nil)
        #expect(await captures(of: peer) == 1)
        await #expect(throws: PaymentError.self) { try await router.pay("pubky://\(peer)", as: payer) }
        #expect(await captures(of: peer) == 1)
    }

    /// The app's requests cannot be paid; it pays a request to it, or does not.
    private func asked(
        _ scenario: Scenario, _ client: PaykitClient, _ link: PaykitPrivateLink, _ peer: PubkyKey
    ) async throws {
        for request in try await link.requests() {
            await #expect(throws: PaykitError.self) { try await pay(request, over: link) }
        }
        #expect(await captures(of: peer) == 0)
        let answers: [Scenario: (PaykitPrivateLinkRequest.Phase, Bool)] = [
            .pays: (.proven, true), .rejects: (.rejected, false), .accepts: (.accepted, false),
            .ignores: (.proposed, false),
        ]
        #expect(try await link.requests().isEmpty == answers.keys.contains(scenario))
        guard let (phase, isPaid) = answers[scenario] else { return }
        let me = try #require(await client.user)
        let own = try await link.ask(
            for: Money(minorUnits: 500, currency: .satoshi), reference: "lunch", methods: ["btc-lightning-bolt11"],
            at: [
                PaykitEndpoint(
                    methodID: "btc-lightning-bolt11", endpoint: await sandbox.createInvoice(500, for: me))
            ])
        try await poll(link)
        #expect(try await link.requests().map(\.phase) == [phase])
        #expect(await captures(of: me) == (isPaid ? 1 : 0))
        #expect((try await link.proof(of: own) != nil) == isPaid)
    }

    @Test("A request for each day is paid for each day, each by another invoice, until it is cancelled")
    func everyDay() async throws {
        let client = try await client()
        for (scenario, days) in [(Scenario.asksEveryDay, 3), (.cancelsLater, 1)] {
            let peer = try await sandbox.createLinkPeer(scenario).user.key
            let link = try await client.privateLink(with: peer.text)
            try await poll(link)
            for day in 1...days {
                // An invoice that is over is replaced.
                try await poll(link, 2)
                let request = try #require(try await link.requests().first)
                try await pay(request, over: link)
                try await poll(link)
                #expect(await captures(of: peer) == day)
                #expect(try await link.receipts(for: request.id).count == day)
                clock.advance(by: .seconds(86_400))
            }
            let last = try #require(try await link.requests().first)
            #expect(last.phase == (scenario == .cancelsLater ? .cancelled : .active))
            if scenario == .cancelsLater {
                await #expect(throws: PaykitError.self) { try await pay(last, over: link) }
                #expect(await captures(of: peer) == 1)
            }
        }
    }
}
