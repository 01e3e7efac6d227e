import PaymentCore
import PaymentCrypto
import ServiceSupport

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The calls of a merchant's server, each with an access token obtained with the client's secret (Protocol 1 and 2).
struct MerchantCalls: Sendable {
    /// The merchant's id in errors and references.
    let merchant: ProviderID
    let baseURL: HTTPURL
    let credentials: PayrailsCredentials
    let workflow: String
    let tokens: AccessTokenCache
    let http: any HTTPTransport
    let clock: any PaymentClock
    /// The source of keys for requests that may be repeated on purpose.
    let random: any RandomSource
    let timeout: Duration

    /// Obtains an access token, so that a later call needs no other request.
    func prepare() async throws(CallError) { _ = try await token() }

    /// Returns the present execution `id`.
    func execution(_ id: String) async throws(CallError) -> ExecutionRecord {
        let answer = try await send(.get, executionPath(id))
        let execution = try ExecutionRecord(answer)
        guard execution.id == id else { throw .foreignAnswer("it is about another execution") }
        return execution
    }

    /// Requests an action on the execution `id`: carried out once under one key.
    func act(
        _ action: PayrailsAction, on id: String, _ body: JSONValue, key: String
    ) async throws(CallError) -> ActionReceipt {
        let answer = try await send(.post, executionPath(id) + [action.rawValue], body: body, key: key)
        let receipt = try ActionReceipt(answer)
        guard receipt.name == action.rawValue, receipt.isAbout(id) else {
            throw .foreignAnswer("it is about another action or another execution")
        }
        return receipt
    }

    /// Sends a request and returns its JSON answer.
    ///
    /// A refused token is replaced once. The refused request had no effect.
    ///
    /// - Parameter key: the key that lets the service recognise a repetition. A request with a key may be sent again.
    func send(
        _ method: HTTPRequest.Method, _ path: [String], query: [(name: String, value: String)] = [],
        body: JSONValue? = nil, key: String? = nil
    ) async throws(CallError) -> JSONValue {
        let url: HTTPURL
        do { url = try baseURL.appending(path, query: query) } catch {
            throw .unsendable("an id or a reference has characters that cannot be part of a request")
        }
        let token = try await token()
        func request(_ token: Redacted<String>) -> HTTPRequest {
            var headers: HTTPHeaders = ["Accept": "application/json", "Authorization": "Bearer " + token.reveal()]
            if body != nil { headers["Content-Type"] = "application/json" }
            headers["x-idempotency-key"] = key
            return HTTPRequest(
                method, url, headers: headers, body: body?.serialized() ?? [], replay: key == nil ? nil : .safe,
                timeout: timeout)
        }
        do { return try await exchange(request(token)) } catch {
            guard case .refused(let refusal) = error, refusal.status == 401 else { throw error }
            await tokens.drop(token)
        }
        return try await exchange(request(try await self.token()))
    }

    // MARK: Access

    private func token() async throws(CallError) -> Redacted<String> {
        if let token = await tokens.token(at: clock.now) { return token }
        // Counted from before the request: the answer may have been in flight for long.
        let asked = clock.now
        let url: HTTPURL
        do { url = try baseURL.appending(["auth", "token", credentials.clientID]) } catch {
            throw .unsendable("the client id has characters that cannot be part of a request")
        }
        var request = HTTPRequest(
            .post, url, headers: ["Accept": "application/json", "x-api-key": credentials.secret.reveal()],
            replay: .safe, timeout: timeout)
        request.changesNothing = true
        let answer = try await exchange(request)
        guard let text = answer["access_token"]?.string, Self.isHeaderText(text) else {
            throw .unusableAnswer("it holds no access token")
        }
        let token = Redacted(text)
        if let life = answer["expires_in"]?.number?.double {
            await tokens.keep(token, until: asked.addingTimeInterval(min(life, Self.longestLife)))
        }
        return token
    }

    /// The maximum lifetime of a token, whatever the service states, in seconds.
    private static let longestLife: Double = 24 * 3600

    /// Returns true if `text` is valid in a header field.
    private static func isHeaderText(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    // MARK: Exchanges

    private func executionPath(_ id: String) -> [String] {
        ["merchant", "workflows", workflow, "executions", id]
    }

    private func exchange(_ request: HTTPRequest) async throws(CallError) -> JSONValue {
        let response: HTTPResponse
        do { response = try await http.send(request) } catch { throw .transport(error) }
        guard [200, 201, 202, 204].contains(response.status) else { throw .refused(ErrorAnswer(response)) }
        guard response.status != 204 else { return [:] }
        guard let answer = try? JSONValue(parsing: response.body), answer.object != nil else {
            throw .unusableAnswer("it is not one JSON object")
        }
        return answer
    }
}

/// Keys that let the service recognise a repetition: UUIDs that follow from the request. A repeated request, after a
/// crash or from another server, has the same key.
enum IdempotencyKey {
    /// Returns the key for `parts`, in the form of a random UUID. The parts are delimited: text cannot be moved from
    /// one into the next.
    static func make(_ parts: [String]) -> String {
        var message: [UInt8] = []
        for part in parts { message += Array("\(part.utf8.count):".utf8) + Array(part.utf8) }
        var bytes = Array(Digest.sha256.hash(message).prefix(16))
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        var text = Hex.encode(bytes)
        for place in [20, 16, 12, 8] { text.insert("-", at: text.index(text.startIndex, offsetBy: place)) }
        return text
    }
}
