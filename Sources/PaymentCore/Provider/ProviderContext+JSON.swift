extension ProviderContext {
    /// Sends a request, whose body is JSON where it has one, and returns the value read from its JSON answer.
    ///
    /// The short form is the safe one: an answer with a status that was not asked for is never read, and the error says
    /// whether money can have moved. Within a ``StepKind/mutation(replay:)`` step, every answer that does not prove
    /// that nothing was done (``HTTPResponse/provesNothingWasDone``) leaves the payment's fate open: a lost answer, a
    /// fault of the service, an answer that cannot be read. Services with their own error codes may say more; for those
    /// use ``http``.
    ///
    /// ```swift
    /// let order: Order = try await context.step("pay", .mutation(replay: .never)) {
    ///     try await context.json(.post, url, body: ["price": "4.80"])
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - method: the method.
    ///   - url: the address, on a host that the descriptor declares.
    ///   - body: the body; nil sends none.
    ///   - headers: further header fields, such as credentials.
    ///   - idempotencyKey: sent as `Idempotency-Key`. Only where the service recognises a repetition by it: the request
    ///     may then be sent again when its fate is not known. It has to be the attempt's
    ///     (``PaymentAttempt/key(for:)``), or follow from the refund's id.
    ///   - statuses: the statuses of answers that are read; every other one is an error.
    ///   - type: the type that the answer is read as; ``JSONValue`` takes it as it is.
    /// - Throws: ``PaymentError``. `retry` has the service's own `Retry-After`, where it gives seconds.
    public func json<Answer: Decodable>(
        _ method: HTTPRequest.Method, _ url: HTTPURL, body: JSONValue? = nil, headers: HTTPHeaders = [:],
        idempotencyKey: String? = nil, accepting statuses: Set<Int> = [200, 201, 202],
        as type: Answer.Type = Answer.self
    ) async throws(PaymentError) -> Answer {
        var request = HTTPRequest(method, url, headers: headers, body: body?.serialized() ?? [])
        if body != nil { request.headers["Content-Type"] = "application/json" }
        if request.headers["Accept"] == nil { request.headers["Accept"] = "application/json" }
        if let idempotencyKey {
            request.headers["Idempotency-Key"] = idempotencyKey
            request.replay = .safe
        }
        let isInMutation = StepScope.current?.isMutation ?? false
        let isMutation = !method.isSafe && (isInMutation || request.replay == .never)
        let response: HTTPResponse
        do { response = try await http.send(request) } catch {
            throw PaymentError(error, provider: nil, isMutation: isMutation)
        }
        guard statuses.contains(response.status) else {
            throw PaymentError(response, provider: nil, isMutation: isMutation)
        }
        do { return try JSONValue(parsing: response.body).decode(Answer.self) } catch {
            throw PaymentError(
                .invalidResponse, "the service's answer cannot be read\(Self.reason(error))",
                phase: isMutation ? .maybeSent : .answered)
        }
    }

    /// The part that could not be read, without its content. Only the library's errors, and the names of fields, are
    /// sure to hold none.
    private static func reason(_ error: any Error) -> String {
        switch error {
        case let error as JSONError: ": \(error)"
        case DecodingError.keyNotFound(let key, _): ": '\(key.stringValue)' is missing"
        case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
            DecodingError.dataCorrupted(let context):
            context.codingPath.last.map { ": '\($0.stringValue)' is not what it should be" } ?? ""
        default: ""
        }
    }
}
