import PaykitProvider
import PaymentCore
import PaymentCrypto
import PaymentSandbox
import PaymentStandards
import PaymentTesting
import Synchronization

/// Paykit: people on a simulated Pubky network, and their invoices, paid by the payer's own settler. Nobody but that
/// settler sees the money: its books and the sandbox's ledger are the truth.
final class PaykitMarket: Market {
    private static let host = "127.0.0.1:6287"
    private static let reader = StandardsReader()

    /// - Parameter forgets: a mistake: the settler knows no payment again.
    static func maker(share: Int = 1, forgets: Bool = false) -> MarketMaker {
        MarketMaker(share: share) { try PaykitMarket($0, forgets: forgets) }
    }

    let provider: any PaymentProvider
    private let sandbox: PubkySandbox
    private let settler: SimulatedSettler
    /// What the invoices are over, by their hashes, and who is paid by them.
    private let invoices = Mutex<[String: (amount: UInt128, payee: PubkyKey)]>([:])

    private init(_ world: SimulatedWorld, forgets: Bool) throws {
        var rules = PubkySandbox.Configuration()
        // Histories last for days, and an invoice that is over is another subject.
        rules.invoiceLifetime = 10 * 365 * 86_400
        sandbox = PubkySandbox(rules, clock: world.clock, random: world.random)
        for host in [Self.host, "localhost:6287"] { world.connect(sandbox, to: host) }
        settler = SimulatedSettler(world, sandbox, forgets: forgets)
        provider = PaykitProvider(
            network: try .sandbox(try HTTPURL("http://\(Self.host)")), reader: Self.reader)
    }

    func makePayment(_ number: Int, _ random: SeededRandomSource) async -> MarketPayment {
        if random.happens(0.6) { await makeInvoice(number) } else { await makePayee(number) }
    }

    private func makeInvoice(_ number: Int) async -> MarketPayment {
        let user = await sandbox.createUser(.emptyDirectory)
        let amount = UInt64(1000 + 100 * number)
        let invoice = await sandbox.createInvoice(amount, for: user.key)
        let hash = SettlementOffer.offers(in: invoice, Self.reader).first?.endpoint.paymentHash ?? ""
        invoices.withLock { $0[hash] = (UInt128(amount), user.key) }
        return MarketPayment(
            reference: PaymentReference(provider: PaykitProvider.id, id: hash),
            links: [
                "paykit:invoice?method=lightning&data=\(invoice)", "paykit:invoice?data=\(invoice)&method=lightning",
                "paykit:invoice?method=lightning&data=\(invoice.uppercased())",
            ], isForAll: true)
    }

    private func makePayee(_ number: Int) async -> MarketPayment {
        let key = await sandbox.createUser(.chainOnly).key
        return MarketPayment(
            reference: PaymentReference(provider: PaykitProvider.id, id: key.text),
            links: ["pubky://\(key)", "pubky\(key)", "pk:\(key)", "paykit:\(key)"])
    }

    func equip(_ payer: inout Payer) {
        payer.settler = settler
        payer.amountChooser = { _ in try Money(minorUnits: 2100, currency: .satoshi) }
    }

    /// Payments to a payee have names of their own, which begin with the payee's.
    func identity(of reference: String) -> String { String(reference.prefix { $0 != "/" }) }

    // MARK: Truth

    func captures(of payment: PaymentReference) async -> Int {
        if let invoice = invoices.withLock({ $0[payment.id] }) {
            return await sandbox.ledger.captures(of: invoice.payee.text)
        }
        return settler.mostPayments { $0.provider == payment.provider && identity(of: $0.id) == payment.id }
    }

    func isPaid(_ payment: PaymentReference) async -> Bool {
        let payee = invoices.withLock { $0[payment.id] }?.payee.text ?? payment.id
        return await sandbox.ledger.captures(of: payee) > 0
    }

    func wasCaptured(_ attempt: PaymentAttempt) async -> Bool { settler.payments(by: attempt) > 0 }

    func untruth(in receipt: PaymentReceipt, of payment: PaymentReference) async -> String? {
        guard let proof = receipt.transactionID else { return "has no proof" }
        guard let invoice = invoices.withLock({ $0[payment.id] }) else {
            if receipt.amount?.minorUnits != 2100 { return "states \(receipt)" }
            let isOwn = settler.proofs(of: receipt.reference).contains { $0.text == proof }
            return isOwn ? nil : "has the proof of another payment"
        }
        let hash = Hex.decode(proof).map { Hex.encode(Digest.sha256.hash($0)) }
        if hash != payment.id { return "has a wrong proof" }
        return receipt.amount?.minorUnits == invoice.amount ? nil : "states \(receipt)"
    }

    /// An invoice that nothing was sent for can be paid by another attempt.
    var canBePaidAfterRefusal: Bool { true }

    /// No request moves money here: the settler does.
    func payment(movedBy request: HTTPRequest) -> String? { nil }
}
