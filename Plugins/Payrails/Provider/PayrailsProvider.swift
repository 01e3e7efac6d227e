public import PaymentCore
import PayrailsTypes

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Payrails: shops that let payers pay with what is stored there, with new cards, PayPal and redirects.
///
/// Claims `payrails:session` links and init data as text (``SessionLink``), and the service's return and challenge
/// pages as callbacks. The session's token is in the link and nowhere else: an attempt that is resumed without its link
/// needs the secret `payrails.session.<payment id>`, whose value is the link, or one to a renewed session.
///
/// The request to pay is sent once. Interrupted on its way it is settled by the payment's statuses, and stays unknown
/// until they, or the shop's calling the order off, say how it ended.
public struct PayrailsProvider: RedirectCompletingProvider {
    /// `payrails`.
    public static let id: ProviderID = "payrails"

    private let id: ProviderID
    private let returnURLs: ReturnURLs
    private let additionalHosts: [String]

    /// Creates a provider.
    ///
    /// - Parameters:
    ///   - id: another one for each account or environment in one registry or journal, and the same for ever.
    ///   - returnURLs: where payers come back to from pages.
    ///   - additionalHosts: hosts besides those of payrails.io that sessions may lead to, `host` or `host:port`, such
    ///     as a sandbox's. Links that lead there stay unverified.
    public init(
        id: ProviderID = PayrailsProvider.id, returnURLs: ReturnURLs = .standard, additionalHosts: [String] = []
    ) {
        self.id = id
        self.returnURLs = returnURLs
        self.additionalHosts = additionalHosts
    }

    /// Who the provider is and what it claims.
    public var descriptor: ProviderDescriptor {
        ProviderDescriptor(
            id: id, name: "Payrails",
            patterns: [.scheme(SessionLink.scheme), .hostSuffix(AddressRule.domain)]
                + SessionLink.textPrefixes.map(LinkPattern.textPrefix)
                + returnURLs.all.filter { !ReturnURLs.standard.all.contains($0) }.map(LinkPattern.returnURL),
            outboundHosts: ["." + AddressRule.domain] + additionalHosts, replayWindow: Self.confirmationWindow)
    }

    /// For how long an interrupted confirmation of a PayPal approval is sent again. A choice of ours: no time is
    /// documented for which the service recognises a key, and therefore the request to pay is never repeated. A
    /// confirmation may be: it names one order at PayPal, and the vendor's own client repeats it under new keys.
    private static let confirmationWindow = Duration.seconds(900)

    /// Recognises sessions: verified only when every address in the session is on payrails.io.
    public func recognize(_ link: PaymentLink) -> LinkMatch? { LinkReading.match(link, returnURLs) }

    /// Reads the session's options and asks where the payment stands.
    ///
    /// A payment that is under way is never offered to be begun again: the quote says that it is pending, or offers to
    /// go on with the page that waits for the payer. After a decline it can be paid in another way.
    ///
    /// - Throws: ``PaymentError``; nothing that moves money has been sent then.
    public func quote(_ request: QuoteRequest, in context: ProviderContext) async throws -> PaymentQuote {
        let session = try await session(request.reference, context)
        let execution = try await session.execution()
        let price = try session.payload.amount.money()
        let order = WireText.line(session.setup.merchantReference)
        func quote(_ options: [PaymentMethodOption], _ outcome: PaymentOutcome? = nil) -> PaymentQuote {
            PaymentQuote(
                reference: request.reference, payee: Payee(name: order.map { "a shop (order \($0))" } ?? "a shop"),
                amount: price, options: options, outcome: outcome)
        }
        switch StatusHistory(execution.status).status {
        case .ready: return quote(try PaymentChoice.all(in: session.payload, price: price))
        case .paid, .cancelled: return quote([], PaymentOutcome(execution, of: request.reference))
        case .inFlight:
            let type = PendingAction.type(of: execution)
            let isForPayer =
                execution.actionRequired != nil && context.payer.browser != nil
                && (try? PendingAction(execution, type, session.payload.addresses, returnURLs: returnURLs)) != nil
            return isForPayer
                ? quote([try PaymentChoice.page(type, price: price)]) : quote([], .pending(retryAfter: nil))
        }
    }

    /// Authorises the payment once, has the payer see a page where one is needed, and waits for the ending.
    ///
    /// - Throws: ``PaymentError``; with phase `maybeSent` the payment may have been authorised.
    public func pay(_ attempt: PaymentAttempt, in context: ProviderContext) async throws -> PaymentOutcome {
        guard let choice = try attempt.option.providerData?.decode(PaymentChoice.self) else {
            throw PaymentError(.unusableOption, "the option does not say what to pay with", provider: id)
        }
        let session = try await session(attempt.reference, context)
        return try await PaymentFlow(attempt, choice, session, in: context).outcome()
    }

    /// Asks the service for the payment's statuses.
    ///
    /// - Throws: ``PaymentError`` when the service cannot be asked, which says nothing about the payment.
    public func status(of payment: PaymentReference, in context: ProviderContext) async throws -> PaymentOutcome {
        PaymentOutcome(try await session(payment, context).execution(), of: payment)
    }

    /// Goes on after the payer came back from a page: confirms what was approved with PayPal, and asks the service. The
    /// URL alone never makes a payment paid.
    ///
    /// - Throws: ``PaymentError``; `foreignReturn` when the URL names another payment.
    public func complete(
        _ callback: PaymentLink, for attempt: PaymentAttempt, in context: ProviderContext
    ) async throws -> PaymentOutcome {
        let session: ProviderSession
        do { session = try await self.session(attempt.reference, context) } catch let error as PaymentError {
            return .unknown(UnknownOutcome(reference: attempt.reference, message: error.message))
        }
        guard let choice = try attempt.option.providerData?.decode(PaymentChoice.self) else {
            return PaymentOutcome(try await session.execution(), of: attempt.reference)
        }
        return try await PaymentFlow(attempt, choice, session, in: context).completed(by: callback)
    }

    private func session(_ payment: PaymentReference, _ context: ProviderContext) async throws -> ProviderSession {
        try await ProviderSession(payment, context, returnURLs)
    }
}

extension PayrailsProvider: ReusableReferenceProvider {
    /// A session over another amount than the payment of this id was begun over is not told paid because that was.
    ///
    /// - Throws: ``PaymentError``, `integrity`, phase `beforeSend`, when the amounts differ.
    public func distinguish(_ link: PaymentLink, from attempt: PaymentAttempt) throws(PaymentError) {
        guard let data = try? SessionLink.initData(of: link), let payload = try? SessionPayload(data),
            let price = try? payload.amount.money(), price != attempt.option.amount
        else { return }
        throw PaymentError(
            .integrity,
            "the session is over \(price), but the payment of its id, which is paid or in progress, over "
                + "\(attempt.option.amount); nothing was sent: ask the shop for a payment of its own", provider: id
        )
    }
}
