import PaymentCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The state of an order, as the wallet's records have it.
extension WalletSettler {
    /// The pause before a payment in flight is asked for again.
    static let pause = Duration.seconds(2)

    /// The reason of a name whose invoice another name has ordered.
    static let elsewhere = "another payment has ordered the invoice"

    /// Throws where an order was made for another invoice of the same payment hash: its proof would pass for this
    /// one's.
    static func require(_ order: WalletOrder, isFor text: String) throws(PaymentError) {
        if case .invoice(let invoice)? = order.payment, invoice.text == text { return }
        throw PaymentError(
            .integrity,
            "another invoice of the same payment hash was ordered; ask the payee for a new invoice")
    }

    func report(_ order: WalletOrder) async throws -> SettlementOrder {
        let (endpoint, thousandths): (SettlementEndpoint?, UInt64?) =
            switch order.payment {
            case .invoice(let invoice): (invoice.endpoint(on: network), invoice.amount)
            case .transaction(let transaction):
                (
                    SettlementEndpoint(.bitcoinAddress, text: transaction.address, network: network),
                    transaction.amount * 1000
                )
            case nil: (nil, nil)
            }
        return SettlementOrder(
            name: order.name, endpoint: endpoint,
            amount: try thousandths.map { try Money(minorUnits: UInt128($0), currency: .satoshi, exponent: 11) },
            state: try await state(of: order))
    }

    func state(of order: WalletOrder) async throws -> SettlementState {
        let (isOver, since): (Bool, Duration?)
        switch order.state {
        case .paid(let proof, _): return .settled(proof)
        case .refused(Self.elsewhere):
            if let hash = order.payment?.id, let other = try await orders.order(for: hash, at: clock.now),
                case .settled = try await state(of: other)
            {
                return .settledElsewhere(name: other.name)
            }
            return .nothingSent(reason: Self.elsewhere)
        case .refused(let reason): return .nothingSent(reason: reason)
        case .sending: (isOver, since) = (false, nil)
        case .asked(let date, let isDealtWith):
            let passed = Duration.seconds(max(0, clock.now.timeIntervalSince(date)))
            (isOver, since) = (isDealtWith || passed >= wallet.quietTime, passed)
        }
        guard let payment = order.payment, let owner = order.wallet else {
            throw PaymentError(.integrity, "an order is stored without a payment", phase: .maybeSent)
        }
        let account = try await account()
        guard account.id == owner else {
            throw PaymentError(
                .payer, "this payment was ordered at another wallet (\(owner)); ask that one what became of it",
                phase: .maybeSent, retry: .later)
        }
        let invoice: WalletInvoice
        switch payment {
        case .invoice(let known): invoice = known
        case .transaction(let transaction): return try await state(of: transaction, order.name, since)
        }
        let reason: String
        switch try await record(of: invoice, in: account) {
        case .inFlight: return .inFlight(retryAfter: Self.pause)
        case .paid(let preimage, let fee):
            try await orders.settle(order.name, .preimage(preimage), fee: fee)
            return .settled(.preimage(preimage))
        case .none: reason = "\(wallet.name) has no record of the payment"
        case .failed(let text): reason = text
        }
        // A request that may still arrive would make it untrue.
        guard isOver else { return .inFlight(retryAfter: since.map { wallet.quietTime - $0 } ?? Self.pause) }
        try await orders.refuse(order.name, because: reason)
        return .nothingSent(reason: reason)
    }
}
