public import PaymentCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The paying of an order: stored first, and requested once.
extension WalletSettler {
    /// Pays an invoice, at most once.
    ///
    /// - Throws: any error, when it cannot be determined what became of the payment.
    public func settle(_ settlement: Settlement) async throws -> SettlementState {
        if let order = try await orders.order(named: settlement.key, at: clock.now) {
            return try await state(of: order)
        }
        let (invoice, end, message): (WalletInvoice, Date?, ServiceMessage?)
        switch read(settlement) {
        case .invoice(let read, let until): (invoice, end, message) = (read, until, nil)
        case .maker(let amount):
            do throws(PaymentError) {
                (invoice, end, message) = try await made(settlement, over: amount)
            } catch {
                return try await refuse(settlement.key, nil, because: error.message)
            }
        case .address(let amount, let wallet): return try await transfer(settlement, over: amount, from: wallet)
        case .unusable(let reason): return try await refuse(settlement.key, nil, because: reason)
        }
        if let other = try await orders(for: invoice) { return try await leave(invoice, to: other, settlement.key) }
        let account: WalletAccount
        var isForeign = false
        do throws(PaymentError) {
            account = try await self.account()
            switch try await record(of: invoice, in: account) {
            case .paid, .inFlight: isForeign = true
            case .none, .failed: break
            }
            if !isForeign, let objection = try await wallet.objection(to: invoice) {
                return try await refuse(settlement.key, .invoice(invoice), because: objection)
            }
        } catch {
            // No order has begun under this name, and after this none can.
            return try await refuse(settlement.key, .invoice(invoice), because: error.message)
        }
        guard !isForeign else { return try await leave(invoice, toOthersUnder: settlement.key) }
        var waits = 0
        while true {
            // Not every wallet looks.
            if let end, end <= clock.now {
                return try await refuse(
                    settlement.key, .invoice(invoice),
                    because: "the invoice has expired by this device's clock; ask for a new one")
            }
            let order = WalletOrder(
                name: settlement.key, wallet: account.id, payment: .invoice(invoice), placedAt: clock.now,
                state: .sending, message: message)
            switch try await orders.begin(order, alone: wallet.conduct.takesTurns) {
            case .known(let order): return try await leave(invoice, to: order, settlement.key)
            case .begun(let request):
                return try await finish(settlement.key, await request { [wallet] in await wallet.pay(invoice) })
            case .busy:
                waits += 1
                guard waits <= Self.turns, (try? await clock.sleep(for: Self.pause)) != nil else {
                    return try await refuse(
                        settlement.key, .invoice(invoice),
                        because:
                            "\(wallet.name) is still busy with another payment of this wallet; pay again in a minute")
                }
            }
        }
    }

    /// The number of pauses for which a payment waits for another one at a wallet that takes turns.
    private static let turns = 35

    /// Notes the answer to the one request of an order.
    func finish(_ name: String, _ answer: WalletAnswer) async throws -> SettlementState {
        try await orders.endRequest(of: name, isDealtWith: answer == .dealtWith, now: clock.now)
        // The only request of this order: what it has not sent, nothing has.
        if case .sentNothing(let reason) = answer { try await orders.refuse(name, because: reason) }
        guard let order = try await orders.order(named: name, at: clock.now) else {
            throw PaymentError(.payer, "the order is gone from the stored ones", phase: .maybeSent, retry: .later)
        }
        return try await state(of: order)
    }

    /// Promises that nothing is ever sent under a name, unless it was requested already.
    ///
    /// - Parameter name: ``/PaymentCore/Settlement/key``.
    /// - Returns: ``/PaymentCore/SettlementState/nothingSent(reason:)``, which is the promise; or what an order of this
    ///   name says.
    /// - Throws: any error, when it cannot be determined what became of an order of this name.
    public func abandon(_ name: String) async throws -> SettlementState {
        try await refuse(name, nil, because: "it was abandoned")
    }

    /// Ends an order whose request is over by a person's decision that it has sent nothing: one whose wallet cannot
    /// prove it. Where the wallet says that the payment is in flight, it is not ended; where it says later that it
    /// paid, the order becomes paid.
    ///
    /// - Parameters:
    ///   - name: ``/PaymentCore/Settlement/key``.
    ///   - evidence: what the person has seen, such as the record of the node behind a server.
    /// - Returns: the state of the order.
    /// - Throws: any error, when it cannot be stored, or when the name has no order.
    public func end(_ name: String, because evidence: String) async throws -> SettlementState {
        if case .invoice(let invoice)? = try await orders.order(named: name, at: clock.now)?.payment,
            let account = try? await account(), case .inFlight? = try? await record(of: invoice, in: account)
        {
            return .inFlight(retryAfter: Self.pause)
        }
        try await orders.refuse(name, because: evidence)
        guard let order = try await orders.order(named: name, at: clock.now) else {
            throw PaymentError(.payer, "there is no order of this name")
        }
        return try await state(of: order)
    }

    /// Ends a name whose invoice the wallet has paid, or is paying, by no order that was known at the first look.
    private func leave(_ invoice: WalletInvoice, toOthersUnder name: String) async throws -> SettlementState {
        // An order is stored before its request: another process may have placed one in the meantime.
        if let placed = try await orders(for: invoice) { return try await leave(invoice, to: placed, name) }
        // One that was refused after its request had left was paid after all.
        if let refused = try await orders.requested(for: invoice.paymentHash),
            case .settled = try await state(of: refused)
        {
            return try await leave(invoice, to: refused, name)
        }
        // A registered name without an order was never requested. Any other may be this payment, whose order was lost.
        guard try await orders.isRegistered(name) else {
            throw PaymentError(
                .payer,
                "\(wallet.name) has paid this invoice, or is paying it, without an order: look into the wallet before "
                    + "you pay again", phase: .maybeSent)
        }
        return try await refuse(
            name, .invoice(invoice),
            because: "\(wallet.name) has paid this invoice, or is paying it, for another program or device")
    }

    /// Ends a name whose invoice another name has ordered.
    private func leave(_ invoice: WalletInvoice, to order: WalletOrder, _ name: String) async throws -> SettlementState
    {
        guard order.name != name else { return try await state(of: order) }
        try Self.require(order, isFor: invoice.text)
        return try await refuse(name, .invoice(invoice), because: Self.elsewhere)
    }

    func refuse(
        _ name: String, _ payment: WalletOrder.Payment?, because reason: String
    ) async throws(PaymentError) -> SettlementState {
        do {
            let order = WalletOrder(
                name: name, payment: payment, placedAt: clock.now,
                state: .refused(reason: reason, wasRequested: false))
            return try await state(of: orders.refuse(order))
        } catch { throw Self.open(error) }
    }

    private func orders(for invoice: WalletInvoice) async throws(PaymentError) -> WalletOrder? {
        do { return try await orders.order(for: invoice.paymentHash, at: clock.now) } catch { throw Self.open(error) }
    }

    private static func open(_ error: any Error) -> PaymentError {
        error as? PaymentError
            ?? PaymentError(.payer, "the orders failed: \(error)", retry: .later, cause: error)
    }
}
