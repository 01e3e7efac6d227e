public import CitconProvider
public import PaymentCore

/// Citcon on a merchant's server: asks about charges, calls them off, gives money back and reads notifications. Charges
/// are made and captured with its ``client(over:clock:)``.
///
/// Payments are called by the merchant's own references. It holds the merchant's private key, so it has no place in an
/// app; payers pay with `CitconProvider`, which never sees one. Both can be registered together, and share a journal.
public struct CitconMerchant: PaymentService {
    /// `citcon-merchant`, the id of a merchant that is not given another.
    public static let id: ProviderID = "citcon-merchant"

    /// What this merchant is called in registries and journals, and in the references of its payments.
    public let id: ProviderID
    let endpoint: CitconEndpoint
    let privateKey: Redacted<String>
    let timeout: Duration
    let tokens = AccessTokenCache()

    /// Creates a merchant.
    ///
    /// - Parameters:
    ///   - id: another one for each merchant, account or environment in one registry or journal, and the same for ever.
    ///   - endpoint: where the service is.
    ///   - privateKey: the merchant's private key (`sk-…`).
    ///   - timeout: the time allowed for one request.
    public init(
        id: ProviderID = CitconMerchant.id, endpoint: CitconEndpoint, privateKey: Redacted<String>,
        timeout: Duration = .seconds(20)
    ) {
        self.id = id
        self.endpoint = endpoint
        self.privateKey = privateKey
        self.timeout = timeout
    }

    /// Returns the calls that are no part of a payment's life with a payer.
    ///
    /// - Parameters:
    ///   - http: how requests are sent.
    ///   - clock: tells when an access token has expired.
    public func client(over http: any HTTPTransport, clock: any PaymentClock) -> CitconMerchantClient {
        CitconMerchantClient(
            service: MerchantService(
                id: id, baseURL: endpoint.baseURL, privateKey: privateKey, tokens: tokens, http: http, clock: clock,
                timeout: timeout))
    }

    func client(_ context: ProviderContext) -> CitconMerchantClient {
        client(over: context.http, clock: context.clock)
    }

    /// Who it is. It claims no links.
    public var descriptor: ProviderDescriptor {
        ProviderDescriptor(
            id: id, name: "Citcon for merchants", outboundHosts: [endpoint.baseURL.authority])
    }

    /// Asks what has become of a charge. Money that is only set aside is pending until the merchant captures it.
    ///
    /// - Returns: the outcome by the service's own word.
    /// - Throws: ``PaymentError`` when the service cannot be asked or speaks of another charge.
    public func status(of payment: PaymentReference, in context: ProviderContext) async throws -> PaymentOutcome {
        try await client(context).found(payment).merchantOutcome(of: payment)
    }
}

extension CitconMerchant: CancellingService {
    /// Calls a charge off, and says what has become of it. The cancellation's own reference follows from the payment,
    /// so asking twice cancels once.
    ///
    /// - Returns: what has become of the charge.
    /// - Throws: ``PaymentError``; with phase `maybeSent` it may have been called off.
    public func cancel(_ payment: PaymentReference, in context: ProviderContext) async throws -> PaymentOutcome {
        let client = client(context)
        return try await client.performCancellation(payment, try await client.found(payment)) { body in
            _ = try await context.step("cancel", .mutation(replay: .never)) {
                try await asMerchant(self.id, isMutation: true) { () throws(CitconCallError) in
                    _ = try await client.service.cancel(body)
                }
                return true
            }
        }
    }
}

extension CitconMerchant: RefundingService {
    /// Gives money back, once. Citcon replays nothing: a refund whose answer is lost is settled by asking.
    ///
    /// - Returns: what has become of the refund.
    /// - Throws: ``PaymentError``; with phase `maybeSent` the refund may have been made.
    public func refund(_ request: RefundRequest, in context: ProviderContext) async throws -> PaymentOutcome {
        let reference = MerchantReference.refund(request.id)
        guard MerchantReference.isSound(reference) else {
            throw PaymentError(
                .requestRefused,
                "a refund's id must be up to 120 printable ASCII characters, without & / \\ ? # ; % and ..",
                provider: id)
        }
        let client = client(context)
        let id = try await context.step("find the charge", .query) {
            let charge = try await client.found(request.payment)
            guard let id = charge.id, let amount = charge.money,
                CitconMerchantClient.units(of: request.amount, as: amount) != nil
            else {
                throw PaymentError(
                    .requestRefused, "the refund is in another currency than the charge", provider: self.id)
            }
            return id
        }
        let body: JSONValue = [
            "id": .string(id), "reference": .string(reference), "transaction_reference": .string(request.payment.id),
            "amount": try .number(number(request.amount)),
        ]
        // A token that is not there yet must not blur whether the refund itself was sent.
        try await asMerchant(self.id) { () throws(CitconCallError) in try await client.service.prepare() }
        do {
            let refund = try await context.step("refund", .mutation(replay: .never)) {
                do throws(CitconCallError) { return RefundFacts(try await client.service.refund(body)) } catch {
                    return try await copy(of: request, refused: error, reference, client)
                }
            }
            return try refund.outcome(of: request, reference: reference)
        } catch let error as PaymentError where error.phase == .answered {
            switch error.vendorCode {
            case "4202"?:
                return .declined(
                    DeclineReason(.refused, "Citcon refuses the refund: it was not paid, or too little of it is left"))
            case "4208"?:
                return .declined(DeclineReason(.refused, "Citcon does not allow a part of this payment to go back"))
            default: throw error
            }
        }
    }

