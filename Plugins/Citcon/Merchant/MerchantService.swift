import CitconProvider
import PaymentCore
import ServiceSupport

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

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
