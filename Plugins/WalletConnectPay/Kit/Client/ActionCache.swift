import PaymentCore
import PaymentReview
import WalletConnectPayProvider

/// What a client remembers between the calls of a payment, per payment and option.
struct ActionCache: Sendable {
    /// One option.
    struct Option: Sendable {
        /// What the payer saw.
        var agreed: AgreedOption
        /// As the service listed them; `build` actions are still to be fetched.
        var listed: [ActionBody] = []
        /// The complete list, once fetched. Asking twice then gives the same calls, and so the same nonces.
        var resolved: [JSONValue]?
        /// What the calls were last found to do.
        var review: SigningReview?
        /// Unix seconds.
        var expiresAt: Int64?
    }

    private struct Payment {
        var expiresAt: Int64?
        var payer: [AccountID] = []
        var options: [String: Option] = [:]
    }

    /// How many payments are remembered; the oldest is forgotten first, which costs one more request at most.
    static let capacity = 256

    private var payments: [String: Payment] = [:]
    private var order: [String] = []

    /// Remembers the options that `payer` was offered for a payment, instead of what was known of it.
    mutating func store(_ body: OptionsBody, of payment: String, payer: [AccountID]) {
        var options: [String: Option] = [:]
        for option in body.options ?? [] {
            options[option.id] = Option(
                agreed: AgreedOption(option), listed: option.actions, expiresAt: option.expiresAt)
        }
        // Without info the expiry that is known stays good: it never changes.
        let expiresAt = body.info?.expiresAt ?? payments[payment]?.expiresAt
        set(Payment(expiresAt: expiresAt, payer: payer, options: options), payment)
    }

    /// Remembers the complete actions of an option that was listed, and what they were found to do.
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

    /// What is known of an option that was listed. Once its price has expired at `now` (Unix seconds), that is only
    /// what the payer saw: its actions have to be had anew.
    func option(_ id: String, of payment: String, now: Double) -> Option? {
        guard var option = payments[payment]?.options[id] else { return nil }
        if let end = option.expiresAt, Double(end) <= now { option = Option(agreed: option.agreed) }
        return option
    }

    /// The accounts that the options of a payment were asked for.
    func payer(of payment: String) -> [AccountID] { payments[payment]?.payer ?? [] }

    /// When the payment can no longer be paid: Unix seconds.
    func expiry(of payment: String) -> Int64? { payments[payment]?.expiresAt }

    private mutating func set(_ payment: Payment, _ id: String) {
        if payments.updateValue(payment, forKey: id) == nil { order.append(id) }
        if order.count > Self.capacity { payments[order.removeFirst()] = nil }
    }
}
