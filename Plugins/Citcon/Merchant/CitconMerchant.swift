public import CitconProvider
public import PaymentCore
import ServiceSupport

/// Citcon on a merchant's server: inquires about charges, cancels them, refunds payments and reads notifications. Its
/// ``client(over:clock:)`` makes and captures charges.
///
/// Payments are named by the merchant's own references. The merchant's private key is part of this value, so it has no
/// place in an app. Payers pay with `CitconProvider`, which never sees the key. Both can be registered together, and
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

    /// The time during which an interrupted capture or refund is sent again. The service refuses its reference after
    /// the first use, whenever that was. This library chooses the time, so that no old request is carried out.
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

// MARK: - Captures

extension CitconMerchant: CapturingService {
    /// Captures an authorised amount, all of it or less, once: by a reference that is derived from the charge.
    ///
    /// The vendor does not document the service's answer, so the client inquires about the charge afterwards.
    ///
    /// - Returns: the report of the capture, with the captured amount; pending when the service does not report it yet,
    ///   and unknown when a capture that may be another server's does not state its amount.
    /// - Throws: ``PaymentError``; with phase `maybeSent` it may have been captured. `integrity` when another amount
    ///   was captured, now or before.
    public func capture(_ request: CaptureRequest, in context: ProviderContext) async throws -> ServiceReport {
        let client = client(context)
        let charge = try await client.found(request.payment)
        guard charge.state == .authorized else {
            guard let state = charge.state, state != .initiated, state != .pending else {
                throw PaymentError(
                    .requestRefused, "Citcon captures only what is authorised, and this charge is not yet",
                    provider: id, phase: .answered)
            }
            return charge.report(of: request, isOwn: false, isEarlier: true)
        }
        guard let whole = charge.money, let units = CitconMerchantClient.units(of: request.amount, as: whole),
            units > 0, let chargeID = charge.id
        else {
            throw PaymentError(
                .requestRefused, "the amount is zero, or in another currency than the charge", provider: id)
        }
        // A failure to get a token must not obscure if the capture itself was sent.
        try await asMerchant(id) { () throws(CitconCallError) in try await client.service.prepare() }
        let body: JSONValue = [
            "id": .string(chargeID), "reference": .string(MerchantReference.capture(request.payment)),
            "transaction_reference": .string(request.payment.id), "amount": .number(JSONNumber(units)),
        ]
        // Citcon refuses a reference that was used before, so a repetition captures nothing more.
        let isOwn = try await context.step("capture", .mutation(replay: .sameKey)) {
            do throws(CitconCallError) { _ = try await client.service.capture(body) } catch {
                try await confirm(refusal: error, of: request, client)
                return false
            }
            return true
        }
        return try await client.found(request.payment).report(of: request, isOwn: isOwn)
    }

    /// Throws unless the charge was captured anyway: by a copy of the request that the network made, or by another
    /// request.
    private func confirm(
        refusal error: CitconCallError, of request: CaptureRequest, _ client: CitconMerchantClient
    ) async throws(PaymentError) {
        let after = try? await client.found(request.payment)
        if let after, after.state != .authorized { return }
        let open = error.merchantError(isMutation: true, of: id)
        // "The reference was used before": by an earlier copy of this request, which may be in flight.
        let isOpen = after == nil || error.leavesFateOpen || open.vendorCode == "4100"
        throw isOpen ? open : error.merchantError(isMutation: false, of: id)
    }

    /// Asks for the status of a capture.
    ///
    /// - Returns: the report of the charge, with the captured amount.
    /// - Throws: ``PaymentError`` when the inquiry fails.
    public func status(of capture: CaptureRequest, in context: ProviderContext) async throws -> ServiceReport {
        try await client(context).found(capture.payment).report(of: capture, isOwn: false)
    }
}

extension TransactionFields {
    /// Returns the report of a capture of this charge.
    ///
    /// - Parameters:
    ///   - isOwn: true if the service accepted the request. Otherwise another server may have captured another amount,
    ///     so an amount that is not stated, or stated in two ways, is not known.
    ///   - isEarlier: true if the service says that an earlier request made it.
    fileprivate func report(of capture: CaptureRequest, isOwn: Bool, isEarlier: Bool = false) -> ServiceReport {
        guard state == .succeeded else { return merchantReport(of: capture.reference) }
        let own = captures.filter { $0.reference == MerchantReference.capture(capture.payment) }
        let stated = Set([amountCaptured.flatMap { $0 > 0 ? $0 : nil }].compactMap(\.self) + own.compactMap(\.amount))
        let taken = stated.isEmpty && isOwn ? capture.amount : stated.count == 1 ? money(stated.first) : nil
        guard let taken else {
            return .unknown(
                UnknownOutcome(
                    reference: capture.reference,
                    message: "Citcon shows a capture of the charge, but not clearly over which amount; look at the "
                        + "notifications or the portal"))
        }
        return .succeeded(
            PaymentReceipt(reference: capture.reference, amount: taken, transactionID: id, isEarlier: isEarlier))
    }
}

// MARK: - Refunds

