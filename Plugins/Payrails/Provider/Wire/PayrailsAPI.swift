package import PaymentCore

/// The service's client-facing API, call by call. Stateless.
package struct PayrailsAPI: Sendable {
    /// The maximum time that the service may hold a query that waits for a change.
    package static let longestHold = Duration.seconds(300)
    private static let timeout = Duration.seconds(120)

    let token: Redacted<String>
    /// The id of the payment that answers have to be about; nil if the session has no payment.
    let executionID: String?
    /// The amount that answers have to be about, if they state one.
    let amount: PayrailsAmount
    let addresses: AddressRule
    let http: any HTTPTransport
    let random: any RandomSource

    /// Creates the calls of a session.
    ///
    /// - Parameter amount: the amount to pay; the session's own when nil.
    package init(
        _ payload: SessionPayload, over amount: PayrailsAmount? = nil, http: any HTTPTransport,
        random: any RandomSource
    ) {
        self.amount = amount ?? payload.amount
        token = payload.token
        executionID = payload.execution?.id
        addresses = payload.addresses
        self.http = http
        self.random = random
    }

    /// Begins the payment: the call that moves money.
    ///
    /// - Parameter key: the key that lets the service recognise a repetition; nil generates a new one.
    func authorize(_ body: JSONValue, _ link: LinkBody?, key: String? = nil) async throws(PayrailsError)
        -> AuthorizeBody
    {
        guard let href = link?.href?.nonEmpty else { throw .missingData("the link 'authorize'") }
        return try await send(Self.method(link, or: .post), href, called: "'authorize'", body: body, key: key)
    }

    /// Confirms that the payer approved with PayPal.
    func confirm(_ body: JSONValue, _ link: LinkBody, key: String? = nil) async throws(PayrailsError) -> AuthorizeBody {
        guard let href = link.href?.nonEmpty, let method = Self.known(link.method) else {
            throw .missingData("address or method of the link 'confirm'")
        }
        return try await send(method, href, called: "'confirm'", body: body, key: key)
    }

    /// Returns the present execution.
    func execution(_ url: String) async throws(PayrailsError) -> ExecutionBody {
        try await own(send(.get, url, called: "'execution'", body: nil))
    }

    /// Returns the execution as soon as its statuses differ from `codes`, or after `hold`.
    func execution(_ url: String, waitingWhile codes: [String], hold: Duration) async throws(PayrailsError)
        -> ExecutionBody
    {
        let url = try addresses.service(url, called: "'execution'")
        // The vendor's form: the address's own query is replaced, commas are not encoded.
        let list = codes.map { "%22\(PercentCoding.encode($0))%22" }.joined(separator: ",")
        let address = url.origin + url.path + "?waitWhile%5Bstatus%5D=%5B\(list)%5D"
        return try await own(send(.get, address, called: "'execution'", body: nil, timeout: hold))
    }

    /// Rejects an answer about another payment, or over another amount.
    private func own(_ execution: ExecutionBody) throws(PayrailsError) -> ExecutionBody {
        guard execution.id == executionID else {
            throw .unknown(error: PayrailsUnderlyingError.unusableAnswer("it is about another payment"))
        }
        if let stated = execution.amount, !stated.isSame(as: amount) {
            throw .unknown(
                error: PayrailsUnderlyingError.unusableAnswer(
                    "the payment is over another amount than \(amount.value) \(amount.currency)"))
        }
        return execution
    }

    /// Deletes a stored instrument. One that the service does not know (any more) counts as deleted.
    package func delete(_ instrument: String, _ link: LinkBody?) async throws(PayrailsError) -> DeleteInstrumentResponse
    {
        let href = try Self.href(link, "instrumentDelete", for: instrument)
        let response: HTTPResponse
        do {
            response = try await exchange(Self.method(link, or: .delete), href, called: "'instrumentDelete'", body: nil)
        } catch {
            // Only the service's own code counts, not the status of a server before it, which may not know the address.
            guard case .unknown(let cause as PayrailsUnderlyingError) = error, case .service(let fault) = cause,
                fault.status == 404, fault.code == "request.not-found"
            else { throw error }
            return DeleteInstrumentResponse(success: true)
        }
        return response.status == 204 ? DeleteInstrumentResponse(success: true) : try Self.decode(response)
    }

    /// Changes a stored instrument.
    package func update(
        _ instrument: String, _ change: UpdateInstrumentBody, _ link: LinkBody?
    ) async throws(PayrailsError) -> InstrumentResponse {
        let href = try Self.href(link, "instrumentUpdate", for: instrument)
        guard let body = try? JSONValue.encode(change) else { throw .invalidDataFormat }
        return try await send(Self.method(link, or: .patch), href, called: "'instrumentUpdate'", body: body)
    }

    /// Stores an instrument.
    package func save(_ body: JSONValue, _ link: LinkBody?) async throws(PayrailsError) -> InstrumentResponse {
        guard let href = link?.href?.nonEmpty else { throw .missingData("the link 'saveInstrument'") }
        return try await send(Self.method(link, or: .post), href, called: "'saveInstrument'", body: body)
    }

    /// Stores a card in a session that has no payment.
    package func tokenize(_ body: JSONValue, _ link: LinkBody) async throws(PayrailsError) -> InstrumentResponse {
        guard let href = link.href?.nonEmpty else { throw .missingData("the link 'tokenize'") }
        return try await send(Self.method(link, or: .post), href, called: "'tokenize'", body: body)
    }

    /// Returns the list of instruments stored for `holder`, at the address ``SessionPayload/instrumentsAddress``.
    package func instruments(
        at address: String, of holder: String?
    ) async throws(PayrailsError) -> InstrumentList {
        let mark = address.contains("?") ? "&" : "?"
        let filter = holder.map { "\(mark)filter%5BholderReference%5D=\(PercentCoding.encode($0))" } ?? ""
        let answer: JSONValue = try await send(
            .get, address + filter, called: "the list of stored instruments", body: nil)
        return try InstrumentList(answer)
    }

    // MARK: Requests

    private static func known(_ method: String?) -> HTTPRequest.Method? {
        [.post, .get, .delete, .patch].first { $0.rawValue == method }
    }

    private static func method(_ link: LinkBody?, or usual: HTTPRequest.Method) -> HTTPRequest.Method {
        known(link?.method) ?? usual
    }

    /// Returns the link's address with the id as one encoded segment, so that it cannot lead to another address.
    private static func href(_ link: LinkBody?, _ name: String, for instrument: String) throws(PayrailsError) -> String
    {
        guard let href = link?.href?.nonEmpty else { throw .missingData("the link '\(name)'") }
        guard PathSegment.isSafe(instrument) else {
            throw .unknown(error: PayrailsUnderlyingError.unusableID(field: "instrumentId"))
        }
        return href.replacing(":instrumentId", with: PercentCoding.encode(instrument))
    }

    private func send<Answer: Decodable>(
        _ method: HTTPRequest.Method, _ address: String, called name: String, body: JSONValue?, key: String? = nil,
        timeout: Duration = timeout
    ) async throws(PayrailsError) -> Answer {
        try Self.decode(try await exchange(method, address, called: name, body: body, key: key, timeout: timeout))
    }

    private func exchange(
        _ method: HTTPRequest.Method, _ address: String, called name: String, body: JSONValue?, key: String? = nil,
        timeout: Duration = timeout
    ) async throws(PayrailsError) -> HTTPResponse {
        let url = try addresses.service(address, called: name)
        let request = HTTPRequest(
            method, url, headers: headers(key ?? random.uuid().uppercased()), body: body?.serialized() ?? [],
            timeout: timeout)
        let response: HTTPResponse
        do { response = try await http.send(request) } catch {
            throw .unknown(error: PayrailsUnderlyingError.transport(error))
        }
        switch response.status {
        case 200..<300: return response
        case 401, 403: throw .authenticationError
        default: throw .unknown(error: PayrailsUnderlyingError.service(Self.fault(response)))
        }
    }

    private static func decode<Answer: Decodable>(_ response: HTTPResponse) throws(PayrailsError) -> Answer {
        do { return try JSONValue(parsing: response.body).decode(Answer.self) } catch {
            throw .unknown(error: PayrailsUnderlyingError.unusableAnswer(WireText.place(of: error)))
        }
    }

    static func fault(_ response: HTTPResponse) -> PayrailsServiceError {
        let problem = (try? JSONValue(parsing: response.body).decode(ErrorEnvelope.self))?.errors.first
        return PayrailsServiceError(
            status: response.status, code: WireText.code(problem?.code), result: WireText.code(problem?.reason?.result),
            retry: PaymentError.RetryAdvice(response))
    }

    /// Returns the header fields of the vendor's own client, which the service is designed for.
    private func headers(_ key: String) -> HTTPHeaders {
        [
            "Content-Type": "application/json",
            "Accept": "application/json",
            "Authorization": "Bearer " + token.reveal(),
            "x-idempotency-key": key,
            "x-client-type": "ios-sdk",
            "x-client-version": "0",
            "Cache-Control": "no-cache, no-store, must-revalidate",
            "Pragma": "no-cache",
            "Expires": "0",
        ]
    }
}

