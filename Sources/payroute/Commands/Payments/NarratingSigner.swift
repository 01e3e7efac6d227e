import PaymentCore

/// A signer that first shows the effects of signing.
struct NarratingSigner: PaymentSigner {
    let signer: any PaymentSigner
    let narrate: PaymentSession.Narrator

    func supports(method: String) -> Bool { signer.supports(method: method) }

    func sign(_ request: SigningRequest) async throws -> String {
        narrate(
            SessionEvent(
                "sign", "\(request.index + 1) of \(request.count): \(request.method)",
                [
                    "number": .number(JSONNumber(request.index + 1)), "of": .number(JSONNumber(request.count)),
                    "method": .string(request.method),
                ]))
        // The whole list is shown before its first signature.
        if request.index == 0 {
            narrate(SessionEvent(effectsOf: request.review))
        }
        return try await signer.sign(request)
    }
}
