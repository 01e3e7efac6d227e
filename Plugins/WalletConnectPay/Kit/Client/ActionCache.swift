import PaymentCore
import PaymentReview
import WalletConnectPayProvider

/// The state that a client keeps between the calls of a payment, per payment and option.
struct ActionCache: Sendable {
    /// One option.
    struct Option: Sendable {
        /// The option that the payer saw.
        var agreed: AgreedOption
        /// The actions as the service listed them, `build` actions not yet fetched.
        var listed: [ActionBody] = []
        /// The complete list, once fetched. Repeated calls return it unchanged, with the same nonces.
        var resolved: [JSONValue]?
        /// The latest review of the calls.
        var review: SigningReview?
        /// Unix seconds.
        var expiresAt: Int64?
    }

    private struct Payment {
        var expiresAt: Int64?
        var payer: [AccountID] = []
        var options: [String: Option] = [:]
    }

    /// The maximum number of payments; the oldest is evicted first, which costs at most one more request.
    static let capacity = 256

    private var payments: [String: Payment] = [:]
    private var order: [String] = []

    /// Stores the options that `payer` was offered for a payment, replacing the earlier state.
    mutating func store(_ body: OptionsBody, of payment: String, payer: [AccountID]) {
        var options: [String: Option] = [:]
        for option in body.options ?? [] {
            options[option.id] = Option(
                agreed: AgreedOption(option), listed: option.actions, expiresAt: option.expiresAt)
        }
        // Without info the known expiry remains valid: it never changes.
        let expiresAt = body.info?.expiresAt ?? payments[payment]?.expiresAt
        set(Payment(expiresAt: expiresAt, payer: payer, options: options), payment)
    }

    /// Stores the complete actions of a listed option, and their review.
    mutating func store(
        _ calls: [JSONValue], of payment: String, option id: String, expiresAt: Int64?, review: SigningReview
    ) {
        guard var known = payments[payment], var option = known.options[id] else { return }
        option.resolved = calls
        option.expiresAt = expiresAt
        option.review = review
        known.options[id] = option
        set(known, payment)
    }

    /// Returns the state of a listed option. After its price has expired at `now` (Unix seconds), that is only the
    /// option that the payer saw: its actions must be fetched anew.
    func option(_ id: String, of payment: String, now: Double) -> Option? {
        guard var option = payments[payment]?.options[id] else { return nil }
        if let end = option.expiresAt, Double(end) <= now { option = Option(agreed: option.agreed) }
        return option
    }

    /// Returns the accounts for which the options of a payment were requested.
    func payer(of payment: String) -> [AccountID] { payments[payment]?.payer ?? [] }

    /// Returns the expiry of the payment: Unix seconds.
    func expiry(of payment: String) -> Int64? { payments[payment]?.expiresAt }

    private mutating func set(_ payment: Payment, _ id: String) {
        if payments.updateValue(payment, forKey: id) == nil { order.append(id) }
        if order.count > Self.capacity { payments[order.removeFirst()] = nil }
    }
}
