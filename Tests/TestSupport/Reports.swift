package import PaymentCore

extension ServiceReport {
    /// The receipt of a payment that was made; nil otherwise.
    package var receipt: PaymentReceipt? { if case .succeeded(let receipt) = self { receipt } else { nil } }

    /// What is known of an outcome that is not known; nil otherwise.
    package var unknownOutcome: UnknownOutcome? { if case .unknown(let unknown) = self { unknown } else { nil } }

    package var isUnknown: Bool { unknownOutcome != nil }
    package var isDeclined: Bool { if case .declined = self { true } else { false } }
    package var isPending: Bool { if case .pending = self { true } else { false } }
}

extension PaymentOutcome {
    package var isUnknown: Bool { report.isUnknown }
    package var isDeclined: Bool { report.isDeclined }
    package var isPending: Bool { report.isPending }
}
