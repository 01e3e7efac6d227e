import PaymentCore

/// The payer of attempts that were chosen without a question.
extension AttemptEngine {
    /// Returns the payer for the run of an attempt. One with a reservation was chosen without a question, in whichever
    /// process: nothing that outlasts the payment is signed for it.
    func payer(of attempt: PaymentAttempt) async throws -> Payer {
        guard let signer = payer.signer, let spendings = effects.spendings,
            try await journaled({ try await spendings.spending(of: attempt.id) }) != nil
        else { return payer }
        var payer = payer
        payer.signer = UnaskedSigner(base: signer, provider: descriptor.id)
        return payer
    }
}

/// A signer that refuses lists of calls that allow more than the payment.
private struct UnaskedSigner: PaymentSigner {
    let base: any PaymentSigner
    let provider: ProviderID

    private static let consent: [SigningReview.Warning: String] = [
        .approvalUnlimited: "an unlimited allowance", .approvalMoreThanNeeded: "an allowance above its amount",
    ]

    func supports(method: String) -> Bool { base.supports(method: method) }

    func sign(_ request: SigningRequest) async throws -> String {
        if let what = request.review?.warnings.lazy.compactMap({ Self.consent[$0] }).first {
            throw PaymentError(
                .consentNeeded,
                "the payment asks for \(what), which is not granted without a question: ask the payer",
                provider: provider)
        }
        return try await base.sign(request)
    }
}
