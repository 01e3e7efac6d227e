import PaymentCore

/// The way to a wallet: its address, its key in a header field, and what every kind reads in the same manner.
struct WalletConnection: Sendable {
    let name: String
    let base: HTTPURL
    let transport: any HTTPTransport
    private let field: String
    private let key: Redacted<String>

    /// The content of a request.
    enum Content {
        case none
        case json(JSONValue)
        case form([(name: String, value: String)])
    }

    init(
        to name: String, at base: HTTPURL, over transport: any HTTPTransport, _ field: String, _ key: Redacted<String>
    ) {
        self.name = name
        self.base = base
        self.transport = transport
        self.field = field
        self.key = key
    }

    /// Sends a request.
    ///
    /// - Parameter isQuery: true if it changes nothing at the wallet, so that it may be repeated.
    func send(
        _ method: HTTPRequest.Method, _ path: [String], query: [(name: String, value: String)] = [],
        _ content: Content = .none, isQuery: Bool = true, timeout: Duration = .seconds(20)
    ) async throws(TransportError) -> HTTPResponse {
        let url: HTTPURL
        do throws(LinkDefect) { url = try base.appending(path, query: query) } catch {
            throw TransportError(.notSent, .invalidRequest("\(error)"), origin: base.origin)
        }
        var request = HTTPRequest(
            method, url, headers: [field: key.reveal(), "Accept": "application/json"],
            replay: isQuery ? .safe : .never, timeout: timeout)
        switch content {
        case .none: break
        case .json(let value):
            request.headers["Content-Type"] = "application/json"
            request.body = value.serialized()
        case .form(let items):
            request.headers["Content-Type"] = "application/x-www-form-urlencoded"
            request.body = Array(
                items.map { "\(PercentCoding.encode($0.name))=\(PercentCoding.encode($0.value))" }
                    .joined(separator: "&").utf8)
        }
        return try await transport.send(request)
    }

    /// Sends a question.
    ///
    /// - Throws: ``PaymentError``, when there is no answer.
    func ask(
        _ method: HTTPRequest.Method, _ path: [String], query: [(name: String, value: String)] = [],
        _ content: Content = .none, timeout: Duration = .seconds(20)
    ) async throws(PaymentError) -> HTTPResponse {
        do throws(TransportError) { return try await send(method, path, query: query, content, timeout: timeout) } catch
        {
            throw PaymentError(.network, "\(name) does not answer: \(error.reason)", retry: .later, cause: error)
        }
    }

    /// Asks for a payment, once.
    ///
    /// - Returns: the answer to this request itself, or what its absence proves.
    func order(
        _ path: [String], _ content: Content, timeout: Duration
    ) async -> Ordered {
        do throws(TransportError) {
            let response = try await send(.post, path, content, isQuery: false, timeout: timeout)
            // The answer to a repetition says nothing of the first copy.
            return response.mayFollowEarlierCopy ? .unanswered(.nothing) : .answered(response)
        } catch {
            guard error.phase == .notSent else { return .unanswered(.nothing) }
            return .unanswered(.sentNothing(reason: "\(name) could not be reached: \(error.reason)"))
        }
    }

    /// The end of a request to pay.
    enum Ordered {
        /// The answer to this request itself.
        case answered(HTTPResponse)
        /// The proof in the lack of an answer.
        case unanswered(WalletAnswer)
    }

    // MARK: Errors

    /// The error of a question whose answer cannot be used.
    func unusable(_ response: HTTPResponse) -> PaymentError {
        let (code, text) = PaymentError.meaning(of: response.status, by: name)
        guard code == .unauthorized else { return PaymentError(code, text, phase: .answered, retry: .later) }
        return PaymentError(code, "\(text); use a key that may pay", phase: .answered)
    }

    /// The error of a record about another payment.
    func foreign() -> PaymentError {
        PaymentError(
            .integrity,
            "\(name) has a payment of the same payment hash that is another one; look into the wallet, and ask "
                + "the payee for a new invoice", phase: .maybeSent)
    }
}

extension HTTPResponse {
    /// The body as JSON; nil if it is not valid JSON.
    var json: JSONValue? { try? JSONValue(parsing: body) }

    /// The body as text.
    var text: String { String(decoding: body, as: UTF8.self) }
}

extension WalletAccount {
    /// Returns the network of invoices by a node's name of its chain: nodes know two chains of the test network.
    static func network(_ chain: String) -> String {
        switch chain {
        case "bitcoin": "mainnet"
        case "testnet3", "testnet4": "testnet"
        default: chain
        }
    }
}

extension JSONValue {
    /// A 64-bit number, as wallets write one: a number, or a string of digits, with or without the unit.
    var amount: UInt64? { uint64 ?? string.flatMap { UInt64($0.hasSuffix("msat") ? String($0.dropLast(4)) : $0) } }
}

extension String {
    /// The text of a wallet as a reason for people: at most 200 plain characters.
    var asReason: String {
        let plain = unicodeScalars.lazy.filter { (0x20...0x7E).contains($0.value) }.prefix(200)
        return String(String.UnicodeScalarView(plain))
    }
}
