import PaykitProvider
import PaykitSandbox
package import PaymentCore
import PaymentCrypto
import PaymentSettlement
package import PaymentSimulation
import PaymentStandards
package import PaymentTesting
import Synchronization

/// Paykit: people on a simulated Pubky network, and their invoices, paid by the payer's settler. Only that settler sees
/// the money: its records and the sandbox's ledger are the truth. Some payees cannot be paid, and some publish
/// something else at each read.
package final class PaykitMarket: Market {
    private static let host = "127.0.0.1:6287"
    private static let reader = StandardsReader()

    /// - Parameters:
    /// - forgets: a mistake: the settler recognises no earlier payment.
    /// - pretends: a mistake: the settler refuses, and pays all the same.
    package static func maker(share: Int = 1, forgets: Bool = false, pretends: Bool = false) -> MarketMaker {
        MarketMaker(share: share) { try PaykitMarket($0, forgets: forgets, pretends: pretends) }
    }

    package let provider: any PaymentProvider
    private let sandbox: PubkySandbox
    private let changing: ChangingPayees
    private let settler: SimulatedSettler
    /// The amounts of the invoices and their payees, by hash.
    private let invoices = Mutex<[String: (amount: UInt128, payee: PubkyKey)]>([:])

    private init(_ world: SimulatedWorld, forgets: Bool, pretends: Bool) throws {
        var rules = PubkySandbox.Configuration()
        // Histories last for days, and expired invoices are another subject.
        rules.invoiceLifetime = 10 * 365 * 86_400
        sandbox = PubkySandbox(rules, clock: world.clock, random: world.random)
        changing = ChangingPayees(sandbox)
        for host in [Self.host, "localhost:6287"] { world.connect(changing, to: host) }
        settler = SimulatedSettler(world, sandbox, forgets: forgets, pretends: pretends)
        provider = PaykitProvider(
            network: try .sandbox(try HTTPURL("http://\(Self.host)")), reader: Self.reader)
    }

    package func makePayment(_ number: Int, _ random: SeededRandomSource) async -> MarketPayment {
        guard random.happens(0.5) else { return await makePayee(random.pick(PayeeKind.drawn), random) }
        return await makeInvoice(number)
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

    /// The result of payments to a payee.
    private enum PayeeKind {
        /// They are paid at each request.
        case usual
        /// They publish another invoice after each read: the chosen invoice is no longer the published one.
        case changing
        /// The payer's settler refuses each time.
        case refused
        /// They publish nothing, or nothing that can be paid.
        case useless
        /// They, or the server with their data, cannot be found.
        case lost

        /// Most can be paid.
        static let drawn: [PayeeKind] = [.usual, .usual, .usual, .changing, .changing, .refused, .useless, .lost]
        static let uselessOnes: [PubkySandbox.Scenario] = [
            .brokenEndpoints, .emptyDirectory, .hugeEndpoint, .endpointsGone, .thirdGeneration,
        ]
        static let lostOnes: [PubkySandbox.Scenario] = [
            .noHomeserver, .unknownKey, .unknownHomeserver, .homeserverDown, .homeserverFails, .relayUnavailable,
        ]
    }

    private func makePayee(_ kind: PayeeKind, _ random: SeededRandomSource) async -> MarketPayment {
        let scenario: PubkySandbox.Scenario =
            switch kind {
            case .usual, .refused: .chainOnly
            case .changing: .emptyDirectory
            case .useless: random.pick(PayeeKind.uselessOnes)
            case .lost: random.pick(PayeeKind.lostOnes)
            }
        let key = await sandbox.createUser(scenario).key
        if kind == .changing { await changing.add(key) }
        if kind == .refused, let file = await sandbox.file(at: "/pub/paykit.app/v0/onchain", of: key) {
            settler.refuse(String(decoding: file, as: UTF8.self))
        }
        return MarketPayment(
            reference: PaymentReference(provider: PaykitProvider.id, id: key.text),
            links: ["pubky://\(key)", "pubky\(key)", "pk:\(key)", "paykit:\(key)"])
    }

    package func equip(_ payer: inout Payer) {
        payer.settler = settler
        payer.amountChooser = { _ in try Money(minorUnits: 2100, currency: .satoshi) }
    }

    /// A payment to a payee has a reference that begins with the payee's.
    package func identity(of reference: String) -> String { String(reference.prefix { $0 != "/" }) }

    // MARK: Truth

    package func captures(of payment: PaymentReference) async -> Int {
        if let invoice = invoices.withLock({ $0[payment.id] }) {
            return await sandbox.ledger.captures(of: invoice.payee.text)
        }
        return settler.mostPayments { $0.provider == payment.provider && identity(of: $0.id) == payment.id }
    }

    package func isPaid(_ payment: PaymentReference) async -> Bool {
        let payee = invoices.withLock { $0[payment.id] }?.payee.text ?? payment.id
        return await sandbox.ledger.captures(of: payee) > 0
    }

    package func wasCaptured(_ attempt: PaymentAttempt) async -> Bool { settler.payments(by: attempt) > 0 }

    package func untruth(in receipt: PaymentReceipt, of payment: PaymentReference) async -> String? {
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

    /// An unpaid invoice can be paid by another attempt.
    package var canBePaidAfterRefusal: Bool { true }

    /// No request moves money here: the settler does.
    package func payment(movedBy request: HTTPRequest) -> String? { nil }
}
