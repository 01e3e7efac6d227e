import PaymentCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The flow of a router's attempt.
extension PaymentFlow {
    /// The maximum time for which the service may hold a query. Shorter than the vendor's five minutes: a router
    /// settles open payments itself.
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

    /// Runs the attempt to its report.
    func report() async throws -> ServiceReport {
        do { return ServiceReport(try await run(), of: payment) } catch let error as PaymentError {
            let failures = mark?.failures ?? 0
            guard error.phase == .maybeSent, error.code != .inUse, failures > 0 else { throw error }
            // A status query does not know this attempt: it would take the earlier decline for its report.
            return .unknown(UnknownOutcome(reference: payment, message: error.message))
        }
    }
}

extension PaymentChoice {
    /// Returns the chosen means in the flow's form; nil if the payer entered no card.
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

extension ServiceReport {
    /// Creates the report for the end of a flow.
    init(_ end: PaymentFlow.End, of payment: PaymentReference) {
        self =
            switch end {
            case .success: .succeeded(PaymentReceipt(reference: payment))
            case .declined(let reason): .declined(DeclineReason(.refused, "the payment was declined: \(reason)"))
            case .cancelled: .cancelled
            case .pending, .left: .pending(retryAfter: nil)
            }
    }

    /// Creates the report for the statuses of `execution`. Only a final status of the latest attempt counts.
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
