import MarketModel
import PaymentCore

/// Something that somebody was told.
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
    }

    /// What the call of the router is called.
    let call: String
    let subject: Subject
    let content: Content
    /// Whom it was told; nil for a merchant, who hears for all devices.
    let doer: Doer?
    /// The number of the call, which is the moment at which it began.
    let begun: Int
    /// The moment at which it said so.
    let told: Int

    /// Whether it says that no money moved, for good.
    var isFinalNegative: Bool {
        guard case .outcome(let outcome) = content else { return false }
        if case .succeeded = outcome { return false }
        return outcome.isFinal
    }

    /// Whether it says that this call, or this attempt, moved nothing.
    var deniesEffect: Bool {
        guard case .failure(let error) = content else { return false }
        return error.phase != .maybeSent
    }

    /// Whether it says that this attempt moved nothing because another one has paid.
    var saysPaidElsewhere: Bool {
        if case .outcome(.declined(let reason)) = content { reason.code == .paidElsewhere } else { false }
    }

    var receipt: PaymentReceipt? {
        if case .outcome(.succeeded(let receipt)) = content { receipt } else { nil }
    }

    /// For people.
    var description: String {
        switch content {
        case .outcome(let outcome): "\(call) said \(outcome)"
        case .failure(let error): "\(call) failed (\(error.phase.rawValue), \(error.code.rawValue): \(error.message))"
        }
    }
}
