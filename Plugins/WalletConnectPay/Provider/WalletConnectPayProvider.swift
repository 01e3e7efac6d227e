public import PaymentCore
public import PaymentReview

/// WalletConnect Pay: merchants are paid in tokens from the payer's wallet.
///
/// Claims links to `pay.walletconnect.com` and its subdomains, short links on `pay.wct.me`, `wc:` URIs that carry such
/// a link, bare `pay_…` ids (unverified), and the configured merchant pages for payers who return from the service's
/// checkout. The payer needs accounts and a signer.
public struct WalletConnectPayProvider: AliasedPaymentProvider, RedirectCompletingProvider {
    /// `walletconnect-pay`.
    public static let id: ProviderID = "walletconnect-pay"

    private let id: ProviderID
    private let configuration: GatewayConfiguration
    private let appLinks: AppLinks
    private let returns: [CheckoutReturns]
    private let reviewer: SigningReviewer

    /// Creates a provider.
    ///
    /// - Parameters:
    ///   - id: unique for each account or environment in one registry or journal, and permanent.
    ///   - configuration: the service and its credentials.
    ///   - appLinks: the application's own links, which may carry payment links. They add no trust.
    ///   - returns: the merchants' pages for returning payers, if this application opens them.
    ///   - reviewer: the rules for the wallet's signatures, and the contacts of the payer.
    public init(
        id: ProviderID = WalletConnectPayProvider.id, configuration: GatewayConfiguration,
        appLinks: AppLinks = AppLinks(), returns: [CheckoutReturns] = [],
        reviewer: SigningReviewer = SigningReviewer()
    ) {
        self.id = id
        self.configuration = configuration
        self.appLinks = appLinks
        self.returns = returns
        self.reviewer = reviewer
    }

    /// Creates a provider of the production service, for an application with an app id and a fresh client id.
    ///
    /// - Parameter appID: the id of the application, from the vendor.
    /// - Throws: ``LinkDefect``, as ``GatewayConfiguration/init(appID:baseURL:)`` does.
    public init(appID: String) throws(LinkDefect) {
        self.init(configuration: try GatewayConfiguration(appID: appID))
    }

    /// The provider's identity and its claims.
    public var descriptor: ProviderDescriptor {
        ProviderDescriptor(
            id: id, name: "WalletConnect Pay",
            patterns: [
                .hostSuffix(PaymentID.linkHost), .host(PaymentID.shortLinkHost), .scheme("wc"), .textPrefix("pay_"),
            ] + appLinks.patterns + returnPatterns,
            outboundHosts: [configuration.baseURL.authority])
    }

    /// Recognises payment links: verified only for https links on a WalletConnect Pay host with one well-formed id, and
    /// for `wc:` URIs whose payment link is one. A payer's return is recognised by its page and the one payment that it
    /// names.
    public func recognize(_ link: PaymentLink) -> LinkMatch? {
        for pages in returns {
            if let id = pages.payment(in: link) { return LinkMatch(.payment(id), role: .callback) }
        }
        return LinkReading.match(link, in: appLinks)
    }

    /// The patterns of all return pages. Several merchants may share a page.
    private var returnPatterns: [LinkPattern] {
        var seen: Set<LinkPattern> = []
        return returns.flatMap(\.patterns).filter { seen.insert($0).inserted }
    }

    /// Returns true if a payment is named by a short link.
    public func isUnresolved(_ payment: PaymentReference) -> Bool { !PaymentID.isWellFormed(payment.id) }

    /// Gets the payment and the options of the payer's accounts.
    ///
    /// - Throws: ``PaymentError``; no request that moves money was sent then.
    public func quote(_ request: QuoteRequest, in context: ProviderContext) async throws -> ProviderQuote {
        try await flow(context).quote(request.reference)
    }

