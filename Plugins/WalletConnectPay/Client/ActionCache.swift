import PaymentCore

/// What a client remembers between the calls of a payment, per payment and option.
struct ActionCache: Sendable {
    /// One option.
    struct Option: Sendable {
        /// As the service listed them; `build` actions are still to be fetched.
        var listed: [ActionBody] = []
        /// The complete list, once fetched. Asking twice then gives the same calls, and so the same nonces.
        var resolved: [WalletCallBody]?
        /// Unix seconds.
        var expiresAt: Int64?
    }

    private struct Payment {
        var expiresAt: Int64?
        var options: [String: Option] = [:]
    }

    /// How many payments are remembered; the oldest is forgotten first, which costs one more request at most.
    static let capacity = 256

    private var payments: [String: Payment] = [:]
    private var order: [String] = []

    /// Remembers the options of a payment instead of what was known of it.
    mutating func store(_ body: OptionsBody, of payment: String) {
        var options: [String: Option] = [:]
        for option in body.options ?? [] {
            options[option.id] = Option(listed: option.actions, expiresAt: option.expiresAt)
        }
        // Without info the expiry that is known stays good: it never changes.
        let expiresAt = body.info?.expiresAt ?? payments[payment]?.expiresAt
        set(Payment(expiresAt: expiresAt, options: options), payment)
    }

    /// Remembers the complete actions of an option.
    mutating func store(_ calls: [WalletCallBody], of payment: String, option: String, expiresAt: Int64?) {
        var known = payments[payment] ?? Payment()
        known.options[option, default: Option()].resolved = calls
        known.options[option]?.expiresAt = expiresAt
        set(known, payment)
    }

    /// What is known of an option; nothing once its price has expired at `now` (Unix seconds).
    func option(_ id: String, of payment: String, now: Double) -> Option? {
        guard let option = payments[payment]?.options[id] else { return nil }
        if let end = option.expiresAt, Double(end) <= now { return nil }
        return option
    }

    /// When the payment can no longer be paid: Unix seconds.
    func expiry(of payment: String) -> Int64? { payments[payment]?.expiresAt }

    private mutating func set(_ payment: Payment, _ id: String) {
        if payments.updateValue(payment, forKey: id) == nil { order.append(id) }
        if order.count > Self.capacity { payments[order.removeFirst()] = nil }
    }
}
