import PaymentCore

/// The session in the payment's link, for one call of a router.
struct ProviderSession: Sendable {
    let payload: SessionPayload
    /// The payment of ``payload``.
    let setup: SessionPayload.ExecutionSetup
    let returnURLs: ReturnURLs
    private let api: PayrailsAPI
    private let provider: ProviderID

    /// Returns the name of the secret that replaces the link of the payment `id`.
    static func secretName(_ id: String) -> String {
        // The name is shown to people, and a journal may hold any text.
        "payrails.session.\(WireText.code(id) ?? "<payment id>")"
    }

    /// Creates the session of `payment`: from the link being paid, or from the application's secrets. It holds a token,
    /// so no journal has it.
    ///
    /// - Throws: `PaymentError`, `unauthorized`, if there is neither.
    init(_ payment: PaymentReference, _ context: ProviderContext, _ returnURLs: ReturnURLs) async throws {
        var link = context.link
        if link == nil, let text = try await context.secrets.secret(Self.secretName(payment.id))?.reveal() {
            link = try? PaymentLink(text)
        }
        guard let link, let data = try? SessionLink.initData(of: link), let payload = try? SessionPayload(data) else {
            throw PaymentError(
                .unauthorized,
                "the payment's session is not at hand, because journals keep no tokens: pay its link again, which "
                    + "resumes it, or give the link as the secret '\(Self.secretName(payment.id))'",
                provider: payment.provider)
        }
        guard let setup = payload.execution, setup.id == payment.id else {
            throw PaymentError(.integrity, "the session is for another payment", provider: payment.provider)
        }
        self.payload = payload
        self.setup = setup
        self.returnURLs = returnURLs
        api = PayrailsAPI(payload, http: context.http, random: context.random)
        provider = payment.provider
    }

    /// Returns the present execution.
    func execution() async throws(PaymentError) -> ExecutionBody {
        do { return try await api.execution(setup.links.me) } catch {
            throw PaymentError(error, isMutation: false, at: provider)
        }
    }
}
