import PaykitKit
import PaykitProvider
package import PaymentCore
package import PaymentLoopback
import PaymentStore
package import PaymentTesting
package import PaymentWallet
package import SandboxSupport

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Paykit, as one of the sandbox's vendors.
package struct PaykitVendor: SandboxVendor {
    package init() {}

    package var id: ProviderID { PaykitProvider.id }
    package var paysStandards: Bool { true }
    package var paysPrivately: Bool { true }

    package func providers(_ settings: VendorSettings) throws -> [any PaymentService] {
        guard let sandbox = settings.sandbox else {
            let network = try PubkyNetwork.standard(dht: DHTResolver(transport: UDPTransport()))
            return [PaykitProvider(network: network, reader: settings.reader)]
        }
        guard let privately = settings.privately else {
            return [PaykitProvider(network: try .sandbox(sandbox), reader: settings.reader)]
        }
        let store = Self.store(privately)
        return [
            PaykitProvider(
                network: try .sandbox(sandbox), reader: settings.reader,
                privately: try PaykitChannelPayments(
                    as: try SandboxLinks.pair(privately), over: TCPTransport(), store: store,
                    use: privately.isOnly ? .only : .preferred, chain: .regtest),
                links: try SandboxLinks.payments(privately, store))
        ]
    }

    /// Returns the store of a payer's receipts and links: a file next to the journal; memory without one.
    static func store(_ settings: PrivateSettings) -> any RecordStore {
        if let journal = settings.journal { LateRecords(path: journal + ".private") } else { InMemoryRecords() }
    }

    package func links(
        _ settings: PrivateSettings, at sandbox: HTTPURL, over transport: any HTTPTransport, clock: any PaymentClock,
        random: any RandomSource
    ) throws -> (any PrivateLinks)? {
        try SandboxLinks(settings, at: sandbox, over: transport, clock: clock, random: random)
    }

    package func makeSandbox(_ settings: SandboxSettings) -> (any ListedService)? {
        var configuration = PubkySandbox.Configuration()
        if let lifetime = settings.lifetime { configuration.invoiceLifetime = UInt64(max(0, lifetime)) }
        return PubkySandbox(configuration, clock: settings.clock, random: settings.random)
    }

    package func payer(
        _ wallet: DevelopmentWallet, at sandbox: HTTPURL, over transport: any HTTPTransport
    ) -> Payer? { Payer(settler: SandboxSettler(at: sandbox, over: transport)) }

    package var demo: [DemoScenario] {
        typealias Scenario = PubkySandbox.Scenario
        typealias Text = PubkySandbox.Text
        return [
            DemoScenario("a payee on the Pubky network", Scenario.ready, .succeeded, captures: 1, last: .settled),
            DemoScenario(
                "same invoice paid twice", Text.invoice, .succeeded, captures: 1, last: .settled, isPaidTwice: true),
            DemoScenario("Lightning invoice by itself", Text.bareInvoice, .succeeded, captures: 1, last: .settled),
        ]
    }

    package var samples: [SampleText] {
        let key = "8pinxxgqs41n4aididenw5apqp1urfmzdztr8jt4abrkdn435ewo"
        return [
            SampleText("a payee on the Pubky network", "pubky://\(key)", .matched, isVerified: true),
            SampleText("the same key by itself", key, .matched, isVerified: true),
        ]
    }
}

/// Payments are named by the keys of their payees. No server is notified: payees look at their received payments.
extension PubkySandbox: ListedService {
    /// A payment text that requires no lookup of a payee.
    fileprivate enum Text: String, CaseIterable {
        case invoice
        case bareInvoice = "bare-invoice"
        case bareAddress = "bare-address"

        var summary: String {
            switch self {
            case .invoice: "a link with an invoice"
            case .bareInvoice: "an invoice by itself"
            case .bareAddress: "an address on the chain, with an amount"
            }
        }
    }

    /// The behaviours of payees with a private channel. Those that never answer would delay every payer.
    private static let manners: [PeerManner] = [
        .ready, .unconfirming, .refuses, .anotherAmount, .anotherInvoice, .closesAtOnce, .notListening,
    ]
    private static let privately = "private-"
    private static let openAmounts: Set<Scenario> = [
        .openAmount, .chainOnly, .emptyEndpoint, .expiredInvoice, .lightningAddress,
    ]

    package nonisolated var id: String { PaykitProvider.id.rawValue }
    package nonisolated var title: String { "Paykit" }
    /// The ports of the published testnet: the homeserver's, the pkarr relay's, and that of the relay of
    /// authorisations.
    package nonisolated var testnet: ListedTestnet? {
        ListedTestnet(port: 6286, parts: [(15_411, "/pkarr"), (15_412, "")])
    }
    /// Payees' amounts are in their published endpoints.
    package nonisolated var currency: String? { nil }
    package nonisolated var hint: String? {
        "Money is simulated: invoices and addresses are of regtest, and no real funds move. For an app: "
            + "PubkyNetwork.sandbox(…) at this address; the homeserver is \(homeserver), the relay of signed packets "
            + "below /pkarr, the HTTP relay of authorisations below /link and /inbox."
    }

    package nonisolated var scenarios: [SimulatedScenario] {
        Scenario.allCases.map { SimulatedScenario($0) }
            + Text.allCases.map {
                SimulatedScenario($0.rawValue, $0.summary, ending: .paid, group: SimulatedScenario.payable)
            }
            + Self.manners.map {
                SimulatedScenario(
                    Self.privately + $0.rawValue, Self.summary($0),
                    ending: [.confirmed, .paid].contains($0.expectedOutcome) ? .paid : .refused,
                    group: "Asked for an invoice over a private channel")
            }
    }

