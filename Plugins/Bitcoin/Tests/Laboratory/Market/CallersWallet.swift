import BitcoinProvider
import BitcoinSandbox
package import PaymentCore
import PaymentCrypto
import PaymentSettlement
package import PaymentSimulation
import PaymentStandards
package import PaymentTesting
import Synchronization

/// Payees whose invoices, addresses and names the callers of a server pay from their own wallets. The wallets pay
/// whatever they are asked for, and know no payment again: what they have paid is the truth.
package final class CallersWallet: CallersMarket {
    package static func maker(share: Int = 1) -> MarketMaker { MarketMaker(share: share) { CallersWallet($0) } }

    /// A payment of a caller's wallet.
    private struct Paid {
        /// The settlement that asked for it.
        let name: String
        let endpoint: String
        let amount: String
        let proof: String
    }

    private struct State {
        var preimages: [String: String] = [:]
        /// The destination of each payment, by its one name.
        var endpoints: [String: String] = [:]
        /// The one name of a payment, by every name that a spelling of its link has.
        var names: [String: String] = [:]
        var paid: [Paid] = []
    }

    private static let payee = "bob@pay.example"

    package let provider: any PaymentProvider = BitcoinProvider(reader: StandardsReader())
    package let readers: [any InstructionReader] = [StandardsReader()]
    private let node: SimulatedNode
    private let world: SimulatedWorld
    private let state = Mutex(State())

    private init(_ world: SimulatedWorld) {
        self.world = world
        node = SimulatedNode(.lnd, clock: world.clock)
    }

    // MARK: Payments

    package func makePayment(_ number: Int, _ random: SeededRandomSource) async -> MarketPayment {
        switch random.below(5) {
        case 0, 1:
            guard let invoice = try? node.invoice(UInt64(1000 + 100 * number) * 1000, lifetime: 10 * 365 * 86_400)
            else { preconditionFailure("an invoice can be written") }
            state.withLock { $0.preimages[invoice.text] = Hex.encode(invoice.preimage) }
            return payment(
                [
                    "lightning:\(invoice.text)", "LIGHTNING:\(invoice.text.uppercased())",
                    "bitcoin:?lightning=\(invoice.text)", invoice.text,
                ], to: invoice.text)
        case 2, 3:
            let key = Digest.sha256.hash(Array("address \(number)".utf8)).prefix(20)
            let address = Bech32.encode(prefix: "bcrt", groups: [0] + Bech32.groups(of: key), .bech32)
            let amount = "0.0000\(1000 + 100 * number)"
            return payment(
                [
                    "bitcoin:\(address)?amount=\(amount)&label=order-\(number)",
                    "BITCOIN:\(address.uppercased())?amount=\(amount)&label=order-\(number)",
                    "bitcoin:\(address)?label=order%2D\(number)&amount=\(amount)",
                    "bitcoin:\(address)?AMOUNT=\(amount)&LABEL=%6frder-\(number)",
                ], to: address)
        default: return payment(["lightning:\(Self.payee)", "LIGHTNING:\(Self.payee)"], to: Self.payee)
        }
    }

    private func payment(_ links: [String], to endpoint: String) -> MarketPayment {
        let names = links.compactMap { try? provider.recognize(PaymentLink($0))?.reference }
        guard let name = names.first, names.count == links.count else {
            preconditionFailure("\(links): \(names)")
        }
        state.withLock { state in
            for other in names { state.names[other] = name }
            state.endpoints[name] = endpoint
        }
        return MarketPayment(reference: PaymentReference(provider: BitcoinProvider.id, id: name), links: links)
    }

    /// A payment to a payee has a name that begins with the payee's.
    package func identity(of reference: String) -> String {
        let name = String(reference.prefix { $0 != "/" })
        return state.withLock { $0.names[name] ?? name }
    }

    package func isPayee(_ payment: PaymentReference) -> Bool {
        state.withLock { $0.endpoints[payment.id] } == Self.payee
    }

    // MARK: Paying

    package func pay(_ question: JSONValue) -> JSONValue {
        let endpoint = question["endpoint"]?.string ?? ""
        let known = state.withLock { $0.preimages[endpoint] }
        let proof = known ?? world.random.hex(64)
        let paid = Paid(
            name: question["settlement"]?.string ?? "", endpoint: endpoint, amount: question["amount"]?.string ?? "",
            proof: proof)
        state.withLock { $0.paid.append(paid) }
        world.note("a caller pays \(paid.amount) to \(endpoint.prefix(20)) for \(paid.name)")
        return [question["endpointKind"] == "bitcoin-address" ? "transaction" : "preimage": .string(proof)]
    }

    // MARK: Truth

    private func paid(_ payment: PaymentReference) -> [Paid] {
        state.withLock { state in
            let endpoint = state.endpoints[identityLocked(payment.id, state)]
            return state.paid.filter { $0.endpoint == endpoint }
        }
    }

    private func identityLocked(_ reference: String, _ state: State) -> String {
        let name = String(reference.prefix { $0 != "/" })
        return state.names[name] ?? name
    }

    /// Payments to a payee are counted by their attempts alone: each key has its own.
    package func captures(of payment: PaymentReference) async -> Int {
        let count = paid(payment).count
        return isPayee(payment) ? min(1, count) : count
    }

    package func isPaid(_ payment: PaymentReference) async -> Bool { !paid(payment).isEmpty }

    package func wasCaptured(_ attempt: PaymentAttempt) async -> Bool {
        let name = SettlementFlow.name(for: attempt.idempotencyKey)
        return state.withLock { $0.paid.contains { $0.name == name } }
    }

    package func untruth(in receipt: PaymentReceipt, of payment: PaymentReference) async -> String? {
        let isTrue = paid(payment).contains { paid in
            receipt.transactionID == paid.proof && receipt.amount?.decimalText == paid.amount
        }
        return isTrue ? nil : "states \(receipt)"
    }

    /// An unpaid invoice can be paid by another attempt.
    package var canBePaidAfterRefusal: Bool { true }

    /// No request of a router moves money here: the callers' wallets do.
    package func payment(movedBy request: HTTPRequest) -> String? { nil }
}
