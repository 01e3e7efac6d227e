import PaymentCore
import PaymentReview
import WalletConnectPayProvider

/// The state that a client keeps between the calls of a payment, per payment and option.
struct ActionCache: Sendable {
    /// One option.
    struct Option: Sendable {
        /// The option that the payer saw.
        let body: OptionBody
        /// The actions as the service listed them, `build` actions not yet fetched.
        var listed: [ActionBody]
        /// The option that the payer saw, as the measure of its calls.
        var agreed: AgreedOption { AgreedOption(body) }

        init(_ body: OptionBody) {
            self.body = body
            listed = body.actions
        }
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

    /// Stores the options that `payer` was offered for a payment, as they are shown, replacing the earlier state.
    mutating func store(_ shown: [OptionBody], _ body: OptionsBody, of payment: String, payer: [AccountID]) {
        var options: [String: Option] = [:]
        for option in shown {
            options[option.id] = Option(option)
        }
        // Without info the known expiry remains valid: it never changes.
        let expiresAt = body.info?.expiresAt ?? payments[payment]?.expiresAt
        set(Payment(expiresAt: expiresAt, payer: payer, options: options), payment)
    }

    /// Returns the state of a listed option. After its price has expired at `now` (Unix seconds), that is only the
    /// option that the payer saw: its actions must be fetched again.
    func option(_ id: String, of payment: String, now: Double) -> Option? {
        guard var option = payments[payment]?.options[id] else { return nil }
        if let end = option.body.expiresAt, Double(end) <= now { option.listed = [] }
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
