import PaykitKit
import PaykitProvider
package import PaymentCore
import PaymentTesting
package import PaymentWallet
package import SandboxSupport

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
        return [
            PaykitProvider(
                network: try .sandbox(sandbox), reader: settings.reader,
                privately: try settings.privately.map(Self.privately),
                links: try settings.privately.map(SandboxLinks.payments))
        ]
    }

    private static func privately(_ settings: PrivateSettings) throws -> PaykitChannelPayments {
        let receipts: any ReceiptStore =
            if let journal = settings.journal { ReceiptFile(path: journal + ".receipts") } else { InMemoryReceipts() }
        return try PaykitChannelPayments(
            as: try SandboxLinks.pair(settings), over: TCPTransport(), receipts: receipts,
            use: settings.isOnly ? .only : .preferred, chain: .regtest)
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
        func demo(_ title: String, _ scenario: String, isPaidTwice: Bool = false) -> DemoScenario {
            DemoScenario(
                title, scenario, .succeeded, captures: 1, lastEvent: .settled, isPaidTwice: isPaidTwice)
        }
        return [
            demo("a payee on the Pubky network", "ready"),
            demo("same invoice paid twice", "invoice", isPaidTwice: true),
            demo("Lightning invoice by itself", "bare-invoice"),
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

/// Receipts in a file.
private struct ReceiptFile: ReceiptStore {
    private let file: LateFile<SQLiteReceipts>

    init(path: String) { file = LateFile { try SQLiteReceipts(path: path) } }

    func keep(_ receipt: ChannelReceipt) async throws -> ChannelReceipt { try await file.store.keep(receipt) }
    func advance(_ receipt: ChannelReceipt, from stages: Set<ChannelReceipt.Stage>) async throws -> Bool {
        try await file.store.advance(receipt, from: stages)
    }
    func receipt(_ id: ChannelReceipt.ID) async throws -> ChannelReceipt? { try await file.store.receipt(id) }
    func receipts(before earlier: ChannelReceipt.ID?, limit: Int) async throws -> [ChannelReceipt] {
        try await file.store.receipts(before: earlier, limit: limit)
    }
    func note(_ arrival: ChannelArrival) async throws -> Bool { try await file.store.note(arrival) }
    func isNoted(_ arrival: ChannelArrival) async throws -> Bool { try await file.store.isNoted(arrival) }
}
