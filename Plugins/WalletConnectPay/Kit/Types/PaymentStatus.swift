import WalletConnectPayProvider

/// Where a payment stands: the five states of the vendor's guides, so that a `switch` written after them is complete.
///
/// The service also calls payments off, and may add states at any time. Neither is ever told as success or failure:
/// the call throws its `.http`, whose text says what it was.
public enum PaymentStatus: String, Sendable, Hashable, Codable {
    /// Nobody has paid yet.
    case requiresAction = "requires_action"
    /// Confirmed, not yet settled.
    case processing
    /// Paid.
    case succeeded
    /// It failed, or the payer was refused; no money was kept.
    case failed
    /// Its time ran out.
    case expired

    /// Whether nothing more can happen.
    public var isFinal: Bool {
        switch self {
        case .succeeded, .failed, .expired: true
        case .requiresAction, .processing: false
        }
    }
}

extension PaymentStatus {
    /// Reads the service's state.
    ///
    /// - Throws: ``GatewayError/unsupported(_:)`` for a state that the guides don't have.
    init(_ state: PaymentState) throws(GatewayError) {
        switch state {
        case .requiresAction: self = .requiresAction
        case .processing: self = .processing
        case .succeeded: self = .succeeded
        case .failed: self = .failed
        case .expired: self = .expired
        case .cancelled:
            throw .unsupported(
                "the payment was cancelled, by the payer or the merchant; ask the merchant for a new link")
        case .unknown:
            throw .unsupported(
                "the service reports the state '\(state.printable)', which this version does not know and which is "
                    + "neither success nor failure; \(Advice.mutation)")
        }
    }
}
