public import PaymentCore
import ServiceSupport

/// Citcon UPI: one order, paid with a Chinese wallet, a card, PayPal or one of many local methods.
///
/// Claims `citcon:charge` links (``CitconOrderLink``), Citcon's own landing pages, and the URLs of payers' returns to
/// the application. The payer needs a browser for pages and an app launcher for wallets. A payment that the service
/// calls `authorized` counts as paid: the payer's part is complete, and the merchant captures it.
public struct CitconProvider: RedirectCompletingProvider {
    /// `citcon`, the default id of a provider.
    public static let id: ProviderID = "citcon"

    /// The provider's id in registries and journals, and in the references of its payments.
    public let id: ProviderID
    let configuration: CitconConfiguration

    /// Creates a provider.
    ///
    /// - Parameters:
    ///   - id: unique for each merchant, account or environment in one registry or journal, and permanent. Such
    ///     providers claim the same links, so their registry has to allow it (`equalClaims: .reportAmbiguous`), and the
    ///     application chooses among the routes.
    ///   - configuration: the service and the application.
    public init(id: ProviderID = CitconProvider.id, configuration: CitconConfiguration) {
        self.id = id
        self.configuration = configuration
    }

    /// Returns the name under which the application's secret store keeps the access token of the provider with `id`:
    /// `citcon.access-token`, or with another id as its prefix.
    public static func accessTokenName(of id: ProviderID = CitconProvider.id) -> String { "\(id).access-token" }

    /// The provider's identity and its claims.
    public var descriptor: ProviderDescriptor {
        ProviderDescriptor(
            id: id, name: "Citcon",
            patterns: [.scheme("citcon")] + LandingPage.patterns + configuration.application.places.patterns,
            outboundHosts: [configuration.endpoint.baseURL.authority])
    }

    /// Returns an order, a landing page or a return, or nil for any other link. An order link that follows the grammar
    /// is verified: it names no host, so its token can only reach Citcon, whose answer must match the link before the
    /// payer is asked for anything.
    public func recognize(_ link: PaymentLink) -> LinkMatch? {
        if CitconOrderLink.isOne(link) {
            do throws(CitconOrderLink.Defect) {
                let order = try CitconOrderLink(link)
                return LinkMatch(
                    .payment(
                        OrderName(
                            mode: order.mode, merchant: configuration.merchant, reference: order.reference
                        ).text))
            } catch {
                // Reports the reason instead of ignoring the link.
                return LinkMatch(nil, trust: .unverified(reason: error.description))
            }
        }
        if let match = LandingPage.match(link) { return match }
        guard WalletReturn(link.text, at: configuration.application.places) != nil else { return nil }
        return LinkMatch(nil, role: .callback)
    }

    /// Returns the terms of the order link, without a request to the service.
    ///
    /// - Throws: ``PaymentError``: a landing page names neither an amount nor a charge and can only be opened, or a
    ///   link is for another environment.
    public func quote(_ request: QuoteRequest, in context: ProviderContext) async throws -> ProviderQuote {
        try checkIsNoPage(request.reference)
        let link: CitconOrderLink
        do throws(CitconOrderLink.Defect) { link = try CitconOrderLink(request.link) } catch {
            throw self.error(.rejectedLink, "the order link cannot be paid: \(error)")
        }
        guard link.mode == configuration.endpoint.mode else {
            throw error(
                .rejectedLink,
                "the order link is for the environment \(link.mode.linkName), this provider is set up for "
                    + configuration.endpoint.mode.linkName)
        }
        let need = Methods.need(of: link.method)
        let option = PaymentMethodOption(
            id: link.method, title: Methods.title(of: link.method), amount: link.amount, needs: [need],
            providerData: try JSONValue.encode(OrderTerms(link.token)))
        return ProviderQuote(
            reference: request.reference, payee: Payee(name: "a merchant of Citcon"), amount: link.amount,
            options: [option])
    }

