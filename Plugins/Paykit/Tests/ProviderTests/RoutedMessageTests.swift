import Foundation
import PaymentCore
import PaymentRouting
import PaymentStandards
import PaymentTesting
import TestSupport
import Testing

@testable import PaykitKit
@testable import PaykitProvider
@testable import PaykitSandbox

/// Generation 2 requests that are paid by a router (Protocol 5.9).
@Suite("Sealed requests, by a router", .timeLimit(.minutes(1)))
struct RoutedMessageTests {
    private let clock = VirtualClock()
    private let sandbox: PubkySandbox
    private let url: HTTPURL
    private let shop: PaykitClient
    private let shopKey: PubkyKey
    private let mina: PubkyKeyPair

    init() async throws {
        url = try HTTPURL("http://localhost:6286")
        sandbox = PubkySandbox(clock: clock, random: SeededRandomSource(seed: 1))
        mina = try PubkySamples.pair(0x11)
        (shop, shopKey) = (
            try await sandbox.client(0x22, clock: clock, seed: 22), try PubkySamples.pair(0x22).publicKey
        )
        for byte: UInt8 in [0x11, 0x33] {
            try await sandbox.client(byte, clock: clock, seed: UInt64(byte)).publishMessageKey()
        }
    }

    private func publish(_ satoshis: UInt64?) async throws {
        try await shop.setEndpoint(
            methodId: "lightning", endpoint: await sandbox.createInvoice(satoshis, for: shopKey))
    }

    private func ask(_ amount: UInt64 = 2100, lifetime: Duration? = nil) async throws -> PaykitPaymentRequest {
        try await shop.requestPayment(
            fromPubkey: mina.publicKey.text, amount: amount, note: "lunch", lifetime: lifetime)
    }

    private func link(_ request: PaykitPaymentRequest) -> String {
        "paykit:request?request_id=\(request.id)&from=pubky://\(shopKey)"
    }

    /// Pays as a user; nil for a provider without the user's key.
    private func pay(
        _ link: String, as pair: PubkyKeyPair?, _ journal: InMemoryJournal = InMemoryJournal(), seed: UInt64 = 3
    ) async -> Result<PaymentOutcome, PaymentError> {
        do throws(PaymentError) {
            let provider: PaykitProvider
            let transport = SandboxTransport(sandbox)
            let router: PaymentRouter
            do {
                provider = PaykitProvider(
                    network: try .sandbox(url), reader: StandardsReader(),
                    privately: try pair.map {
                        try PaykitChannelPayments(
                            as: $0, over: LocalStreams(), receipts: InMemoryReceipts(), chain: .regtest)
                    })
                router = PaymentRouter(
                    registry: try ProviderRegistry([provider]), transport: transport, journal: journal,
                    readers: [StandardsReader()], clock: clock, random: SeededRandomSource(seed: seed))
            } catch { throw PaymentError(.integrity, "\(error)") }
            return .success(
                try await router.pay(
                    link,
                    as: Payer(policy: .firstWhateverItCosts, settler: SandboxSettler(at: url, over: transport))))
        } catch { return .failure(error) }
    }

    private var captures: Int { get async { await sandbox.ledger.captures(of: shopKey.text) } }

    @Test("A request is paid once, with its amount, at what its sender publishes")
    func paid() async throws {
        try await publish(2100)
        let request = try await ask()
        let journal = InMemoryJournal()
        guard case .success(.succeeded(let receipt)) = await pay(link(request), as: mina, journal) else {
            Issue.record("it is not paid")
            return
        }
        #expect(receipt.amount?.minorUnits == 2100 && receipt.transactionID != nil)
        #expect(isPaid(await pay(link(request), as: mina, journal, seed: 4)))
        #expect(await captures == 1)
    }

    @Test("It is read by its payer alone, and by a provider that has the payer's key")
    func readable() async throws {
        try await publish(2100)
        let request = try await ask()
        #expect(code(await pay(link(request), as: try PubkySamples.pair(0x33))) == .notFound)
        #expect(code(await pay(link(request), as: nil)) == .unsupported)
        #expect(await captures == 0)
    }

    @Test("What was withdrawn, has expired, or is for another amount or method than is published, is not paid")
    func refused() async throws {
        try await publish(2100)
        let withdrawn = try await ask()
        try await shop.withdraw(withdrawn)
        #expect(code(await pay(link(withdrawn), as: mina)) == .notFound)
        #expect(code(await pay(link(try await ask(2101)), as: mina)) == .unusableOption)
        let onchain = try await shop.requestPayment(
            fromPubkey: mina.publicKey.text, amount: 2100, method: "onchain")
        #expect(code(await pay(link(onchain), as: mina)) == .unusableOption)
        let late = try await ask(lifetime: .seconds(60))
        clock.advance(by: .seconds(61))
        #expect(code(await pay(link(late), as: mina)) == .unusableOption)
        #expect(await captures == 0)
    }

    @Test("An invoice that was paid before pays no second request")
    func spent() async throws {
        try await publish(2100)
        #expect(isPaid(await pay(link(try await ask()), as: mina)))
        let second = try await ask()
        #expect(!isPaid(await pay(link(second), as: mina, seed: 5)))
        try await publish(2100)
        #expect(isPaid(await pay(link(second), as: mina, seed: 6)))
        #expect(await captures == 2)
    }
}
