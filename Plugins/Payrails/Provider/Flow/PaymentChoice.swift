import PaymentCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One way to pay, as it is stored with an attempt. Contains names only, no secrets.
struct PaymentChoice: Sendable, Hashable, Codable {
    enum Kind: String, Sendable, Hashable, Codable {
        case stored, card, payPal, redirect
        /// Resumes the payment in progress: the payer has to visit its page.
        case page
    }

    let kind: Kind
    let type: String
    /// The instrument's id, or the method's code.
    let id: String?

    /// Returns the only way to pay a payment in progress that waits for its payer on a page.
    static func page(_ type: Payrails.PaymentType, price: Money) throws -> PaymentMethodOption {
        PaymentMethodOption(
            id: Kind.page.rawValue, title: "Resume the payment that was begun", amount: price, needs: [.page],
            providerData: try JSONValue.encode(PaymentChoice(kind: .page, type: type.rawValue, id: nil)))
    }

    /// Returns the ways to pay that a payer of this package can use, in order: stored ones, then new ones. Omits ways
    /// that could only fail.
    static func all(in payload: SessionPayload, price: Money) throws -> [PaymentMethodOption] {
        var options: [PaymentMethodOption] = []
        func add(_ choice: PaymentChoice, _ title: String, _ needs: [PayerNeed]) throws {
            let id = [choice.kind.rawValue, choice.id].compactMap(\.self).joined(separator: ":")
            guard !options.contains(where: { $0.id == id }) else { return }
            options.append(
                PaymentMethodOption(
                    id: id, title: title, amount: price, needs: needs, providerData: try JSONValue.encode(choice)))
        }
        for type in [Payrails.PaymentType.card, .payPal] where payload.isPayable(type) {
            for instrument in payload.instruments(type) {
                // Titles are stored with the attempt: a card's last digits are allowed, an address is not.
                let title = type == .card ? instrument.displayText() : "Saved PayPal account"
                try add(PaymentChoice(kind: .stored, type: type.rawValue, id: instrument.id), title, [])
            }
        }
        for option in payload.options where option.type.map(payload.isPayable) == true {
            switch option.type {
            case .card where payload.encryptionKey?.nonEmpty != nil:
                try add(PaymentChoice(kind: .card, type: "card", id: nil), "New card", [.data])
            case .payPal: try add(PaymentChoice(kind: .payPal, type: "payPal", id: nil), "PayPal", [.page])
            case .genericRedirect:
                let name = option.clientConfig?.displayName ?? option.paymentMethodCode
                try add(
                    PaymentChoice(kind: .redirect, type: "genericRedirect", id: option.paymentMethodCode),
                    WireText.line(name) ?? "Another method", [.page])
            // Apple's sheet is for applications:
            // `PayrailsSession/executePayment(withApplePay:saveInstrument:presenter:)`.
            case .card, .applePay, nil: break
            }
        }
        return options
    }

    /// The type of the payment.
    var paymentType: Payrails.PaymentType { Payrails.PaymentType(rawValue: type) ?? .genericRedirect }
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

/// The request for the payer's card. The input is never stored: it is requested right before it is encrypted and sent.
struct CardCollection: Sendable {
    /// The provider of the errors.
    let provider: ProviderID

    /// The ids of the fields, as the vendor's form names them.
    static let request = DataRequest(fields: [
        field(.CARD_NUMBER, "Card number", isRequired: true),
        field(.EXPIRATION_MONTH, "Expiry month (MM)", isRequired: true),
        field(.EXPIRATION_YEAR, "Expiry year (YYYY)", isRequired: true),
        field(.CVV, "Security code", isRequired: true),
        field(.CARDHOLDER_NAME, "Name on the card", isRequired: false),
    ])

    /// Returns the card that `payer` enters; nil if the payer enters none.
    ///
    /// - Throws: `PaymentError` of phase `beforeSend` if the payer has no way to enter data, or the data is not
    ///   acceptable.
    func card(of payer: Payer, now: YearAndMonth) async throws -> CardDetails? {
        guard let collector = payer.dataCollector else { throw failure("a new card needs a data collector") }
        let values: [String: Redacted<String>]?
        do { values = try await collector(Self.request) } catch is CancellationError { throw CancellationError() } catch
        {
            throw failure("the card could not be asked for (\(type(of: error)))", cause: error)
        }
        guard let values else { return nil }
        func value(_ field: CardFieldType) -> String? { values[field.column]?.reveal() }
        do {
            return try CardDetails(
                number: value(.CARD_NUMBER) ?? "", expiryMonth: value(.EXPIRATION_MONTH) ?? "",
                expiryYear: value(.EXPIRATION_YEAR) ?? "", securityCode: value(.CVV) ?? "",
                holderName: value(.CARDHOLDER_NAME)?.nonEmpty, now: now)
        } catch {
            throw failure("the card is not valid: \(error.description)")
        }
    }

    private static func field(_ type: CardFieldType, _ name: String, isRequired: Bool) -> DataRequest.Field {
        DataRequest.Field(id: type.column, name: name, kind: .text, isRequired: isRequired)
    }

    private func failure(_ message: String, cause: (any Error)? = nil) -> PaymentError {
        PaymentError(.payer, message, provider: provider, cause: cause)
    }
}

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

// MARK: - A router's attempt

/// The flow of a router's attempt.
extension PaymentFlow {
    /// The maximum time that the service may hold a query. Shorter than the vendor's five minutes: a router settles
    /// open payments itself.
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