    /// Looks up the method's gateway, confirms the charge once, hands the payer over, and asks for the report.
    ///
    /// - Returns: the report of the charge, as reported by the service.
    /// - Throws: ``PaymentError``; `integrity` when the service answers about another charge or amount than was agreed.
    public func pay(_ attempt: PaymentAttempt, in context: ProviderContext) async throws -> ServiceReport {
        try checkIsNoPage(attempt.reference)
        let name = try OrderName.reference(in: attempt.reference.id, configuration, at: id)
        if let link = context.link { try distinguish(link, from: attempt) }
        let link = try? context.link.map(CitconOrderLink.init)
        let isOwn = link?.reference == name && link?.mode == configuration.endpoint.mode
        let order = isOwn ? link.map { Order($0, configuration.application) } : nil
        let flow = OrderFlow(
            attempt.reference, method: attempt.option.id, order: order,
            terms: ChargeTerms(reference: name, agreed: attempt.option.amount),
            names: GivenNames(attempt, reference: name), gateways: configuration.gateways,
            service: try await service(context), context: context,
            handOff: PayerCallbacks(provider: id, payer: context.payer, places: configuration.application.places))
        return try await carryOut(flow, context)
    }

    private func carryOut(_ flow: OrderFlow, _ context: ProviderContext) async throws -> ServiceReport {
        let (confirmed, handler, isFresh): (OrderFlow.Confirmed, GatewayHandler, Bool)
        switch try await flow.confirm() {
        case .over(let report): return report
        case .confirmed(let stored, let taker, let isNew): (confirmed, handler, isFresh) = (stored, taker, isNew)
        }
        // After a restart the payer may already have paid. A wallet must not open again then.
        if !isFresh, let answer = try? await flow.inquire(confirmed),
            let report = try? answer.transaction.report(of: flow.payment, over: flow.terms), report.isFinal
        {
            return report
        }
        var limit = configuration.settlementTimeout
        if case .back(let back)? = try await flow.handOver(confirmed, handler), back.isCancellation {
            limit = min(limit, .seconds(5))
        }
        let poll = SettlementPoll(
            provider: id, clock: context.clock, limit: limit, timeout: configuration.requestTimeout
        ) { [limit] in
            context.log("not decided yet; asking again for up to \(limit.components.seconds) s")
        }
        let transaction = try await poll.settle { () throws(CitconCallError) in try await flow.inquire(confirmed) }
        return try transaction.report(of: flow.payment, over: flow.terms)
    }

    /// Inquires about the charge by the merchant's reference.
    ///
    /// - Returns: the report. It requires the agreed reference, amount and currency in addition to the state.
    /// - Throws: ``PaymentError`` when the inquiry fails or the service answers about another charge.
    public func status(of payment: PaymentReference, in context: ProviderContext) async throws -> ServiceReport {
        try checkIsNoPage(payment)
        let name = try OrderName.reference(in: payment.id, configuration, at: id)
        let service = try await service(context)
        let answer: CitconService.Answer
        do throws(CitconCallError) { answer = try await service.inquire(reference: name) } catch {
            throw ErrorTable.citcon.paymentError(from: error, isMutation: false, at: id)
        }
        return try answer.transaction.report(of: payment, over: ChargeTerms(reference: name))
    }

    /// Asks the service for the report, whatever the URL says. A URL that names another order is refused.
    ///
    /// - Returns: the report of the charge, as reported by the service.
    /// - Throws: ``PaymentError``; `foreignReturn` when the URL names another order.
    public func complete(
        _ callback: PaymentLink, for attempt: PaymentAttempt, in context: ProviderContext
    ) async throws -> ServiceReport {
        guard let back = WalletReturn(callback.text, at: configuration.application.places) else {
            throw error(.notAPayment, "the URL is not one by which a payer comes back from Citcon")
        }
        let name = try OrderName.reference(in: attempt.reference.id, configuration, at: id)
        let names = GivenNames(attempt, reference: name)
        try back.check(names, at: id, phase: .maybeSent)
        let service = try await service(context)
        let poll = SettlementPoll(
            provider: id, clock: context.clock, limit: .seconds(5), timeout: configuration.requestTimeout)
        let transaction = try await poll.settle { () throws(CitconCallError) in
            try await service.inquire(reference: name)
        }
        try back.check(names.confirmed(id: transaction.id, .nothing), at: id, phase: .maybeSent)
        return try transaction.report(
            of: attempt.reference, over: ChargeTerms(reference: name, agreed: attempt.option.amount))
    }

