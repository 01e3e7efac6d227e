public import PaymentCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Payrails: shops whose payers pay with instruments stored there, with new cards, PayPal and redirects.
///
/// Claims `payrails:session` links and init data as text (``SessionLink``), and the service's return and challenge
/// pages as callbacks. Only the link holds the session's token: an attempt that is resumed without its link needs the
/// secret `payrails.session.<payment id>`, whose value is the link, or one to a renewed session.
///
/// The request to pay is sent once. If it is interrupted in flight, the payment's statuses settle it. It stays unknown
/// until they show its report, or that the shop cancelled the order.
public struct PayrailsProvider: RedirectCompletingProvider {
    /// `payrails`.
    public static let id: ProviderID = "payrails"

    private let id: ProviderID
    private let returnURLs: ReturnURLs
    private let additionalHosts: [String]

    /// Creates a provider.
    ///
    /// - Parameters:
    ///   - id: an id that differs for each account or environment in one registry or journal, and never changes.
    ///   - returnURLs: the addresses that payers return to from pages.
    ///   - additionalHosts: hosts in addition to those of payrails.io that sessions may use, `host` or `host:port`,
    ///     such as a sandbox's. Links to them stay unverified.
    public init(
        id: ProviderID = PayrailsProvider.id, returnURLs: ReturnURLs = .standard, additionalHosts: [String] = []
    ) {
        self.id = id
        self.returnURLs = returnURLs
        self.additionalHosts = additionalHosts
    }

    /// The provider's identity and the links that it claims.
    public var descriptor: ProviderDescriptor {
        ProviderDescriptor(
            id: id, name: "Payrails",
            patterns: [.scheme(SessionLink.scheme), .hostSuffix(AddressRule.domain)]
                + SessionLink.textPrefixes.map(LinkPattern.textPrefix)
                + returnURLs.all.filter { !ReturnURLs.standard.all.contains($0) }.map(LinkPattern.returnURL),
            outboundHosts: ["." + AddressRule.domain] + additionalHosts, replayWindow: Self.confirmationWindow)
    }

    /// The time during which an interrupted confirmation of a PayPal approval is sent again. Chosen by this library:
    /// the service does not document for how long it recognises a key, and therefore the request to pay is never
    /// repeated. A confirmation may be: it names one order at PayPal, and the vendor's own client repeats it under new
    /// keys.
    private static let confirmationWindow = Duration.seconds(900)

    /// Recognises sessions: verified only if every address in the session is on payrails.io.
    public func recognize(_ link: PaymentLink) -> LinkMatch? { LinkReading.match(link, returnURLs) }

    /// Reads the session's options and queries the payment's status.
    ///
    /// A payment in progress is never offered to be begun again: the quote says that it is pending, or offers to resume
    /// at the page that waits for the payer. After a decline it can be paid in another way.
    ///
    /// - Throws: ``PaymentError``; no request that moves money has been sent then.
    public func quote(_ request: QuoteRequest, in context: ProviderContext) async throws -> ProviderQuote {
        let session = try await session(request.reference, context)
        let execution = try await session.execution()
        let price = try session.payload.amount.money()
        let order = WireText.line(session.setup.merchantReference)
        func quote(_ options: [PaymentMethodOption], _ report: ServiceReport? = nil) -> ProviderQuote {
            ProviderQuote(
                reference: request.reference, payee: Payee(name: order.map { "a shop (order \($0))" } ?? "a shop"),
                amount: price, options: options, report: report)
        }
        switch StatusHistory(execution.status).status {
        case .ready: return quote(try PaymentChoice.all(in: session.payload, price: price))
        case .paid, .cancelled: return quote([], ServiceReport(execution, of: request.reference))
        case .inFlight:
            let type = PendingAction.type(of: execution)
            let isForPayer =
                execution.actionRequired != nil && context.payer.browser != nil
                && (try? PendingAction(execution, type, session.payload.addresses, returnURLs: returnURLs)) != nil
            return isForPayer
                ? quote([try PaymentChoice.page(type, price: price)]) : quote([], .pending(retryAfter: nil))
        }
    }

    /// Authorises the payment once, shows the payer a page if one is required, and waits for the report.
    ///
    /// - Throws: ``PaymentError``; with phase `maybeSent` the payment may have been authorised.
    public func pay(_ attempt: PaymentAttempt, in context: ProviderContext) async throws -> ServiceReport {
        guard let choice = try attempt.option.providerData?.decode(PaymentChoice.self) else {
            throw PaymentError(.unusableOption, "the option does not say what to pay with", provider: id)
        }
        let session = try await session(attempt.reference, context)
        return try await PaymentFlow(attempt, choice, session, in: context).report()
    }

    /// Queries the payment's statuses.
    ///
    /// - Throws: ``PaymentError`` if the query fails; the error does not determine the payment's report.
    public func status(of payment: PaymentReference, in context: ProviderContext) async throws -> ServiceReport {
        ServiceReport(try await session(payment, context).execution(), of: payment)
    }

    /// Resumes the payment after the payer came back from a page: confirms an approval with PayPal, and queries the
    /// service. The URL alone never makes a payment paid.
    ///
    /// - Throws: ``PaymentError``; `foreignReturn` if the URL names another payment.
    public func complete(
        _ callback: PaymentLink, for attempt: PaymentAttempt, in context: ProviderContext
    ) async throws -> ServiceReport {
        let session: ProviderSession
        do { session = try await self.session(attempt.reference, context) } catch let error as PaymentError {
            return .unknown(UnknownOutcome(reference: attempt.reference, message: error.message))
        }
        guard let choice = try attempt.option.providerData?.decode(PaymentChoice.self) else {
            return ServiceReport(try await session.execution(), of: attempt.reference)
        }
        return try await PaymentFlow(attempt, choice, session, in: context).completed(by: callback)
    }

    private func session(_ payment: PaymentReference, _ context: ProviderContext) async throws -> ProviderSession {
        try await ProviderSession(payment, context, returnURLs)
    }
}

extension PayrailsProvider: ReusableReferenceProvider {
    /// Rejects a session over another amount than that of the attempt with the same id, so that it does not count as
    /// paid with it.
    ///
    /// - Throws: ``PaymentError``, `integrity`, phase `beforeSend`, if the amounts differ.
    public func distinguish(_ link: PaymentLink, from attempt: PaymentAttempt) throws(PaymentError) {
        guard let data = try? SessionLink.initData(of: link), let payload = try? SessionPayload(data),
            let price = try? payload.amount.money(), price != attempt.option.amount
        else { return }
        throw PaymentError(
            .integrity,
            "the session is over \(price), but the payment of its id, which is paid or in progress, over "
                + "\(attempt.option.amount); nothing was sent: ask the shop for a separate payment", provider: id
        )
    }
}
