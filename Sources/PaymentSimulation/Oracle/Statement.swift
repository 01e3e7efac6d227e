import PaymentCore

/// A statement of a router to a caller.
struct Statement: Sendable {
    enum Subject: Sendable {
        /// A payment, by its one identity.
        case payment(PaymentReference)
        /// An attempt at one.
        case attempt(PaymentAttempt)
    }

    enum Content: Sendable {
        case outcome(PaymentOutcome)
        case failure(PaymentError)
        /// Nothing was handed out for the payment from this device.
        case notBegun(PaymentError)
    }

    /// The name of the router's call.
    let call: String
    let subject: Subject
    let content: Content
    /// The device and process that received it; nil for a merchant, whose statements concern all devices.
    let doer: Doer?
    /// The number of the call, which is the moment at which it began.
    let begun: Int
    /// The moment of the statement.
    let told: Int
    /// The payment's own name, where it is about an intent: one of several to a payee.
    var name: PaymentReference?
    /// The device in whose journal a merchant's statement was looked up; nil for those of payers.
    var merchant: Int?
    /// The earliest moment at which it was made, where it was heard later; nil where it was heard at once.
    var earliest: Int?

    /// True if it states as final that no money moved.
    var isFinalNegative: Bool {
        guard case .outcome(let outcome) = content else { return false }
        if case .succeeded = outcome { return false }
        return outcome.isFinal
    }

    /// True if it states that this call, or this attempt, moved nothing.
    var deniesEffect: Bool {
        switch content {
        case .failure(let error): error.phase != .maybeSent
        case .notBegun: true
        case .outcome: false
        }
    }

    /// True if it states that this attempt moved nothing because another one has paid.
    var saysPaidElsewhere: Bool {
        if case .outcome(.declined(let reason)) = content { reason.code == .paidElsewhere } else { false }
    }

    /// True if it states that the payment was paid, and all of it refunded.
    var saysRefunded: Bool {
        if case .outcome(.declined(let reason)) = content { reason.code == .refunded } else { false }
    }

    var receipt: PaymentReceipt? {
        if case .outcome(.succeeded(let receipt)) = content { receipt.fact } else { nil }
    }

    /// A text for people.
    var description: String {
        switch content {
        case .outcome(let outcome): "\(call) said \(outcome)"
        case .notBegun(let error): "\(call) said that nothing was begun (\(error.code.rawValue): \(error.message))"
        case .failure(let error): "\(call) failed (\(error.phase.rawValue), \(error.code.rawValue): \(error.message))"
        }
    }
}