    // MARK: Helpers

    private func service(_ context: ProviderContext) async throws -> CitconService {
        var token = configuration.accessToken
        if token == nil { token = try await context.secrets.secret(Self.accessTokenName(of: id)) }
        guard let token, !token.reveal().isEmpty else {
            throw error(
                .unauthorized,
                "there is no access token; give one to the configuration, or keep it in the secret store as "
                    + Self.accessTokenName(of: id))
        }
        return CitconService(
            baseURL: configuration.endpoint.baseURL, token: token, http: context.http,
            timeout: configuration.requestTimeout)
    }

    private func checkIsNoPage(_ payment: PaymentReference) throws {
        guard payment.id.hasPrefix(LandingPage.referencePrefix) else { return }
        throw PaymentError(
            .unsupported,
            "a landing page of Citcon names neither the amount nor the charge, and nothing can be asked about it; open "
                + "it in a browser, and ask the merchant whether it was paid", provider: id)
    }

    private func error(_ code: PaymentError.Code, _ message: String) -> PaymentError {
        PaymentError(code, message, provider: id)
    }
}

/// The display names and usual needs of payment methods. The set is open: an unknown method counts as paid on a page
/// until the service says otherwise.
enum Methods {
    /// Returns the method's usual need. The gateway decides in the end.
    static func need(of method: String) -> PayerNeed {
        apps[method].map { .app(name: $0) } ?? .page
    }

    /// The method's name.
    static func title(of method: String) -> String { titles[method] ?? apps[method] ?? method }

    private static let apps = [
        "wechatpay": "WeChat Pay", "alipay": "Alipay", "upop": "UnionPay", "card": "Braintree",
        "paypal": "Braintree", "venmo": "Braintree", "cashapppay": "Cash App",
    ]

    private static let titles = [
        "card": "Card", "paypal": "PayPal", "venmo": "Venmo", "cashapppay": "Cash App Pay", "alipay+": "Alipay+",
        "alipay_hk": "AlipayHK", "toss": "Toss", "kakaopay": "KakaoPay", "naverpay": "Naver Pay", "gcash": "GCash",
        "dana": "DANA", "tng": "Touch 'n Go", "grabpay": "GrabPay", "shopeepay": "ShopeePay", "paynow": "PayNow",
        "paymaya": "Maya", "atome": "Atome", "truemoney": "TrueMoney", "rabbit_line_pay": "Rabbit LINE Pay",
        "lpay": "L.Pay", "lgpay": "LG Pay", "samsungpay": "Samsung Pay", "banktransfer": "Bank transfer",
        "klarna": "Klarna", "payco": "PAYCO", "linepay": "LINE Pay", "paypay": "PayPay", "rakutenpay": "Rakuten Pay",
        "boost": "Boost", "netspay": "NETS", "bpi": "BPI", "ubp": "UnionBank", "oxxo": "OXXO", "oxxopay": "OXXO Pay",
        "spei": "SPEI", "mercadopago": "Mercado Pago", "afterpay": "Afterpay", "affirm": "Affirm", "ozow": "Ozow",
        "m_pesa": "M-PESA", "upi": "UPI", "pix": "Pix", "paze": "Paze", "hpp": "Citcon's payment page",
        "flexa": "Flexa", "paylater": "PayPal Pay Later", "billease": "BillEase", "cashalo": "Cashalo",
    ]
}
