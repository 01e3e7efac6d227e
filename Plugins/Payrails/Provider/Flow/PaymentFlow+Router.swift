import PaymentCore
import PayrailsTypes

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The flow of a router's attempt.
extension PaymentFlow {
    /// How long the service may hold a question. Shorter than the vendor's five minutes: a router settles what is still
    /// open by itself.
    private static let hold = Duration.seconds(120)

    init(_ attempt: PaymentAttempt, _ choice: PaymentChoice, _ session: ProviderSession, in context: ProviderContext) {
        let (payload, provider) = (session.payload, attempt.reference.provider)
        var means: (@Sendable () async throws -> PaymentMeans?)?
        if choice.kind != .page { means = { try await choice.means(in: payload, context, at: provider) } }
        self.init(
            attempt.reference, payload: payload, execution: session.setup, returnURLs: session.returnURLs,
            terms: Terms(
                amount: payload.amount, agreed: attempt.option.amount, type: choice.paymentType, means: means),
            start: .mayBeBegun(afterLeaving: false),
            keys: Keys(
                authorize: attempt.idempotencyKey.uppercased(), confirm: attempt.key(for: "confirm").uppercased()),
            hold: Self.hold, context: context)
    }

    /// Carries the attempt through.
    func outcome() async throws -> PaymentOutcome {
        do { return PaymentOutcome(try await run(), of: payment) } catch let error as PaymentError {
            let failures = mark?.failures ?? 0
            guard error.phase == .maybeSent, error.code != .inUse, failures > 0 else { throw error }
            // Whoever asks for the status knows nothing of this attempt: the decline before it would be taken for its
            // ending.
            return .unknown(UnknownOutcome(reference: payment, message: error.message))
        }
    }
}

extension PaymentChoice {
    /// What was chosen, as the flow takes it.
    fileprivate func means(
        in payload: SessionPayload, _ context: ProviderContext, at provider: ProviderID
    ) async throws -> PaymentMeans? {
        switch kind {
        case .stored:
            guard let instrument = payload.instruments(paymentType).first(where: { $0.id == id }) else {
                throw PaymentError(
                    .unusableOption, "the session does not offer the stored instrument any more", provider: provider)
            }
            return .stored(instrument)
        case .card:
            let now = YearAndMonth(context.clock.now, timeZone: .gmt)
            guard let card = try await CardCollection(provider: provider).card(of: context.payer, now: now) else {
                return nil
            }
            let encrypted = try CardEncryption(payload, random: context.random).encrypt(card)
            return .card(encryptedData: encrypted, save: false)
        case .payPal: return .payPal(save: false)
        case .redirect, .page: return .redirect(code: id)
        }
    }
}

extension PaymentOutcome {
    /// What the end of a flow means.
    init(_ end: PaymentFlow.End, of payment: PaymentReference) {
        self =
            switch end {
            case .success: .succeeded(PaymentReceipt(reference: payment))
            case .declined(let reason): .declined(DeclineReason(.refused, "the payment was declined: \(reason)"))
            case .cancelled: .cancelled
            case .pending, .left: .pending(retryAfter: nil)
            }
    }

    /// What the statuses of `execution` mean. Only an ending of the latest attempt is one.
    init(_ execution: ExecutionBody, of payment: PaymentReference) {
        let end: PaymentFlow.End =
            switch StatusHistory(execution.status).verdict(knowsPending: true) {
            case .success: .success
            case .failed(let reason): .declined(reason)
            case .cancelled: .cancelled
            case .pending, .open: .pending
            }
        self.init(end, of: payment)
    }
}
