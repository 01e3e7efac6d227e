import PaymentCore

/// The statement to a merchant about an operation, or about a payment.
enum Statement: String, Sendable {
    /// The operation was carried out.
    case done
    /// It was not carried out, finally.
    case denied
    /// The payment is paid: it was not cancelled.
    case paid
    /// It was paid, and all of it was refunded.
    case refunded
    /// Not known yet: pending, unknown, or an error after which it may have been carried out.
    case open
    /// Refused before anything was sent, or by an answer.
    case refused
    /// Another operation of the same name was carried out.
    case other

    init(_ outcome: PaymentOutcome, _ verb: MerchantVerb?) {
        self =
            switch outcome {
            case .succeeded: verb == .cancel || verb == nil ? .paid : .done
            case .cancelled: verb == .cancel || verb == nil ? .done : .denied
            case .declined(let reason): reason.code == .refunded ? .refunded : .denied
            case .expired: .denied
            default: .open
            }
    }

    init(_ error: PaymentError) {
        self = error.code == .integrity ? .other : error.phase == .maybeSent ? .open : .refused
    }
}
