public import CitconProvider
public import PaymentCore
import ServiceSupport

/// Citcon on a merchant's server: inquires about charges, cancels them, refunds payments and reads notifications. Its
/// ``client(over:clock:)`` makes and captures charges.
///
/// Payments are named by the merchant's own references. The merchant's private key is part of this value, so it has no
/// place in an app; payers pay with `CitconProvider`, which never sees the key. Both can be registered together, and
/// share a journal.
public struct CitconMerchant: PaymentService {
    /// `citcon-merchant`, the default id of a merchant.
    public static let id: ProviderID = "citcon-merchant"

    /// The merchant's id in registries and journals, and in the references of its payments.
    public let id: ProviderID
    let endpoint: CitconEndpoint
    let privateKey: Redacted<String>
    let timeout: Duration
    let tokens = AccessTokenCache()

    /// Creates a merchant.
    ///
    /// - Parameters:
    ///   - id: unique for each merchant, account or environment in one registry or journal, and permanent.
    ///   - endpoint: the address of the service.
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

    /// Returns the client for calls other than those about an existing payment.
    ///
    /// - Parameters:
    ///   - http: sends the requests.
    ///   - clock: decides when an access token has expired.
    public func client(over http: any HTTPTransport, clock: any PaymentClock) -> CitconMerchantClient {
        CitconMerchantClient(
            service: MerchantService(
                id: id, baseURL: endpoint.baseURL, privateKey: privateKey, tokens: tokens, http: http, clock: clock,
                timeout: timeout))
    }

    func client(_ context: ProviderContext) -> CitconMerchantClient {
        client(over: context.http, clock: context.clock)
    }

    /// The merchant's identity. It claims no links.
    public var descriptor: ProviderDescriptor {
        ProviderDescriptor(
            id: id, name: "Citcon for merchants", outboundHosts: [endpoint.baseURL.authority],
            replayWindow: Self.replayWindow)
    }

    /// The time during which an interrupted capture is sent again. The service refuses its reference once it was used,
    /// whenever that was: this time is chosen by this library, so that no old wish is carried out.
    private static let replayWindow = Duration.seconds(24 * 3600)

    /// Asks for the status of a charge. An authorised amount is pending until the merchant captures it.
    ///
    /// - Returns: the report, as reported by the service.
    /// - Throws: ``PaymentError`` when the inquiry fails or the service answers about another charge.
    public func status(of payment: PaymentReference, in context: ProviderContext) async throws -> ServiceReport {
        try await client(context).found(payment).merchantReport(of: payment)
    }
}

extension CitconMerchant: CancellingService {
    /// Cancels a charge, and asks for the report. The cancellation's own reference is derived from the payment, so a
    /// repetition cancels only once.
    ///
    /// - Returns: the report of the charge.
    /// - Throws: ``PaymentError``; with phase `maybeSent` the charge may have been cancelled.
    public func cancel(_ payment: PaymentReference, in context: ProviderContext) async throws -> ServiceReport {
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
    /// Refunds a payment, once. Citcon replays nothing: an inquiry settles a refund whose answer is lost.
    ///
    /// - Returns: the report of the refund.
    /// - Throws: ``PaymentError``; with phase `maybeSent` the refund may have been made.
    public func refund(_ request: RefundRequest, in context: ProviderContext) async throws -> ServiceReport {
        let reference = MerchantReference.refund(request)
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
        // A failure to get a token must not obscure if the refund itself was sent.
        try await asMerchant(self.id) { () throws(CitconCallError) in try await client.service.prepare() }
        do {
            let refund = try await context.step("refund", .mutation(replay: .never)) {
                do throws(CitconCallError) { return RefundFacts(try await client.service.refund(body)) } catch {
                    return try await copy(of: request, refused: error, reference, client)
                }
            }
            return try refund.report(of: request, reference: reference)
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

    /// Finds the refund that another copy of the request made before this one was refused: a copy that the network
    /// made, or a request whose journal is elsewhere.
    ///
    /// - Throws: ``PaymentError`` when there is none: with phase `answered` if the refusal is conclusive.
    private func copy(
        of request: RefundRequest, refused error: CitconCallError, _ reference: String, _ client: CitconMerchantClient
    ) async throws -> RefundFacts {
        let open = error.merchantError(isMutation: true, of: id)
        guard error.mayFollowItsOwnEffect else { throw open }
        let found: RefundFacts?
        do { found = try await StepScope.asking { try await facts(reference, of: request, client) } } catch {
            throw open
        }
        if let found { return found }
        // A used reference that cannot be found may belong to a request in flight.
        guard open.vendorCode != "4100" else { throw open }
        throw error.merchantError(isMutation: false, of: id)
    }

    /// Asks for the status of a refund: first by its own reference, a search that Citcon may not support, then in the
    /// list of the charge.
    ///
    /// - Returns: the report of the refund.
    /// - Throws: ``PaymentError`` when the inquiry fails.
    public func status(of refund: RefundRequest, in context: ProviderContext) async throws -> ServiceReport {
        let reference = MerchantReference.refund(refund)
        guard let facts = try await facts(reference, of: refund, client(context)) else {
            return .unknown(
                UnknownOutcome(
                    reference: refund.reference,
                    message: "Citcon shows no such refund; it may be on its way, so look again before another"))
        }
        return try facts.report(of: refund, reference: reference)
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
        // Its charge exists; a service that does not show it did not search.
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

/// The journaled data of a refund.
private struct RefundFacts: Sendable, Codable {
    let id: String?
    let object: String?
    let reference: String?
    let status: String?
    let currency: String?
    /// Both stated amounts; if they differ, the vendor does not document which is the refund's own.
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
    func report(of request: RefundRequest, reference: String) throws -> ServiceReport {
        // A code in another letter case is the same currency (Protocol 7).
        guard self.reference == reference,
            currency?.equalsIgnoringASCIICase(request.amount.currency.description) == true,
            amounts.contains(where: { UInt128(exactly: $0) == request.amount.minorUnits })
        else {
            throw PaymentError(
                .integrity, "Citcon answered with another refund than was asked for",
                provider: request.payment.provider,
                phase: .maybeSent)
        }
        return CitconStatus(rawValue: status ?? "").merchantReport(
            of: request.reference, amount: request.amount, transactionID: id)
    }
}