    /// Gathers data if the option requests it, resolves the option's actions, has the payer sign them in order,
    /// confirms once and waits for the settlement.
    ///
    /// - Throws: ``PaymentError``; with phase `maybeSent` the payment may have been confirmed, or the payer's wallet
    ///   may have sent the money.
    public func pay(_ attempt: PaymentAttempt, in context: ProviderContext) async throws -> ServiceReport {
        let payment = attempt.reference
        do {
            return try await flow(context).pay(attempt)
        } catch let error as PaymentError where error.code == Expiry.code {
            // The expiry is by this device's clock. Only the service has the actual state.
            let report = try await status(of: payment, in: context)
            guard !report.isFinal else { return report }
            throw PaymentError(
                .unusableOption,
                "the payment's time is over by this device's clock, but the service has not ended it; check the clock",
                provider: id)
        } catch let error as PaymentError where error.code == .payerRefused && error.phase == .answered {
            return .refusedPayer(error)
        } catch let error as PaymentError where error.code == .requestRefused && error.phase == .answered {
            // Often the payment has ended in the meantime: expired, cancelled, paid by another device.
            guard let report = try? await status(of: payment, in: context), report.isFinal else { throw error }
            return report
        }
    }

    /// Asks the service for the payment's state.
    ///
    /// - Throws: ``PaymentError`` when the inquiry fails, which says nothing about the payment.
    public func status(of payment: PaymentReference, in context: ProviderContext) async throws -> ServiceReport {
        let flow = flow(context)
        return try await flow.mapped { () throws(GatewayError) in try await flow.status(payment.id) }
            .report(of: payment)
    }

    /// Asks the service for the report of the payment after the payer has returned. The return itself, on either page,
    /// proves nothing.
    ///
    /// - Throws: ``PaymentError``; `foreignReturn` when the link is not a return of this payment.
    public func complete(
        _ callback: PaymentLink, for attempt: PaymentAttempt, in context: ProviderContext
    ) async throws -> ServiceReport {
        guard returns.contains(where: { $0.payment(in: callback) == attempt.reference.id }) else {
            throw PaymentError(.foreignReturn, "the payer came back from another payment", provider: id)
        }
        return try await status(of: attempt.reference, in: context)
    }

    private func flow(_ context: ProviderContext) -> PaymentFlow {
        PaymentFlow(configuration, reviewer: reviewer, limits: .none, provider: id, context: context)
    }
}

/// The address, the credentials and the time limits of WalletConnect Pay's wallet-facing API.
public struct GatewayConfiguration: Sendable {
    /// The credentials of the caller. One of the two is sent, never both.
    @nonexhaustive
    public enum Credentials: Sendable {
        /// An app id (the WalletConnect project id) and a client id, random per installation or process.
        case app(id: Redacted<String>, clientID: String)
        /// An API key.
        case apiKey(Redacted<String>)
    }

    /// The API of the production environment.
    public static let productionURL = "https://api.pay.walletconnect.com"

    /// The credentials of the caller.
    public let credentials: Credentials
    /// The API's address.
    public let baseURL: HTTPURL
    /// The time allowed for one request, retries included.
    public let requestTimeout: Duration
    /// The time limit for the settlement of a confirmed payment, before it is reported as pending.
    public let settlementTimeout: Duration

    /// Creates a configuration.
    ///
    /// - Throws: ``LinkDefect`` when `baseURL` is not a web address, or neither `https` nor on this machine
    ///   (``LinkDefect/unencrypted(origin:)``): the key and the payments would travel unencrypted.
    public init(
        credentials: Credentials, baseURL: String = Self.productionURL, requestTimeout: Duration = .seconds(30),
        settlementTimeout: Duration = .seconds(60)
    ) throws(LinkDefect) {
        self.credentials = credentials
        self.baseURL = try HTTPURL(service: baseURL)
        self.requestTimeout = requestTimeout
        self.settlementTimeout = settlementTimeout
    }

    /// Creates a configuration with an app id and a fresh client id.
    ///
    /// - Throws: ``LinkDefect``, as above.
    public init(appID: String, baseURL: String = Self.productionURL) throws(LinkDefect) {
        try self.init(
            credentials: .app(id: Redacted(appID), clientID: SystemRandomSource().uuid()), baseURL: baseURL)
    }
}