// MARK: - Answers

/// An address, with its method and action.
package struct LinkBody: Decodable, Sendable, Hashable {
    package struct Action: Decodable, Sendable, Hashable {
        package struct Parameters: Decodable, Sendable, Hashable {
            package let orderId: String?
            package let tokenId: String?
        }

        package let redirectMethod: String?
        package let redirectUrl: String?
        package let type: String?
        package let parameters: Parameters?
    }

    package let method: String?
    package let href: String?
    package let action: Action?
}

/// The addresses for queries about an execution and for its further actions.
package struct ExecutionLinksBody: Decodable, Sendable, Hashable {
    package let me: String
    package let threeDS: String?
    package let lookup: LinkBody?
    package let confirm: LinkBody?
    package let redirect: String?

    private enum CodingKeys: String, CodingKey {
        case me = "self"
        case threeDS = "3ds"
        case lookup, confirm, redirect
    }
}

/// One entry of an execution's history.
package struct StatusBody: Decodable, Sendable, Hashable {
    package struct ErrorDetail: Decodable, Sendable, Hashable {
        package struct Reason: Decodable, Sendable, Hashable {
            package let category: String?
            package let result: String?
            let source: String?
        }

        let code: String?
        package let detail: String?
        package let reason: Reason?
    }

    package let code: String
    package let time: VendorTime
    package let errors: [ErrorDetail]?
}