extension CitconMerchant: RefundingService {
    /// Refunds a payment, once: by a reference that is derived from the charge and the refund's id. Citcon refuses a
    /// reference that was used before, so an interrupted refund is requested again, and an inquiry finds the first one.
    ///
    /// - Returns: the report of the refund.
    /// - Throws: ``PaymentError``; with phase `maybeSent` the refund may have been made.
    public func refund(_ request: RefundRequest, in context: ProviderContext) async throws -> ServiceReport {
        let reference = MerchantReference.refund(request)
        let client = client(context)
        let id = try await context.step("find the charge", .query) {
            let charge = try await client.found(request.payment)
            guard let id = charge.id, let amount = charge.money, amount.currency == request.amount.currency,
                amount.exponent == request.amount.exponent
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
            let refund = try await context.step("refund", .mutation(replay: .sameKey)) {
                do throws(CitconCallError) {
                    return RefundFacts(try await client.service.refund(body), isFound: false)
                } catch {
                    return try await copy(of: request, refused: error, reference, client)
                }
            }
            return try refund.report(of: request, reference: reference, isEarlier: refund.isEarlier == true)
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
        // Without an answer it may be this very request's.
        if let found { return found.madeEarlier(!error.leavesFateOpen) }
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
            let facts = RefundFacts(TransactionFields(data), isFound: true)
            if facts.object == "refund" { return facts }
        }
        let charge = try await asMerchant(id) { () throws(CitconCallError) in
            try await client.service.inquire(reference: refund.payment.id)
        }
        // Its charge exists. A service that does not show it did not search.
        guard let charge else {
            throw PaymentError(
                .notFound, "Citcon does not show the charge whose refund is asked about", provider: id,
                phase: .answered, retry: .later)
        }
        return charge["refunds"]?["data"]?.array?.map { RefundFacts(TransactionFields($0), isFound: true) }
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
struct RefundFacts: Sendable, Codable {
    let id: String?
    let object: String?
    let reference: String?
    let status: String?
    let currency: String?
    let amount: Int?
    let amountRefunded: Int?
    /// True if an inquiry found it. Another server may then have requested it, over another amount.
    let isFound: Bool
    /// True if the service refused the request because an earlier one had made it.
    private(set) var isEarlier: Bool?

    init(_ fields: TransactionFields, isFound: Bool) {
        id = fields.id
        object = fields.object
        reference = fields.reference
        status = fields.status
        currency = fields.currency
        amount = fields.amount
        amountRefunded = fields.amountRefunded
        self.isFound = isFound
    }

    /// Returns the same refund as one that an earlier request has made, or may not.
    func madeEarlier(_ isEarlier: Bool) -> RefundFacts {
        var facts = self
        facts.isEarlier = isEarlier
        return facts
    }

    /// Returns the report of the refund. If the stated amounts differ, the vendor does not document which one is the
    /// refund's own: such a refund is unknown.
    ///
    /// - Parameter isEarlier: true if the service says that an earlier request made it.
    /// - Throws: ``PaymentError`` with code `integrity` when it is another refund.
    func report(of request: RefundRequest, reference: String, isEarlier: Bool = false) throws -> ServiceReport {
        let stated = [amount, amountRefunded].compactMap(\.self)
            .map { UInt128(exactly: $0) == request.amount.minorUnits }
        // A code in another letter case is the same currency (Protocol 7).
        guard self.reference == reference,
            currency?.equalsIgnoringASCIICase(request.amount.currency.description) == true, stated.contains(true)
        else {
            throw PaymentError(
                .integrity, "Citcon answered with another refund than was asked for",
                provider: request.payment.provider,
                phase: .maybeSent)
        }
        let state = CitconStatus(rawValue: status ?? "")
        guard state != .succeeded || !stated.contains(false) && (amountRefunded != nil || !isFound) else {
            return .unknown(
                UnknownOutcome(
                    reference: request.reference,
                    message: "Citcon shows a refund of this reference, but not clearly over which amount; look at the "
                        + "notifications or the portal"))
        }
        return state.merchantReport(
            of: request.reference, amount: request.amount, transactionID: id, isEarlier: isEarlier)
    }
}

// MARK: - Reports

extension CitconStatus {
    /// Returns the report of this state of a charge or a refund for the merchant. An authorised amount is not paid
    /// yet: the merchant has to capture it.
    func merchantReport(
        of payment: PaymentReference, amount: Money?, transactionID: String?, rawStatus: String? = nil,
        isEarlier: Bool = false
    ) -> ServiceReport {
        switch self {
        case .succeeded:
            .succeeded(
                PaymentReceipt(
                    reference: payment, amount: amount, transactionID: transactionID, isEarlier: isEarlier))
        case .initiated, .pending, .authorized: .pending(retryAfter: nil)
        case .failed: .declined(DeclineReason(.refused, "Citcon reports that it failed"))
        case .canceled: .cancelled
        case .expired: .expired
        case .unknown(let word):
            .unknown(
                UnknownOutcome(
                    reference: payment, rawStatus: Self.printable(rawStatus ?? word),
                    message: "Citcon reports a state that this version does not know"))
        }
    }

    /// True if the charge can no longer be cancelled.
    var isOver: Bool { self == .succeeded || isUnpaid }

    /// True if the state is final and unpaid.
    var isUnpaid: Bool { self == .failed || self == .canceled || self == .expired }

    /// Returns foreign text, cut and made printable.
    static func printable(_ text: String) -> String {
        String(
            decoding: text.utf8.prefix(40).map { (0x20..<0x7F).contains($0) ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
    }
}

extension TransactionFields {
    /// Returns the report for the merchant: the receipt states the captured amount, which may be a part.
    func merchantReport(of payment: PaymentReference) -> ServiceReport {
        (state ?? .unknown("")).merchantReport(of: payment, amount: moneyTaken, transactionID: id)
    }
}
