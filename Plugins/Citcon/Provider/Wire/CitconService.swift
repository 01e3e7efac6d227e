package import PaymentCore

/// The calls of the vendor's mobile SDK. Stateless.
package struct CitconService: Sendable {
    /// The release of the vendor's guide that this follows, sent as the client's version.
    package static let version = "2.0.6"

    package let baseURL: HTTPURL
    package let token: Redacted<String>
    package let http: any HTTPTransport
    package let timeout: Duration
    /// The secrets that are removed from answers in addition to the access token.
    package var secrets = SentSecrets()

    /// Creates a service.
    package init(baseURL: HTTPURL, token: Redacted<String>, http: any HTTPTransport, timeout: Duration) {
        self.baseURL = baseURL
        self.token = token
        self.http = http
        self.timeout = timeout
    }

    /// Returns this service for an order, whose secrets are removed from answers.
    package func hiding(_ more: Redacted<String>?...) -> CitconService {
        var service = self
        service.secrets.add(more)
        return service
    }

    /// Asks for the gateway of a method. It changes nothing, so it may be repeated.
    package func config(method: String, consumer: Redacted<String>?) async throws(CitconCallError) -> GatewayConfig {
        let body: JSONValue = [
            "payment": ["method": .string(method)],
            "ext": ["client": ["app": "iOS", "version": .string(Self.version)]],
        ]
        var full = body
        if let consumer { full["data"] = ["consumer_id": .string(consumer.reveal())] }
        return GatewayConfig(try await send(.post, ["config"], body: full, replay: .safe).data)
    }

    /// Makes a charge. Its reference works once, so this is never repeated automatically.
    package func create(_ body: Redacted<JSONValue>) async throws(CitconCallError) -> Answer {
        var service = self
        let order = body.reveal()
        service.secrets = secrets.and(of: order)
        return Answer(try await service.send(.post, ["charges"], body: order, replay: .never))
    }

    /// Gets an access token of a kind, `server` or `client`, for the private key that is ``token`` here. It changes
    /// nothing: while a token is valid, the service answers with the same one.
    package func accessToken(_ kind: String) async throws(CitconCallError) -> AccessToken {
        let data = try await send(
            .post, ["access-tokens"], body: ["token_type": .string(kind)], replay: .safe, changesNothing: true
        )
        .data
        guard let text = data["access_token"]?.string, !text.isEmpty else {
            throw .unusableAnswer("the service's answer holds no access token")
        }
        // Older versions of the service send milliseconds: as seconds, they would lie 300 years ahead.
        let expiry = (data["expiry"]?.number?.double).map { $0 > 1e10 ? $0 / 1000 : $0 }
        return AccessToken(token: Redacted(text), expiry: expiry)
    }

    /// An access token and its expiry, in Unix seconds; nil when the service does not state it.
    package struct AccessToken: Sendable {
        package let token: Redacted<String>
        package let expiry: Double?
    }

    /// Confirms a charge. Its token works once, so this is never repeated automatically.
    package func confirm(_ chargeToken: Redacted<String>, _ body: Redacted<JSONValue>) async throws(CitconCallError)
        -> Answer
    {
        let token = chargeToken.reveal()
        try Self.check(token, "the charge token")
        var service = self
        service.secrets = secrets.and(of: body.reveal())
        service.secrets.add([chargeToken])
        return Answer(try await service.send(.post, ["charges", token], body: body.reveal(), replay: .never))
    }

    /// Inquires about the transaction with the service's `id`.
    package func inquire(id: String) async throws(CitconCallError) -> Answer {
        try Self.check(id, "the transaction's 'id'")
        return try await inquire(id, query: [])
    }

    /// Inquires about the charge with the `id` that the service's answer to the confirmation stated.
    package func inquire(charge id: String) async throws(CitconCallError) -> Answer {
        let answer = try await inquire(id: id)
        guard answer.transaction.id == id else {
            throw .unusableAnswer("the service's answer is about another transaction")
        }
        return answer
    }

    /// Inquires about the charge with the merchant's `reference`.
    package func inquire(reference: String) async throws(CitconCallError) -> Answer {
        try Self.check(reference, "the order's 'reference'")
        return try await inquire(reference, query: [("type", "reference")])
    }

    private func inquire(
        _ id: String, query: [(name: String, value: String)]
    ) async throws(CitconCallError) -> Answer {
        return Answer(try await send(.get, ["transactions", id], query: query, body: nil, replay: .safe))
    }

    /// Refuses text that would change the path, before a request is built.
    package static func check(_ text: String, _ name: String) throws(CitconCallError) {
        guard PathSegment.isSafe(text) else {
            throw .invalidRequest(
                text.isEmpty ? "\(name) is empty" : "\(name) has characters that cannot be part of a request's path")
        }
    }

    /// An answer that describes a transaction.
    package struct Answer: Sendable {
        package let status: String
        package let app: String?
        package let version: String?
        package let transaction: TransactionFields

        init(_ envelope: Envelope) {
            status = envelope.status
            app = envelope.app
            version = envelope.version
            var transaction = TransactionFields(envelope.data)
            if transaction.state?.isPaid == true {
                // The guide: of what is paid, neither has a value. Tables of codes have one for success.
                transaction.code = nil
                transaction.message = nil
            }
            self.transaction = transaction
        }
    }

    package func send(
        _ method: HTTPRequest.Method, _ path: [String], query: [(name: String, value: String)] = [], body: JSONValue?,
        replay: HTTPRequest.Replay, changesNothing: Bool = false
    ) async throws(CitconCallError) -> Envelope {
        let url: HTTPURL
        do { url = try baseURL.appending(path, query: query) } catch {
            throw .invalidRequest("what was given cannot be part of an address: \(error)")
        }
        let headers: HTTPHeaders = [
            "Authorization": "Bearer \(token.reveal())", "Content-Type": "application/json",
            "Accept": "application/json",
        ]
        var request = HTTPRequest(
            method, url, headers: headers, body: body?.serialized() ?? [], replay: replay, timeout: timeout)
        if changesNothing { request.changesNothing = true }
        let response: HTTPResponse
        do { response = try await http.send(request) } catch { throw .transport(error) }
        var secrets = secrets
        secrets.add([self.token])
        guard (200..<300).contains(response.status) else {
            throw .refused(CitconErrorResponse(response, try? Envelope(response.body, without: secrets)))
        }
        let envelope = try Envelope(response.body, without: secrets)
        guard envelope.isSuccess else {
            // A status that is neither success nor fail must not pass for either.
            guard CitconStatus(rawValue: envelope.status) == .failed else {
                throw .unusableAnswer("its 'status' is neither success nor fail")
            }
            throw .refused(CitconErrorResponse(response, envelope))
        }
        return envelope
    }
}

