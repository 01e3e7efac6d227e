import WalletConnectPayProvider

/// Where a payment stands.
///
/// The vendor's guides list the first five cases; the service also has ``cancelled``, and may add states at any time,
/// which arrive as ``unknown(_:)``. A `switch` written after the guides therefore needs those two cases or a `default`.
public enum PaymentStatus: RawRepresentable, Sendable, Hashable, Codable {
    /// Nobody has paid yet.
    case requiresAction
    /// Confirmed, not yet settled.
    case processing
    /// Paid.
    case succeeded
    /// It failed, or the payer was refused; no money was kept.
    case failed
    /// Its time ran out.
    case expired
    /// The payer or the merchant called it off.
    case cancelled
    /// A state that this version does not know, as the service wrote it. Neither success nor failure.
    case unknown(String)

    /// Reads the service's word; never fails.
    public init(rawValue: String) {
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

    /// The service's word.
    public var rawValue: String {
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

    /// Whether nothing more can happen. Unknown states are not final by themselves; the service's `isFinal` says.
    public var isFinal: Bool {
        switch self {
        case .succeeded, .failed, .expired, .cancelled: true
        case .requiresAction, .processing, .unknown: false
        }
    }
}

extension PaymentStatus {
    init(_ state: PaymentState) { self.init(rawValue: state.rawValue) }
}