    /// The refund that another copy of the request made before this one was refused: a copy that the network made, or
    /// a request whose journal is not here.
    ///
    /// - Throws: ``PaymentError`` when there is none: with phase `answered` where the refusal is the whole truth.
    private func copy(
        of request: RefundRequest, refused error: CitconCallError, _ reference: String, _ client: CitconMerchantClient
    ) async throws -> RefundFacts {
        let open = error.merchantError(isMutation: true, of: id)
        guard error.mayFollowItsOwnEffect else { throw open }
        let found: RefundFacts?
        do { found = try await facts(reference, of: request, client) } catch { throw open }
        if let found { return found }
        // A reference that was used and is not to be seen may be on its way.
        guard open.vendorCode != "4100" else { throw open }
        throw error.merchantError(isMutation: false, of: id)
    }

    /// Asks what has become of a refund: by its own reference, which Citcon may not know how to look for, then in the
    /// list of the charge.
    ///
    /// - Returns: what has become of the refund.
    /// - Throws: ``PaymentError`` when the service cannot be asked.
    public func status(of refund: RefundRequest, in context: ProviderContext) async throws -> PaymentOutcome {
        let reference = MerchantReference.refund(refund.id)
        guard let facts = try await facts(reference, of: refund, client(context)) else {
            return .unknown(
                UnknownOutcome(
                    reference: refund.reference,
                    message: "Citcon shows no such refund; it may be on its way, so look again before another"))
        }
        return try facts.outcome(of: refund, reference: reference)
    }

    private func facts(
        _ reference: String, of refund: RefundRequest, _ client: CitconMerchantClient
    ) async throws -> RefundFacts? {
        let direct = try? await asMerchant(id) { () throws(CitconCallError) in
            try await client.service.inquire(reference: reference)
        }
        if let data = direct ?? nil {
            let facts = RefundFacts(TransactionFields(data))
            if facts.object == "refund" { return facts }
        }
        let charge = try await asMerchant(id) { () throws(CitconCallError) in
            try await client.service.inquire(reference: refund.payment.id)
        }
        // Its charge is there; whoever does not show it has not looked.
        guard let charge else {
            throw PaymentError(
                .notFound, "Citcon does not show the charge whose refund is asked about", provider: id,
                phase: .answered, retry: .later)
        }
        return charge["refunds"]?["data"]?.array?.map { RefundFacts(TransactionFields($0)) }
            .first { $0.reference == reference }
    }

    private func number(_ amount: Money) throws -> JSONNumber {
        guard let units = Int64(exactly: amount.minorUnits), units > 0 else {
            throw PaymentError(.requestRefused, "the refund's amount must be above zero", provider: id)
        }
        return JSONNumber(units)
    }
}

/// What is journaled of a refund.
private struct RefundFacts: Sendable, Codable {
    let id: String?
    let object: String?
    let reference: String?
    let status: String?
    let currency: String?
    /// Both are stated; which of them is the refund's own where they differ is not published.
    let amounts: [Int]

    init(_ fields: TransactionFields) {
        id = fields.id
        object = fields.object
        reference = fields.reference
        status = fields.status
        currency = fields.currency
        amounts = [fields.amount, fields.amountRefunded].compactMap(\.self)
    }

    /// - Throws: ``PaymentError`` with code `integrity` when it is another refund.
    func outcome(of request: RefundRequest, reference: String) throws -> PaymentOutcome {
        // A code in other letters is the same currency (Protocol 7).
        guard self.reference == reference,
            currency?.equalsIgnoringASCIICase(request.amount.currency.description) == true,
            amounts.contains(where: { UInt128(exactly: $0) == request.amount.minorUnits })
        else {
            throw PaymentError(
                .integrity, "Citcon answered with another refund than was asked for",
                provider: request.payment.provider,
                phase: .maybeSent)
        }
        return CitconStatus(rawValue: status ?? "").merchantOutcome(
            of: request.reference, amount: request.amount, transactionID: id)
    }
}
