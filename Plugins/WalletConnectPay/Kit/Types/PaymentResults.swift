import WalletConnectPayProvider

/// What became of a confirmation.
public struct ConfirmPaymentResultResponse: Sendable, Hashable {
    /// Where the payment stands. Check it: a payment that failed or expired, or that was still being processed when the
    /// time to wait was over, is returned, not thrown.
    public var status: PaymentStatus
    /// Whether nothing more will happen.
    public var isFinal: Bool
    /// When to ask again, in milliseconds.
    public var pollInMs: Int64?
    /// The transaction, when it succeeded and the service tells.
    public var info: PaymentResultInfo?
    /// Why it failed, when the service tells: `declined_user` for a payer who was refused.
    public var failureCode: String?

    /// Creates a response.
    public init(
        status: PaymentStatus, isFinal: Bool, pollInMs: Int64? = nil, info: PaymentResultInfo? = nil,
        failureCode: String? = nil
    ) {
        self.status = status
        self.isFinal = isFinal
        self.pollInMs = pollInMs
        self.info = info
        self.failureCode = failureCode
    }
}

/// The transaction that paid.
public struct PaymentResultInfo: Sendable, Hashable, Codable {
    /// The transaction's id on its chain.
    public var txId: String
    /// What was really paid; it may differ a little from the option's amount. All its texts are empty when the service
    /// did not say it in a form that can be read.
    public var optionAmount: PayAmount

    /// Creates a value.
    public init(txId: String, optionAmount: PayAmount) {
        self.txId = txId
        self.optionAmount = optionAmount
    }
}

/// Where a payment stands.
public struct PaymentStatusResponse: Sendable, Hashable {
    /// The payment.
    public var paymentId: String
    /// Where it stands.
    public var status: PaymentStatus
    /// Whether nothing more will happen.
    public var isFinal: Bool
    /// When to ask again, in milliseconds.
    public var pollInMs: Int64?
    /// The transaction, when it succeeded and the service tells.
    public var info: PaymentResultInfo?
    /// Why it failed, when the service tells.
    public var failureCode: String?

    /// Creates a response.
    public init(
        paymentId: String, status: PaymentStatus, isFinal: Bool, pollInMs: Int64? = nil,
        info: PaymentResultInfo? = nil, failureCode: String? = nil
    ) {
        self.paymentId = paymentId
        self.status = status
        self.isFinal = isFinal
        self.pollInMs = pollInMs
        self.info = info
        self.failureCode = failureCode
    }
}

/// A payment that was called off.
public struct CancelPaymentResponse: Sendable, Hashable, Codable {
    /// The payment.
    public var paymentId: String
    /// `cancelled_by_user` or `cancelled_by_merchant`, when the service tells.
    public var cancelledReason: String?
    /// When, in the form of RFC 3339, when the service tells.
    public var cancelledAt: String?

    /// Creates a response.
    public init(paymentId: String, cancelledReason: String? = nil, cancelledAt: String? = nil) {
        self.paymentId = paymentId
        self.cancelledReason = cancelledReason
        self.cancelledAt = cancelledAt
    }
}

extension ConfirmPaymentResultResponse {
    init(_ body: StatusBody) throws(GatewayError) {
        self.init(
            status: try PaymentStatus(body.status), isFinal: body.isFinal, pollInMs: body.pollInMs,
            info: body.info.map(PaymentResultInfo.init), failureCode: body.failureCode)
    }
}

extension PaymentStatusResponse {
    init(_ id: String, _ body: StatusBody) throws(GatewayError) {
        self.init(
            paymentId: id, status: try PaymentStatus(body.status), isFinal: body.isFinal, pollInMs: body.pollInMs,
            info: body.info.map(PaymentResultInfo.init), failureCode: body.failureCode)
    }
}

extension CancelPaymentResponse {
    /// Reads the service's answer.
    ///
    /// - Throws: ``GatewayError/unusableAnswer(_:)`` when it says that the payment was not called off.
    init(_ id: String, _ body: CancelBody) throws(GatewayError) {
        guard body.status == .cancelled else {
            throw .unusableAnswer(
                "the service did not cancel the payment: its state is '\(body.status.printable)'; \(Advice.mutation)")
        }
        self.init(paymentId: id, cancelledReason: body.cancelledReason, cancelledAt: body.cancelledAt)
    }
}

extension PaymentResultInfo {
    init(_ body: ResultBody) {
        self.init(txId: body.txId, optionAmount: body.optionAmount.map { PayAmount($0) } ?? .unreadable)
    }
}
