public import PaymentCore

/// A Lightning wallet or node of the payer, reached over HTTP, as ``WalletSettler`` uses each kind.
///
/// An implementation says what an answer proves, and decides nothing. The settler concludes the outcome of a payment
/// from that, and from the wallet's own records.
public protocol LightningWallet: Sendable {
    /// The software's name, for people.
    var name: String { get }

    /// The wallet's way with requests whose answer is lost.
    var conduct: WalletConduct { get }

    /// Returns whose money this is. Changes nothing.
    ///
    /// - Throws: ``PaymentError``; `unauthorized` if the key does not suffice to pay.
    func account() async throws(PaymentError) -> WalletAccount

    /// Returns why this wallet must not be asked to pay an invoice, as a text for people; nil if it may be asked.
    /// Changes nothing.
    ///
    /// - Throws: ``PaymentError``, when the wallet does not answer.
    func objection(to invoice: WalletInvoice) async throws(PaymentError) -> String?

    /// Asks the wallet to pay, in one request that is sent once.
    ///
    /// - Returns: the proof in the answer.
    func pay(_ invoice: WalletInvoice) async -> WalletAnswer

    /// Returns the wallet's own record of an invoice. Changes nothing.
    ///
    /// - Throws: ``PaymentError``, when the wallet does not answer, or when its record is about another payment.
    func record(of invoice: WalletInvoice, in account: WalletAccount) async throws(PaymentError) -> WalletRecord
}

/// A wallet's identity: whose money an order spends.
public struct WalletAccount: Sendable, Hashable {
    /// The id: a node's public key, or a wallet's id at a server. Orders are kept with it, since only this wallet knows
    /// their outcome.
    public let id: String
    /// The network, if the wallet says it: `mainnet`, `testnet`, `signet` or `regtest`.
    public let network: String?
    /// The money that can be spent, in thousandths of a satoshi, if the wallet says it.
    public let balance: UInt64?
    /// The height of the last block that the node has, once it has all of them; nil if the wallet does not say so.
    public let height: UInt64?

    /// Creates an account.
    public init(id: String, network: String? = nil, balance: UInt64? = nil, height: UInt64? = nil) {
        self.id = id
        self.network = network
        self.balance = balance
        self.height = height
    }
}

/// The way of a wallet with requests whose answer is lost. Such a request may be carried out later. Only facts that no
/// clock and no queue can change end it.
public struct WalletConduct: Sendable, Hashable {
    /// True if the wallet refuses to pay an invoice that has expired, before it stores or sends anything. A request
    /// that reaches it later then sends nothing.
    public let refusesExpired: Bool
    /// True if the wallet's server carries out one request after the other: then one is sent to it at a time.
    public let takesTurns: Bool

    /// Creates a conduct.
    public init(refusesExpired: Bool, takesTurns: Bool) {
        (self.refusesExpired, self.takesTurns) = (refusesExpired, takesTurns)
    }
}

/// An invoice that a wallet is asked to pay. Amounts are in thousandths of a satoshi.
public struct WalletInvoice: Sendable, Hashable {
    /// The invoice's text.
    public let text: String
    /// Its payment hash, 64 hexadecimal digits in lower case. Every wallet knows a payment by it.
    public let paymentHash: String
    /// The amount to pay.
    public let amount: UInt64
    /// True if the invoice leaves the amount to the payer.
    public let isAmountless: Bool
    /// The most that the route may cost.
    public let feeLimit: UInt64

    /// Creates an invoice.
    public init(text: String, paymentHash: String, amount: UInt64, isAmountless: Bool, feeLimit: UInt64) {
        self.text = text
        self.paymentHash = paymentHash
        self.amount = amount
        self.isAmountless = isAmountless
        self.feeLimit = feeLimit
    }

    /// True for an invoice that was made for an offer (BOLT 12).
    var isOffered: Bool { text.hasPrefix("lni1") }

    /// Returns it as the destination of a settler.
    func endpoint(on network: String) -> SettlementEndpoint {
        SettlementEndpoint(
            isOffered ? .bolt12Invoice : .bolt11, text: text, network: network, paymentHash: paymentHash)
    }
}

/// The proof in a wallet's answer to a request to pay.
@nonexhaustive
public enum WalletAnswer: Sendable, Hashable {
    /// This request has sent nothing, and never will.
    case sentNothing(reason: String)
    /// The request is over: it starts nothing more, and the wallet's records say how its payment ended.
    case dealtWith
    /// Nothing: the request may be carried out, now or later.
    case nothing
}

/// A wallet's own record of an invoice.
@nonexhaustive
public enum WalletRecord: Sendable, Hashable {
    /// There is none.
    case none
    /// A payment is in flight.
    case inFlight
    /// It was paid. The preimage is the wallet's own, unchecked; nil if it has none. The fee is nil if it is not known.
    case paid(preimage: String?, fee: UInt64?)
    /// The last attempt failed. Final if the payment's own node says so, and no part of it is in flight: what was
    /// attempted can then not be paid any more. Otherwise the record may still become a paid one.
    case failed(reason: String, isFinal: Bool)
}

/// The most that a payment's route may cost: a part of the amount, and something on top.
public struct FeeLimit: Sendable, Hashable {
    private let base: UInt64
    private let partsPerMillion: UInt64

    /// 10 satoshi and 1 %.
    public static let standard = FeeLimit(satoshi: 10, partsPerMillion: 10_000)
    /// 10,000 satoshi and 1 %, for a transaction on the chain.
    public static let chain = FeeLimit(satoshi: 10_000, partsPerMillion: 10_000)

    /// Creates a limit.
    ///
    /// - Parameters:
    ///   - satoshi: the amount that every payment may cost.
    ///   - partsPerMillion: the further amount that it may cost, in millionths of the payment.
    public init(satoshi: UInt32, partsPerMillion: UInt32) {
        base = UInt64(satoshi) * 1000
        self.partsPerMillion = UInt64(partsPerMillion)
    }

    /// Returns the limit for an amount, both in thousandths of a satoshi.
    public func limit(for amount: UInt64) -> UInt64 {
        let (high, low) = amount.multipliedFullWidth(by: partsPerMillion)
        guard high < 1_000_000 else { return .max }
        let (sum, isOver) = base.addingReportingOverflow(UInt64(1_000_000).dividingFullWidth((high, low)).quotient)
        return isOver ? .max : sum
    }

    /// Returns the limit for an amount of bitcoin, in satoshi, rounded up; nil for an amount that no wallet pays.
    public func limit(for amount: Money) -> Money? {
        guard let thousandths = WalletSettler.thousandths(amount) else { return nil }
        let limit = limit(for: thousandths)
        return try? Money(minorUnits: UInt128(limit / 1000 + (limit % 1000 == 0 ? 0 : 1)), currency: .satoshi)
    }
}
