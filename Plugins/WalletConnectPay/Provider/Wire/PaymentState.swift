/// The status of a payment, by the service's raw values. The service may add some at any time.
package enum PaymentState: RawRepresentable, Sendable, Hashable, Codable {
    /// Not yet paid.
    case requiresAction
    /// Confirmed, not yet settled.
    case processing
    case succeeded
    /// The payment failed, or the payer was refused; no money was kept.
    case failed
    case expired
    /// The payer or the merchant cancelled the payment.
    case cancelled
    /// Neither success nor failure.
    case unknown(String)

    package init(rawValue: String) {
        self =
            switch rawValue {
            case "requires_action": .requiresAction
            case "processing": .processing
            case "succeeded": .succeeded
            case "failed": .failed
            case "expired": .expired
            case "cancelled": .cancelled
            default: .unknown(rawValue)
            }
    }

    package var rawValue: String {
        switch self {
        case .requiresAction: "requires_action"
        case .processing: "processing"
        case .succeeded: "succeeded"
        case .failed: "failed"
        case .expired: "expired"
        case .cancelled: "cancelled"
        case .unknown(let word): word
        }
    }

    /// True if the state can no longer change. Unknown states are not final by themselves; the service's `isFinal`
    /// decides.
    package var isFinal: Bool {
        switch self {
        case .succeeded, .failed, .expired, .cancelled: true
        case .requiresAction, .processing, .unknown: false
        }
    }

    /// The raw value, cut and made printable.
    package var printable: String {
        String(
            decoding: rawValue.utf8.prefix(40).map { $0 > 0x20 && $0 < 0x7F ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
    }
}
