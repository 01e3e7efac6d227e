import PaymentCore
import PayrailsTypes

/// What one call of a router works with: the session in the payment's link.
struct ProviderSession: Sendable {
    let payload: SessionPayload
    let api: PayrailsAPI
    let poll: ExecutionPoll
    let returnURLs: ReturnURLs

    /// How long the service may hold a question. Shorter than the vendor's five minutes: a router settles what is still
    /// open by itself.
    private static let hold = Duration.seconds(120)

    /// The name of the secret that stands in for the link of the payment called `id`.
    static func secretName(_ id: String) -> String {
        // It is shown to people, who may have any text in their journal.
        "payrails.session.\(WireText.code(id) ?? "<payment id>")"
    }

    /// The session of `payment`: from the link being paid, or from the application's secrets. It holds a token, so no
    /// journal has it.
    ///
    /// - Throws: `PaymentError`, `unauthorized`, when there is neither.
    init(_ payment: PaymentReference, _ context: ProviderContext, _ returnURLs: ReturnURLs) async throws {
        var link = context.link
        if link == nil, let text = try await context.secrets.secret(Self.secretName(payment.id))?.reveal() {
            link = try? PaymentLink(text)
        }
        guard let link, let data = try? SessionLink.initData(of: link), let payload = try? SessionPayload(data) else {
            throw PaymentError(
                .unauthorized,
                "the payment's session is not at hand, because journals keep no tokens: pay its link again, which "
                    + "goes on with it, or give the link as the secret '\(Self.secretName(payment.id))'",
                provider: PayrailsProvider.id)
        }
        guard payload.execution.id == payment.id else {
            throw PaymentError(.integrity, "the session is for another payment", provider: PayrailsProvider.id)
        }
        self.payload = payload
        self.returnURLs = returnURLs
        api = PayrailsAPI(payload, http: context.http, random: context.random)
        poll = ExecutionPoll(api: api, clock: context.clock, hold: Self.hold)
    }

    /// Where the payment can be asked about.
    var url: String { payload.execution.links.me }

    /// What the payment is as of now.
    func execution() async throws(PaymentError) -> ExecutionBody {
        try await translated { () throws(PayrailsError) in try await api.execution(url) }
    }
}

extension PaymentOutcome {
    /// What an ending means.
    init(_ ending: ExecutionPoll.Ending, of payment: PaymentReference) {
        self =
            switch ending {
            case .success: .succeeded(PaymentReceipt(reference: payment))
            case .failed(let reason): .declined(DeclineReason(.refused, "the payment was declined: \(reason)"))
            case .cancelled: .cancelled
            case .pending: .pending(retryAfter: nil)
            }
    }

    /// What the statuses of `execution` mean. Only an ending of the latest attempt is one.
    init(_ execution: ExecutionBody, of payment: PaymentReference) {
        switch StatusHistory(execution.status).verdict(knowsPending: true) {
        case .success: self.init(.success, of: payment)
        case .failed(let reason): self.init(.failed(reason), of: payment)
        case .cancelled: self = .cancelled
        case .pending, .open: self = .pending(retryAfter: nil)
        }
    }
}
