import CitconProvider
public import PaymentCore
import ServiceSupport

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The calls of a merchant's server other than those about payments: it makes charges and changes them.
///
/// ```swift
/// let shop = merchant.client(over: StandardTransport(), clock: SystemPaymentClock())
/// let charge = try await shop.createCharge(order)
/// ```
public struct CitconMerchantClient: Sendable {
    let service: MerchantService

    /// Returns an access token for an app: it allows only confirming and inquiring about charges. Pass it to
    /// `setAccessToken`; the private key never leaves the server.
    ///
    /// While a token is valid, the service returns the same one again.
    ///
    /// - Returns: the token and its expiry.
    /// - Throws: ``PaymentError`` when the service issues none.
    public func appToken() async throws(PaymentError) -> CitconAppToken {
        try await asMerchant(service.id) { () throws(CitconCallError) in try await service.newToken("client") }
    }

    /// Creates a charge, once. After a lost answer the client inquires about the reference. It sends nothing twice.
    ///
    /// - Returns: the charge; without its token when only an inquiry found it.
    /// - Throws: ``PaymentError``. With phase `maybeSent`, the charge may still appear: look with ``charge(for:)``
    ///   before ordering under another reference.
    public func createCharge(_ order: CitconOrder) async throws(PaymentError) -> CitconCharge {
        let body = try order.body(at: service.id)
        // A failure to get a token must not obscure if the order itself was sent.
        try await asMerchant(service.id) { () throws(CitconCallError) in try await service.prepare() }
        let fields: TransactionFields
        do { fields = try await service.create(body) } catch {
            guard error.leavesFateOpen, let charge = try? await charge(for: order) else {
                // A charge moves no money by itself. ``charge(for:)`` shows if a refused reference is in use.
                throw error.merchantError(isMutation: error.leavesFateOpen, of: service.id)
            }
            return charge
        }
        return try CitconCharge(fields, for: order, at: service.id)
    }

    /// Looks up the charge that `order` made; nil when the service knows none.
    ///
    /// - Returns: the charge; nil when the service knows none.
    /// - Throws: ``PaymentError``; `integrity` when its reference belongs to something else.
    public func charge(for order: CitconOrder) async throws(PaymentError) -> CitconCharge? {
        let data = try await asMerchant(service.id) { () throws(CitconCallError) in
            try await service.inquire(reference: order.reference)
        }
        guard let data else { return nil }
        return try CitconCharge(TransactionFields(data), for: order, at: service.id)
    }

    func found(_ payment: PaymentReference) async throws(PaymentError) -> TransactionFields {
        let data = try await asMerchant(service.id) { () throws(CitconCallError) in
            try await service.inquire(reference: payment.id)
        }
        guard let data else {
            throw PaymentError(
                .notFound, "Citcon does not know the payment", provider: service.id, phase: .answered)
        }
        let fields = TransactionFields(data)
        guard fields.reference == payment.id, fields.object != "refund" else {
            throw PaymentError(
                .integrity, "Citcon answered with another payment", provider: service.id, phase: .answered)
        }
        return fields
    }

    /// Returns the minor units of `amount` if its currency and its number of digits are those of `other`.
    static func units(of amount: Money, as other: Money) -> Int64? {
        guard amount.currency == other.currency, amount.exponent == other.exponent else { return nil }
        return Int64(exactly: amount.minorUnits)
    }
}

/// An access token that a merchant's server passes to an app.
public struct CitconAppToken: Sendable, Hashable {
    /// The token, which is opaque.
    public let token: Redacted<String>
    /// The time of its expiry, a day after its creation unless the service says otherwise; nil when the service states
    /// none.
    public let expiry: Date?
}

// MARK: - Calls

/// The calls of a merchant's server, each with an access token for the private key.
struct MerchantService: Sendable {
    /// The merchant's id in errors and references.
    let id: ProviderID
    let baseURL: HTTPURL
    let privateKey: Redacted<String>
    let tokens: AccessTokenCache
    let http: any HTTPTransport
    let clock: any PaymentClock
    let timeout: Duration

    /// Ensures that there is an access token, so that a later call needs only its own request.
    func prepare() async throws(CitconCallError) { _ = try await token() }

