import PaymentCore

/// A signer for payments without a question: signs only calls that were reviewed, and that bind the payer to no more
/// than the payment.
struct UnaskedSigner: PaymentSigner {
    let base: any PaymentSigner
    let provider: ProviderID

    func supports(method: String) -> Bool { base.supports(method: method) }

    func sign(_ request: SigningRequest) async throws -> String {
        if let objection = SigningReview.objection(to: request.review) {
            throw PaymentError(
                .consentNeeded,
                "the payment \(objection), which is not signed without a question: ask the payer",
                provider: provider)
        }
        return try await base.sign(request)
    }
}

extension SigningReview {
    /// Returns what only the payer can agree to; nil when the calls may be signed without a question.
    fileprivate static func objection(to review: SigningReview?) -> String? {
        guard let review else { return "has calls that were not reviewed" }
        if let objection = review.warnings.lazy.compactMap(\.objection).first { return objection }
        return review.effects.lazy.compactMap(\.objection).first
    }
}

extension SigningReview.Warning {
    /// The reason for asking the payer; nil for a warning that a payment without a question may have. Each warning is
    /// decided on here: one to come does not compile before.
    fileprivate var objection: String? {
        switch self {
        // The service names the recipient of any payment.
        case .recipientUnknown: nil
        case .displayUnverified: "is in a token whose decimals only the service states"
        case .approvalUnlimited: "asks for an unlimited allowance"
        case .approvalMoreThanNeeded: "asks for an allowance above its amount"
        case .solanaRent: "opens an account for another party, at a cost that no limit counts"
        case .unreviewed: "has calls that were not reviewed"
        }
    }
}

extension SigningReview.Effect {
    /// The reason for asking the payer, whatever the warnings are.
    fileprivate var objection: String? {
        if kind == .unreviewed { return SigningReview.Warning.unreviewed.objection }
        return quantity == .unlimited ? SigningReview.Warning.approvalUnlimited.objection : nil
    }
}
