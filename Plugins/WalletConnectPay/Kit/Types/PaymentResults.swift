import WalletConnectPayProvider

/// The result of a confirmation.
public struct ConfirmPaymentResultResponse: Sendable, Hashable {
    /// The status of the payment. Check it: a payment that failed or expired, or that was still in progress when the
    /// time limit passed, is returned, not thrown.
    public var status: PaymentStatus
    /// True if the status can no longer change. False for a payment that failed or expired while a signature for it
    /// can still pay.
    public var isFinal: Bool
    /// The pause before the next inquiry, in milliseconds.
    public var pollInMs: Int64?
    /// The transaction, if the payment succeeded and the service reports it.
    public var info: PaymentResultInfo?
    /// The reason of the failure, if the service reports it: `declined_user` for a payer who was refused.
    public var failureCode: String?
    /// True if actions that were handed out may have paid, or still can, although the status does not say so. Not among
    /// the vendor's members.
    public var mayHaveMovedMoney: Bool

    /// Creates a response.
    public init(
        status: PaymentStatus, isFinal: Bool, pollInMs: Int64? = nil, info: PaymentResultInfo? = nil,
        failureCode: String? = nil, mayHaveMovedMoney: Bool = false
    ) {
        self.status = status
        self.isFinal = isFinal
        self.pollInMs = pollInMs
        self.info = info
        self.failureCode = failureCode
        self.mayHaveMovedMoney = mayHaveMovedMoney
    }
}

/// The transaction that paid.
public struct PaymentResultInfo: Sendable, Hashable, Codable {
    /// The transaction's id on its chain.
    public var txId: String
    /// The amount that was really paid; it may differ a little from the option's amount. All its texts are empty when
    /// the service's amount could not be read.
    public var optionAmount: PayAmount

    /// Creates a value.
    public init(txId: String, optionAmount: PayAmount) {
        self.txId = txId
        self.optionAmount = optionAmount
    }
}

/// The status of a payment.
public struct PaymentStatusResponse: Sendable, Hashable {
    /// The payment's id.
    public var paymentId: String
    /// The status.
    public var status: PaymentStatus
    /// True if the status can no longer change. False for a payment that failed or expired while a signature for it
    /// can still pay.
    public var isFinal: Bool
    /// The pause before the next inquiry, in milliseconds.
    public var pollInMs: Int64?
    /// The transaction, if the payment succeeded and the service reports it.
    public var info: PaymentResultInfo?
    /// The reason of the failure, if the service reports it.
    public var failureCode: String?
    /// True if actions that were handed out may have paid, or still can, although the status does not say so. Not among
    /// the vendor's members.
    public var mayHaveMovedMoney: Bool

    /// Creates a response.
    public init(
        paymentId: String, status: PaymentStatus, isFinal: Bool, pollInMs: Int64? = nil,
        info: PaymentResultInfo? = nil, failureCode: String? = nil, mayHaveMovedMoney: Bool = false
    ) {
        self.paymentId = paymentId
        self.status = status
        self.isFinal = isFinal
        self.pollInMs = pollInMs
        self.info = info
        self.failureCode = failureCode
        self.mayHaveMovedMoney = mayHaveMovedMoney
    }
}

/// A cancelled payment.
public struct CancelPaymentResponse: Sendable, Hashable, Codable {
    /// The payment's id.
    public var paymentId: String
    /// `cancelled_by_user` or `cancelled_by_merchant`, if the service reports it.
    public var cancelledReason: String?
    /// The time of the cancellation in the format of RFC 3339, if the service reports it.
    public var cancelledAt: String?
    /// True if a signature that was handed out earlier can still pay. Not among the vendor's members.
    public var mayHaveMovedMoney: Bool

    /// Creates a response.
    public init(
        paymentId: String, cancelledReason: String? = nil, cancelledAt: String? = nil, mayHaveMovedMoney: Bool = false
    ) {
        self.paymentId = paymentId
        self.cancelledReason = cancelledReason
        self.cancelledAt = cancelledAt
        self.mayHaveMovedMoney = mayHaveMovedMoney
    }
}

extension ConfirmPaymentResultResponse {
    init(_ body: StatusBody, _ ending: PaymentEnding) throws(GatewayError) {
        self.init(
            status: try PaymentStatus(body.status), isFinal: body.isFinal && !ending.mayHaveMovedMoney,
            pollInMs: body.pollInMs, info: body.info.map(PaymentResultInfo.init), failureCode: body.failureCode,
            mayHaveMovedMoney: ending.mayHaveMovedMoney)
    }
}

extension PaymentStatusResponse {
    init(_ id: String, _ body: StatusBody, _ ending: PaymentEnding) throws(GatewayError) {
        self.init(
            paymentId: id, status: try PaymentStatus(body.status),
            isFinal: body.isFinal && !ending.mayHaveMovedMoney, pollInMs: body.pollInMs,
            info: body.info.map(PaymentResultInfo.init), failureCode: body.failureCode,
            mayHaveMovedMoney: ending.mayHaveMovedMoney)
    }
}

extension CancelPaymentResponse {
    /// Reads the service's answer.
    ///
    /// - Throws: ``GatewayError/unusableAnswer(_:)`` when the answer says that the payment was not cancelled.
    init(_ id: String, _ body: CancelBody, _ ending: PaymentEnding) throws(GatewayError) {
        guard body.status == .cancelled else {
            throw .unusableAnswer(
                "the service did not cancel the payment: its state is '\(body.status.printable)'; \(Advice.mutation)")
        }
        self.init(
            paymentId: id, cancelledReason: body.cancelledReason, cancelledAt: body.cancelledAt,
            mayHaveMovedMoney: ending.mayHaveMovedMoney)
    }
}

extension PaymentResultInfo {
    init(_ body: ResultBody) {
        self.init(txId: body.txId, optionAmount: body.optionAmount.map { PayAmount($0) } ?? .unreadable)
    }
}

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
