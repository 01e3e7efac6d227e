import PaymentCore
import PaymentRouting
import PaymentTesting
import TestSupport
import Testing

@testable import PaykitKit
@testable import PaykitProvider
@testable import PaykitSandbox

/// Generation 2 requests that are paid by a router (Protocol 5.9).
@Suite("Sealed requests, by a router", .timeLimit(.minutes(1)))
struct RoutedMessageTests: NetworkSuite {
    let network = TestNetwork()
    private let shop: PaykitClient
    private let shopKey: PubkyKey
    private let mina: PubkyKeyPair

    init() async throws {
        mina = try PubkySamples.pair(0x11)
        shopKey = try PubkySamples.pair(0x22).publicKey
        shop = try await network.sandbox.client(0x22, clock: network.clock, seed: 22)
        for byte: UInt8 in [0x11, 0x33] {
            try await network.sandbox.client(byte, clock: network.clock, seed: UInt64(byte)).publishMessageKey()
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
    ) async throws -> Result<PaymentOutcome, PaymentError> {
        let router = try network.router(
            privately: pair.map {
                try PaykitChannelPayments(as: $0, over: LocalStreams(), store: InMemoryRecords(), chain: .regtest)
            }, journal: journal, seed: seed)
        let payer = Payer(policy: .firstWhateverItCosts, settler: try network.settler)
        do throws(PaymentError) { return .success(try await router.pay(link, as: payer)) } catch {
            return .failure(error)
        }
    }

    @Test("A request is paid once, with its amount, at what its sender publishes")
    func paid() async throws {
        try await publish(2100)
        let request = try await ask()
        let journal = InMemoryJournal()
        let receipt = try #require(try await pay(link(request), as: mina, journal).get().receipt)
        #expect(receipt.amount?.minorUnits == 2100 && receipt.transactionID != nil)
        #expect(isPaid(try await pay(link(request), as: mina, journal, seed: 4)))
        #expect(await captures(of: shopKey) == 1)
    }

    @Test("It is read by its payer alone, and by a provider that has the payer's key")
    func readable() async throws {
        try await publish(2100)
        let request = try await ask()
        #expect(code(try await pay(link(request), as: try PubkySamples.pair(0x33))) == .notFound)
        #expect(code(try await pay(link(request), as: nil)) == .unsupported)
        #expect(await captures(of: shopKey) == 0)
    }

    @Test("What was withdrawn, has expired, or is for another amount or method than is published, is not paid")
    func refused() async throws {
        try await publish(2100)
        let withdrawn = try await ask()
        try await shop.withdraw(withdrawn)
        #expect(code(try await pay(link(withdrawn), as: mina)) == .notFound)
        #expect(code(try await pay(link(try await ask(2101)), as: mina)) == .unusableOption)
        let onchain = try await shop.requestPayment(
            fromPubkey: mina.publicKey.text, amount: 2100, method: "onchain")
        #expect(code(try await pay(link(onchain), as: mina)) == .unusableOption)
        let late = try await ask(lifetime: .seconds(60))
        clock.advance(by: .seconds(61))
        #expect(code(try await pay(link(late), as: mina)) == .unusableOption)
        #expect(await captures(of: shopKey) == 0)
    }

    @Test("An invoice that was paid before pays no second request")
    func spent() async throws {
        try await publish(2100)
        #expect(isPaid(try await pay(link(try await ask()), as: mina)))
        let second = try await ask()
        #expect(!isPaid(try await pay(link(second), as: mina, seed: 5)))
        try await publish(2100)
        #expect(isPaid(try await pay(link(second), as: mina, seed: 6)))
        #expect(await captures(of: shopKey) == 2)
    }
}
