public import PaymentCore
import PaymentSettlement

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Pays Lightning invoices from the payer's own wallet: LNbits, LND, Core Lightning or phoenixd.
///
/// ```swift
/// let wallet = LNbitsWallet(at: try HTTPURL(service: "https://lnbits.example"), key: Redacted(key), over: transport)
/// let settler = WalletSettler(
///     wallet, orders: try WalletOrders(path: "payments.orders"), reader: StandardsReader())
/// let outcome = try await router.pay("lightning:lnbc…", as: Payer(policy: .first(upTo: [limit]), settler: settler))
/// ```
///
/// **At most once.** An order is stored before the first byte leaves, and for each order one request to pay is sent,
/// ever. The file of orders allows one open or paid order for a payment hash, so an invoice is not requested under a
/// second name, and the wallet refuses a hash that it pays or has paid for another program.
///
/// **No false statement.** Paid is what the wallet's own record says, with a preimage that fits the payment hash. That
/// nothing was sent is stated where the answer to the one request proves it, or where that request is over and the
/// wallet's record says that there is no payment; without an answer, only ``LightningWallet/quietTime`` later. All else
/// is in flight, for weeks where need be: an invoice's end does not end a payment.
public struct WalletSettler: PaymentSettler {
    /// The wallet.
    public let wallet: any LightningWallet
    private let orders: WalletOrders
    let reader: any InstructionReader
    let network: String
    let feeLimit: FeeLimit
    private let clock: any PaymentClock
    let services: PayService?
    let comment: @Sendable (Settlement) -> String?

    /// Creates a settler.
    ///
    /// - Parameters:
    ///   - wallet: the wallet that pays.
    ///   - orders: its orders, in the same file for as long as the wallet is used.
    ///   - reader: reads invoices, with their checksums and signatures: `StandardsReader()`.
    ///   - network: the network of the wallet's money: `mainnet`, `testnet`, `signet` or `regtest`.
    ///   - feeLimit: the most that a route may cost.
    ///   - services: the way to the services of Lightning addresses and LNURLs, which are asked for an invoice. Payees
    ///     choose these hosts: on Linux none is called in a private network. Nil pays invoices only.
    ///   - comment: returns the comment for the payee of an address (LUD-12), or nil. A service that does not take it,
    ///     or an invoice, is then not paid.
    ///   - clock: the clock by which invoices end.
    public init(
        _ wallet: any LightningWallet, orders: WalletOrders, reader: any InstructionReader, network: String = "mainnet",
        feeLimit: FeeLimit = .standard, services: (any HTTPTransport)? = nil,
        comment: @escaping @Sendable (Settlement) -> String? = { _ in nil },
        clock: any PaymentClock = SystemPaymentClock()
    ) {
        self.comment = comment
        self.services = services.map { PayService(transport: $0, reader: reader, network: network) }
        self.wallet = wallet
        self.orders = orders
        self.reader = reader
        self.network = network
        self.feeLimit = feeLimit
        self.clock = clock
    }

    /// Returns true for invoices of the wallet's network, and for addresses of services that make such invoices.
    public func canSettle(_ kind: SettlementEndpoint.Kind, on network: String?) -> Bool {
        switch kind {
        case .bolt11: network == self.network
        case .lightningAddress, .lnurl: services != nil && network == nil
        default: false
        }
    }

    // MARK: Asking

    /// Returns the order of a name, whatever it is for, with what is known of it now; nil when nothing was ever ordered
    /// under it.
    ///
    /// - Throws: any error, when the orders cannot be read or the wallet does not answer.
    public func order(named name: String) async throws -> SettlementOrder? {
        guard let order = try await orders.order(named: name, at: clock.now) else { return nil }
        return try await report(order)
    }

    /// Returns the order of an invoice, under any name, and without one what the wallet knows of the invoice.
    ///
    /// - Throws: any error, when the wallet does not answer, or knows another invoice of the same payment hash.
    public func order(paying endpoint: SettlementEndpoint) async throws -> SettlementOrder? {
        // What cannot be paid here was not paid here. Of a service every order makes another invoice.
        guard let hash = endpoint.paymentHash, canSettle(endpoint.kind, on: endpoint.network) else { return nil }
        if let order = try await orders.order(for: hash, at: clock.now) {
            try Self.require(order, isFor: endpoint.text)
            let report = try await report(order)
            if case .nothingSent = report.state { return nil }
            return report
        }
        guard let offer = SettlementOffer.offer(endpoint, reader) else { return nil }
        var amount: Money?
        if case .fixed(let money) = offer.amount { amount = money }
        let invoice = WalletInvoice(
            text: endpoint.text, paymentHash: hash, amount: amount.flatMap(Self.thousandths) ?? 0,
            isAmountless: amount == nil, feeLimit: 0)
        let state: SettlementState
        switch try await record(of: invoice, in: account()) {
        case .none, .failed: return nil
        case .inFlight: state = .inFlight(retryAfter: Self.pause)
        case .paid(let preimage, _): state = .settled(.preimage(preimage))
        }
        return SettlementOrder(name: nil, endpoint: endpoint, amount: amount, state: state)
    }

    /// Returns the wallet's part of an order, such as the invoice and the payee's message; nil when nothing was ever
    /// ordered under the name.
    ///
    /// - Parameter name: ``/PaymentCore/Settlement/key``.
    /// - Throws: any error, when the orders cannot be read or the wallet does not answer.
    public func walletOrder(named name: String) async throws -> WalletOrder? {
        guard try await order(named: name) != nil else { return nil }
        return try await orders.order(named: name, at: clock.now)
    }