    /// Makes a charge. Never repeated automatically: see ``CitconMerchantClient/createCharge(_:)``.
    func create(_ body: JSONValue) async throws(CitconCallError) -> TransactionFields {
        try await post("charges", body)
    }

    func capture(_ body: JSONValue) async throws(CitconCallError) -> TransactionFields {
        try await post("captures", body)
    }

    func cancel(_ body: JSONValue) async throws(CitconCallError) -> TransactionFields {
        try await post("cancels", body)
    }

    func refund(_ body: JSONValue) async throws(CitconCallError) -> TransactionFields {
        try await post("refunds", body)
    }

    /// Inquires about the object with the merchant's `reference`. Nil when the service knows none.
    func inquire(reference: String) async throws(CitconCallError) -> JSONValue? {
        try CitconService.check(reference, "the 'reference'")
        return try await get(["transactions", reference], query: [("type", "reference")])
    }

    /// Gets an object by its path. Nil when the service knows none.
    func get(
        _ path: [String], query: [(name: String, value: String)] = []
    ) async throws(CitconCallError) -> JSONValue? {
        do {
            return try await authorized { (service) async throws(CitconCallError) in
                try await service.send(.get, path, query: query, body: nil, replay: .safe)
            }.data
        } catch {
            guard error.isNotFound else { throw error }
            return nil
        }
    }

    /// Stores a payer's account. Never repeated automatically.
    func store(_ account: JSONValue) async throws(CitconCallError) -> JSONValue {
        try await authorized { (service) async throws(CitconCallError) in
            try await service.send(.post, ["vault"], body: account, replay: .never)
        }.data
    }

    /// Deletes a payer's account. Never repeated automatically.
    func forget(_ id: String) async throws(CitconCallError) {
        _ = try await authorized { (service) async throws(CitconCallError) in
            try await service.send(.delete, ["vault", id], body: nil, replay: .never)
        }
    }

    private func post(_ path: String, _ body: JSONValue) async throws(CitconCallError) -> TransactionFields {
        let envelope = try await authorized { (service) async throws(CitconCallError) in
            try await service.send(.post, [path], body: body, replay: .never)
        }
        return TransactionFields(envelope.data)
    }

    /// Makes a call, and repeats it once with a new token when the service refuses the current one, because such a
    /// refusal carries nothing out.
    private func authorized(
        _ call: (CitconService) async throws(CitconCallError) -> Envelope
    ) async throws(CitconCallError) -> Envelope {
        let token = try await token()
        do { return try await call(service(token)) } catch {
            guard case .refused(let refusal) = error, refusal.status == 401 else { throw error }
            await tokens.drop(token)
        }
        return try await call(service(try await self.token()))
    }

    /// The access token. Requesting one changes nothing: while a token is valid, the service answers with the same one.
    private func token() async throws(CitconCallError) -> Redacted<String> {
        if let token = await tokens.token(at: clock.now) { return token }
        let fresh = try await newToken("server")
        if let expiry = fresh.expiry { await tokens.keep(fresh.token, until: expiry) }
        return fresh.token
    }

    /// Gets an access token of a kind, `server` or `client`.
    func newToken(_ kind: String) async throws(CitconCallError) -> CitconAppToken {
        let token = try await service(privateKey).accessToken(kind)
        return CitconAppToken(token: token.token, expiry: token.expiry.map { Date(timeIntervalSince1970: $0) })
    }

    private func service(_ token: Redacted<String>) -> CitconService {
        CitconService(baseURL: baseURL, token: token, http: http, timeout: timeout)
    }
}

extension CitconCallError {
    /// Returns the error for a merchant's server.
    func merchantError(isMutation: Bool, of merchant: ProviderID) -> PaymentError {
        let error = ErrorTable.citcon.paymentError(from: self, isMutation: isMutation, at: merchant)
        guard error.code == .unauthorized else { return error }
        return error.with(
            message: "Citcon accepts neither the merchant's private key nor a token that it gave for it",
            phase: .answered)
    }
}

/// Runs `work` and maps its failure to a merchant's error.
func asMerchant<Value>(
    _ merchant: ProviderID, isMutation: Bool = false, _ work: () async throws(CitconCallError) -> Value
) async throws(PaymentError) -> Value {
    do { return try await work() } catch { throw error.merchantError(isMutation: isMutation, of: merchant) }
}
