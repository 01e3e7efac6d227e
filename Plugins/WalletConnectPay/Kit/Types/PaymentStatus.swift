import WalletConnectPayProvider

/// The status of a payment: the five states of the vendor's guides, so that a `switch` written after them is complete.
///
/// The service also cancels payments, and may add states at any time. Neither is ever reported as success or failure:
/// the call throws its `.http`, whose text describes the state.
public enum PaymentStatus: String, Sendable, Hashable, Codable {
    /// Not yet paid.
    case requiresAction = "requires_action"
    /// Confirmed, not yet settled.
    case processing
    /// Paid.
    case succeeded
    /// The payment failed, or the payer was refused. A signature that was handed out can pay until its deadline: see
    /// ``ConfirmPaymentResultResponse/isFinal``.
    case failed
    /// The payment expired.
    case expired

    /// True if the status can no longer change.
    public var isFinal: Bool {
        switch self {
        case .succeeded, .failed, .expired: true
        case .requiresAction, .processing: false
        }
    }
}

extension PaymentStatus {
    /// Creates the status from the service's state.
    ///
    /// - Throws: ``GatewayError/unsupported(_:)`` for a state that the guides do not have.
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