/// The service's `config` for a payment method: its gateway, and the keys of that gateway's own SDK.
package struct GatewayConfig: Sendable {
    /// The gateway's id. The vendor's SDK assumes Alipay if none is named.
    package let gateway: String
    /// The gateway's keys, by the service's names, such as `client_token`.
    package let keys: Redacted<[String: String]>

    package init(_ data: JSONValue) {
        gateway = data["gateway"]?.string ?? "alipay"
        keys = Redacted((data["config"]?.object ?? [:]).compactMapValues(\.string))
    }
}

// MARK: - Envelopes

/// The envelope of every answer of the service. `status` is that of the request, never of a payment.
package struct Envelope: Sendable {
    /// `success` or `fail`, unchanged.
    package let status: String
    package let app: String?
    package let version: String?
    /// The result, or code and message of a failure.
    package let data: JSONValue

    /// Reads a body, and removes `secrets` from it.
    ///
    /// - Throws: ``CitconCallError/unusableAnswer(_:)`` with the reason, without quoting the body.
    package init(_ body: [UInt8], without secrets: SentSecrets = SentSecrets()) throws(CitconCallError) {
        let json: JSONValue
        do { json = secrets.taken(from: try JSONValue(parsing: body)) } catch {
            throw .unusableAnswer("the service's answer is not JSON")
        }
        guard let status = json["status"]?.string, let data = json["data"], data.object != nil else {
            throw .unusableAnswer("the service's answer lacks 'status' or 'data'")
        }
        self.status = status
        self.data = data
        app = json["app"]?.string
        version = json["version"]?.string
    }

    /// True if the request worked.
    package var isSuccess: Bool { CitconStatus(rawValue: status) == .succeeded }
}

// MARK: - Secrets

/// Sent values that must not return: a service may repeat a request in the text of an error, or anywhere else.
package struct SentSecrets: Sendable {
    private var values: [Redacted<String>] = []

    /// The minimum length: shorter values are no secrets, and would occur everywhere.
    private static let shortest = 8
    /// The members that are made to hold such values. They are passed on, never printed.
    private static let holders: Set<String> = ["charge_token", "token", "content", "config", "pan"]

    package init(_ values: [Redacted<String>?] = []) { add(values) }

    package mutating func add(_ more: [Redacted<String>?]) {
        values += more.compactMap(\.self).filter { $0.reveal().utf8.count >= Self.shortest }
    }

    /// Returns these secrets with those in an order's body: cards, accounts and consent.
    package func and(of body: JSONValue) -> SentSecrets {
        let payment = body["payment"]
        var all = self
        var texts = [payment?["nonce"], payment?["token"], body["ext"]?["gateway"]?["grant"]?["grant_id"]]
        texts += payment?["data"]?.object?.values.map { $0 } ?? []
        all.add(texts.map { $0?.string.map { Redacted($0) } })
        return all
    }

    /// Returns `json` without these secrets.
    package func taken(from json: JSONValue) -> JSONValue {
        guard !values.isEmpty else { return json }
        let secrets = values.map { $0.reveal() }
        func cleaned(_ json: JSONValue) -> JSONValue {
            switch json {
            case .string(let text):
                guard secrets.contains(where: { $0.utf8.count <= text.utf8.count && text.contains($0) }) else {
                    return json
                }
                return .string(secrets.reduce(text) { $0.replacing($1, with: Self.stand) })
            case .number(let number): return secrets.contains(number.text) ? .string(Self.stand) : json
            case .array(let elements): return .array(elements.map(cleaned))
            case .object(let members):
                var clean: [String: JSONValue] = [:]
                for (name, value) in members { clean[name] = Self.holders.contains(name) ? value : cleaned(value) }
                return .object(clean)
            case .null, .bool: return json
            }
        }
        return cleaned(json)
    }

    private static let stand = "<redacted>"

    /// Returns `text` for printing, with every run as long as a token replaced, whatever its origin.
    package static func printable(_ text: String?) -> String {
        guard let text else { return "nil" }
        let isPart: (Character) -> Bool = { $0.isASCII && ($0.isLetter || $0.isNumber || "_.-".contains($0)) }
        var shown = ""
        var run = ""
        func end() {
            shown += run.utf8.count > 24 ? stand : run
            run = ""
        }
        for character in text {
            if isPart(character) {
                run.append(character)
            } else {
                end()
                shown.append(character)
            }
        }
        end()
        return shown
    }
}