    package nonisolated var pages: [ListedPage] {
        [
            ListedPage("Paykit's payees, and what came to them", "/sandbox/paykit/payees"),
            ListedPage("Paykit's apps with private links", "/sandbox/paykit/links"),
        ]
    }

    package nonisolated func routes() -> [SharedAddress.Tenant] { [.init(self, paths: Self.paths)] }

    package func make(_ scenario: String, amount: Money?, at base: HTTPURL) async -> SandboxPayment? {
        guard amount == nil else { return nil }
        if let text = Text(rawValue: scenario) { return payment(text) }
        if let manner = Self.manners.first(where: { Self.privately + $0.rawValue == scenario }) {
            return await privatePayment(manner)
        }
        guard let scenario = Scenario(rawValue: scenario) else { return nil }
        let user = createUser(scenario)
        let isOpen = scenario.expectedOutcome == .payable && Self.openAmounts.contains(scenario)
        return SandboxPayment(
            id: user.key.text, scenario: scenario.rawValue, summary: scenario.summary, link: user.link,
            satoshi: isOpen ? 2100 : nil)
    }

    /// Returns a payee who can be asked over a private channel until the sandbox is closed.
    private func privatePayment(_ manner: PeerManner) async -> SandboxPayment? {
        guard let peer = try? await createPeer(manner, over: TCPTransport()) else { return nil }
        listening.append(Task { await peer.run() })
        return SandboxPayment(
            id: peer.user.key.text, scenario: Self.privately + manner.rawValue, summary: Self.summary(manner),
            link: peer.user.link, isPrivate: true)
    }

    private static func summary(_ manner: PeerManner) -> String { "asked privately, \(manner.summary)" }

    private func payment(_ text: Text) -> SandboxPayment? {
        let user = createUser(.ready)
        let invoice = createInvoice(2100, for: user.key)
        let address = file(at: "/pub/paykit.app/v0/onchain", of: user.key)
        let link: String
        switch text {
        case .invoice: link = "paykit:invoice?method=lightning&data=\(invoice)"
        case .bareInvoice: link = "lightning:\(invoice)"
        case .bareAddress:
            guard let address = address.flatMap({ String(validating: $0, as: UTF8.self) }) else { return nil }
            link = "bitcoin:\(address)?amount=0.000021"
        }
        return SandboxPayment(id: user.key.text, scenario: text.rawValue, summary: text.summary, link: link)
    }

    package func payment(named word: String) -> String? {
        (invoices[word]?.payee ?? transactions[word] ?? payees[word])?.text
    }

    package func facts(of payment: String) -> ListedFacts {
        guard let key = try? PubkyKey(payment) else { return ListedFacts() }
        return ListedFacts(payee: users[key]?.name, kind: linkAccounts[key] == nil ? nil : "app with private links")
    }

    package func pages(of payment: String) -> [ListedPage] {
        guard let key = try? PubkyKey(payment), users[key] != nil else { return [] }
        return [
            ListedPage("Payer's wallet", "/sandbox/paykit/payer/\(key)"),
            ListedPage("Payee's side", "/sandbox/paykit/payees/\(key)"),
        ] + (linkAccounts[key] == nil ? [] : [ListedPage("Private links", PeerConsolePage.links(key))])
    }

    package func close() {
        for task in listening { task.cancel() }
        listening = []
    }
}

extension SimulatedScenario {
    fileprivate static let payable = "Can be paid"

    /// A payee without a way to pay is refused before anything is sent to a wallet.
    fileprivate init(_ scenario: PubkySandbox.Scenario) {
        let (ending, group): (Ending, String?) =
            switch scenario.expectedOutcome {
            case .payable: (.paid, Self.payable)
            case .unknownUser: (.refused, "There is no such payee")
            case .unreachable: (.refused, "The payee cannot be reached")
            case .nothing: (.refused, "The payee accepts nothing")
            case .error: (.refused, nil)
            }
        self.init(scenario.rawValue, scenario.summary, ending: ending, group: group)
    }
}

/// The records of a file that is opened, and created, at the first access. A command that does not use it creates no
/// file.
private actor LateRecords: RecordStore {
    private let path: String
    private var opened: SQLiteRecords?

    init(path: String) { self.path = path }

    private var base: SQLiteRecords {
        get throws {
            if let opened { return opened }
            let records = try SQLiteRecords(path: path)
            opened = records
            return records
        }
    }

    func transact(
        _ ranges: [RecordRange], under lease: RecordLease?, at now: Date,
        _ decide: @escaping @Sendable ([[StoredRecord]]) throws -> [RecordWrite]
    ) async throws {
        try await base.transact(ranges, under: lease, at: now, decide)
    }
    func records(_ ranges: [RecordRange]) async throws -> [[StoredRecord]] { try await base.records(ranges) }
    func records(_ query: RecordQuery) async throws -> [StoredRecord] { try await base.records(query) }
    func acquire(_ lease: RecordLease, at now: Date) async throws -> Bool { try await base.acquire(lease, at: now) }
    func renew(_ lease: RecordLease, at now: Date) async throws { try await base.renew(lease, at: now) }
    func release(_ lease: RecordLease) async throws { try await base.release(lease) }
}