/// A payment at the service.
struct ExecutionBody: Decodable, Sendable {
    let id: String
    /// The amount to pay; nil if the answer does not state one.
    let amount: PayrailsAmount?
    let status: [StatusBody]
    let links: ExecutionLinksBody
    let actionRequired: String?
}

/// The answer to a request to authorise or to confirm.
struct AuthorizeBody: Decodable, Sendable {
    struct Links: Decodable, Sendable {
        let execution: String?
    }

    let name: String
    let actionId: String
    let links: Links
}

/// The service's own description of an error.
struct ErrorEnvelope: Decodable, Sendable {
    let errors: [StatusBody.ErrorDetail]
}

/// Texts of a service in a form that is safe to show: positions and codes, not contents.
package enum WireText {
    /// Returns the position where decoding failed.
    package static func place(of error: any Error) -> String {
        func path(_ context: DecodingError.Context, _ key: (any CodingKey)? = nil) -> String {
            (context.codingPath.map(\.stringValue) + [key?.stringValue].compactMap(\.self)).joined(separator: ".")
        }
        switch error {
        case DecodingError.keyNotFound(let key, let context): return "'\(path(context, key))' is missing"
        case DecodingError.valueNotFound(_, let context): return "'\(path(context))' is null"
        case DecodingError.typeMismatch(_, let context), DecodingError.dataCorrupted(let context):
            return "'\(path(context))' is not as expected: \(context.debugDescription)"
        default: return "it is not JSON"
        }
    }

    /// Returns `text` if it has the form of a code: letters, digits, `.`, `-`, `_`, at most 64 of them.
    package static func code(_ text: String?) -> String? {
        guard let text, !text.isEmpty, text.utf8.count <= 64 else { return nil }
        let isPlain = text.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) && byte < 0x80
                || ".-_".utf8.contains(byte)
        }
        return isPlain ? text : nil
    }

    /// Returns `text` if it has the form of a code and is safe in a path.
    package static func id(_ text: String?) -> String? { code(text).flatMap { PathSegment.isSafe($0) ? $0 : nil } }

    /// Returns `text` as one line of plain ASCII, at most 120 characters; nil if it is empty.
    package static func line(_ text: String) -> String? {
        let plain = text.unicodeScalars.prefix(120).map { (0x20..<0x7F).contains($0.value) ? Character($0) : "?" }
        return String(plain).nonEmpty
    }
}
