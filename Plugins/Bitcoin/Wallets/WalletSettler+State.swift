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

    /// The pause before an order is asked for again that ends by the growth of the chain.
    static let blockPause = Duration.seconds(600)

    /// The number of blocks after which a request whose connection has ended counts as carried out, where the node has
    /// a final record of its payment: an hour, which no proxy holds a request for, and no clock can fake.
    static let restingBlocks: UInt64 = 6

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
        switch order.state {
        case .paid(let proof, _): return .settled(proof)
        case .refused(let reason, let wasRequested):
            return try await state(ofRefused: order, reason, wasRequested: wasRequested)
        case .sending, .asked: break
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
        switch payment {
        case .invoice(let invoice): return try await state(of: invoice, order, account)
        case .transaction(let transaction): return try await state(of: transaction, order, account)
        }
    }

    /// Asks the wallet what became of an invoice whose request is out, or is over.
    private func state(
        of invoice: WalletInvoice, _ order: WalletOrder, _ account: WalletAccount
    ) async throws -> SettlementState {
        let reason: String
        let blocks: UInt64?
        switch try await record(of: invoice, in: account) {
        case .inFlight: return .inFlight(retryAfter: Self.pause)
        case .paid(let proof, let fee): return try await settle(order, proof, fee: fee)
        case .none:
            reason = "\(wallet.name) has no record of the payment"
            // A request that reaches the node after the invoice's end is refused by it.
            blocks = wallet.conduct.refusesExpired ? lifetime(of: invoice) : nil
        case .failed(let text, isFinal: true): (reason, blocks) = (text, Self.restingBlocks)
        case .failed(let text, _):
            guard case .asked = order.state else { return .inFlight(retryAfter: Self.pause) }
            throw PaymentError(
                .payer,
                "\(wallet.name) says that the payment failed, which it may still correct (\(text)). Ask again later, "
                    + "and look at its node before you end this payment or pay in another way",
                phase: .maybeSent, retry: .later)
        }
        guard case .asked(_, let isDealtWith, _) = order.state else { return .inFlight(retryAfter: Self.pause) }
        if !isDealtWith, try await !isOver(order, account, after: blocks) {
            return .inFlight(retryAfter: Self.blockPause)
        }
        try await orders.refuse(order.name, because: reason)
        return .nothingSent(reason: reason)
    }

    /// Returns true if the chain has grown by so many blocks since the end of an order's request was first seen.
    func isOver(_ order: WalletOrder, _ account: WalletAccount, after blocks: UInt64?) async throws -> Bool {
        guard case .asked(_, _, let seen) = order.state, let blocks, let height = account.height else { return false }
        guard let seen else {
            try await orders.note(height: height, for: order.name)
            return false
        }
        return height >= seen && height - seen >= blocks
    }

    /// The number of blocks in which an invoice has expired, whatever this device's clock says: twice as many as there
    /// are on average in the whole time for which it was made, and a day's. Nil for an invoice that does not say so.
    private func lifetime(of invoice: WalletInvoice) -> UInt64? {
        lifetimeSeconds(invoice).map { 144 + $0 / 300 }
    }

    private func lifetimeSeconds(_ invoice: WalletInvoice) -> UInt64? {
        guard let link = try? PaymentLink("lightning:" + invoice.text),
            case .instruction(let instruction) = reader.read(link)
        else { return nil }
        guard invoice.isOffered else { return instruction.fields["expirySeconds"]?.uint64 }
        return OfferInvoice.lifetime(instruction)
    }

    // MARK: Ends

    /// Ends an order as paid.
    func settle(_ order: WalletOrder, _ proof: SettlementProof, fee: UInt64?) async throws -> SettlementState {
        try await orders.settle(order.name, proof, fee: fee)
        guard case .paid(let stored, _)? = try await orders.order(named: order.name, at: clock.now)?.state else {
            throw PaymentError(
                .payer, "what the wallet has paid could not be stored with the order; ask again", phase: .maybeSent,
                retry: .later)
        }
        return .settled(stored)
    }

    /// Returns the state of an order that was refused: paid by another name, or paid after all. What was refused after
    /// its request had left is looked for again; where the wallet does not answer, the refusal stands.
    private func state(
        ofRefused order: WalletOrder, _ reason: String, wasRequested: Bool
    ) async throws -> SettlementState {
        let hash = order.payment?.id
        let other: WalletOrder? =
            if let hash { try await orders.order(for: hash, at: clock.now) } else { nil }
        if reason == Self.elsewhere, let other, case .settled? = try? await state(of: other) {
            return .settledElsewhere(name: other.name)
        }
        // The wallet's record of an invoice that another name has ordered is about that one.
        guard wasRequested, other == nil, let account = try? await account(), account.id == order.wallet else {
            return .nothingSent(reason: reason)
        }
        switch order.payment {
        case .invoice(let invoice):
            guard case .paid(let proof, let fee)? = try? await record(of: invoice, in: account) else { break }
            return try await settle(order, proof, fee: fee)
        case .transaction(let transaction):
            guard let wallet = wallet as? any ChainWallet,
                case .published? = try? await wallet.record(of: transaction)
            else { break }
            return try await settle(order, .transaction(transaction.id), fee: transaction.fee * 1000)
        case nil: break
        }
        return .nothingSent(reason: reason)
    }
}