    // MARK: Paying

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
        case .service(let amount):
            do throws(PaymentError) {
                (invoice, end, message) = try await made(settlement, over: amount)
            } catch {
                return try await refuse(settlement.key, nil, because: error.message)
            }
        case .unusable(let reason): return try await refuse(settlement.key, nil, because: reason)
        }
        if let other = try await orders(for: invoice) { return try await leave(invoice, to: other, settlement.key) }
        let account: WalletAccount
        var isForeign = false
        do throws(PaymentError) {
            account = try await self.account()
            switch try await record(of: invoice, in: account) {
            // It may be this payment, whose order was lost.
            case .paid, .inFlight: isForeign = true
            case .none, .failed: break
            }
            if !isForeign, let objection = try await wallet.objection(to: invoice) {
                return try await refuse(settlement.key, invoice, because: objection)
            }
        } catch {
            // No order has begun under this name, and after this none can.
            return try await refuse(settlement.key, invoice, because: error.message)
        }
        guard !isForeign else {
            // An order is stored before its request: another process may have placed one since the first look.
            let placed = try await orders(for: invoice)
            if let placed { return try await leave(invoice, to: placed, settlement.key) }
            throw PaymentError(
                .payer,
                "\(wallet.name) has paid this invoice, or is paying it, without an order: look into the wallet before you "
                    + "pay again", phase: .maybeSent)
        }
        // Not every wallet looks.
        if let end, end <= clock.now {
            return try await refuse(
                settlement.key, invoice, because: "the invoice has expired by this device's clock; ask for a new one")
        }
        let claim = try await orders.begin(
            invoice, named: settlement.key, at: account, message: message, now: clock.now)
        switch claim {
        case .known(let order): return try await leave(invoice, to: order, settlement.key)
        case .begun: break
        }
        let answer = await wallet.pay(invoice)
        try await orders.endRequest(of: settlement.key, isDealtWith: answer == .dealtWith, now: clock.now)
        // The only request of this order: what it has not sent, nothing has.
        if case .sentNothing(let reason) = answer { try await orders.refuse(settlement.key, because: reason) }
        guard let order = try await orders.order(named: settlement.key, at: clock.now) else {
            throw PaymentError(.payer, "the order is gone from the file of orders", phase: .maybeSent, retry: .later)
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

    /// Ends a name whose invoice another name has ordered.
    private func leave(_ invoice: WalletInvoice, to order: WalletOrder, _ name: String) async throws -> SettlementState
    {
        guard order.name != name else { return try await state(of: order) }
        try Self.require(order, isFor: invoice.text)
        return try await refuse(name, invoice, because: Self.elsewhere)
    }

    private func refuse(
        _ name: String, _ invoice: WalletInvoice?, because reason: String
    ) async throws(PaymentError) -> SettlementState {
        do {
            return try await state(of: orders.refuse(name, invoice, because: reason, now: clock.now))
        } catch { throw Self.open(error) }
    }

    // MARK: Orders

    /// The pause before a payment in flight is asked for again.
    private static let pause = Duration.seconds(2)

    /// The reason of a name whose invoice another name has ordered.
    private static let elsewhere = "another payment has ordered the invoice"

    /// Throws where an order was made for another invoice of the same payment hash: its proof would pass for this
    /// one's.
    private static func require(_ order: WalletOrder, isFor text: String) throws(PaymentError) {
        guard order.invoice?.text != text else { return }
        throw PaymentError(
            .integrity,
            "another invoice of the same payment hash was ordered; ask the payee for a new invoice")
    }

    private func report(_ order: WalletOrder) async throws -> SettlementOrder {
        SettlementOrder(
            name: order.name,
            endpoint: order.invoice.map {
                SettlementEndpoint(.bolt11, text: $0.text, network: network, paymentHash: $0.paymentHash)
            },
            amount: try order.invoice.map {
                try Money(minorUnits: UInt128($0.amount), currency: .satoshi, exponent: 11)
            },
            state: try await state(of: order))
    }

    private func state(of order: WalletOrder) async throws -> SettlementState {
        let (isOver, since): (Bool, Duration?)
        switch order.state {
        case .paid(let preimage, _): return .settled(.preimage(preimage))
        case .refused(Self.elsewhere):
            if let hash = order.invoice?.paymentHash, let other = try await orders.order(for: hash, at: clock.now),
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
        guard let invoice = order.invoice, let owner = order.wallet else {
            throw PaymentError(.integrity, "the file of orders has an order without an invoice", phase: .maybeSent)
        }
        let account = try await account()
        guard account.id == owner else {
            throw PaymentError(
                .payer, "this payment was ordered at another wallet (\(owner)); ask that one what became of it",
                phase: .maybeSent, retry: .later)
        }
        let reason: String
        switch try await record(of: invoice, in: account) {
        case .inFlight: return .inFlight(retryAfter: Self.pause)
        case .paid(let preimage, let fee):
            try await orders.settle(order.name, preimage: preimage, fee: fee)
            return .settled(.preimage(preimage))
        case .none: reason = "\(wallet.name) has no record of the payment"
        case .failed(let text): reason = text
        }
        // A request that may still arrive would make it untrue.
        guard isOver else { return .inFlight(retryAfter: since.map { wallet.quietTime - $0 } ?? Self.pause) }
        try await orders.refuse(order.name, because: reason)
        return .nothingSent(reason: reason)
    }

    private func orders(for invoice: WalletInvoice) async throws(PaymentError) -> WalletOrder? {
        do { return try await orders.order(for: invoice.paymentHash, at: clock.now) } catch { throw Self.open(error) }
    }

    private static func open(_ error: any Error) -> PaymentError {
        error as? PaymentError
            ?? PaymentError(.payer, "the file of orders failed: \(error)", retry: .later, cause: error)
    }
}
