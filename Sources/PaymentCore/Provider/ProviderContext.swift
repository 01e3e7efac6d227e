import Synchronization

/// The effects and data that a provider may use, for one call.
public struct ProviderContext: Sendable {
    /// The network, limited to the hosts that the descriptor declares. A request that must not be repeated leaves
    /// only from within a mutation step.
    public let http: any HTTPTransport
    /// The parts that the application provides to the payment.
    public let payer: Payer
    /// The time.
    public let clock: any PaymentClock
    /// The source of random numbers.
    public let random: any RandomSource
    /// The application's secrets.
    public let secrets: any SecretStore
    /// The link being paid, if the caller has it. Links may hold secrets, so none is journaled: it is nil for an
    /// attempt that is resumed without its link.
    public let link: PaymentLink?

    private let steps: any StepRunner
    private let remark: @Sendable (String) -> Void
    private let answers = PayerAnswers()

    /// Creates a context, as routers do.
    ///
    /// - Parameters:
    ///   - http: the network, limited to the provider's hosts.
    ///   - payer: the parts that the application provides.
    ///   - clock: the time.
    ///   - random: the source of random numbers.
    ///   - secrets: the application's secrets.
    ///   - link: the link that is paid, if it is at hand.
    ///   - steps: the runner of durable steps.
    ///   - remark: receives remarks for people.
    package init(
        http: any HTTPTransport, payer: Payer, clock: any PaymentClock, random: any RandomSource,
        secrets: any SecretStore, link: PaymentLink? = nil, steps: any StepRunner,
        remark: @escaping @Sendable (String) -> Void
    ) {
        self.http = http
        self.payer = payer
        self.clock = clock
        self.random = random
        self.secrets = secrets
        self.link = link
        self.steps = steps
        self.remark = remark
    }

    /// Reports a remark for people following the payment: no secrets, no personal data.
    public func log(_ message: String) { remark(message) }

    /// Runs a durable step: its start is stored before `body` runs, its result before this returns.
    ///
    /// On resumption a step that ended returns its stored result and `body` does not run. `name` must be unique within
    /// one attempt and the same on every run, also of later versions: until a mutation that began is reached again
    /// under its name, no other begins, and the payment's status decides.
    ///
    /// - Parameters:
    ///   - name: the step's name, an on-disk contract.
    ///   - kind: the kind of the step, which says whether it may move money.
    ///   - body: the action that is done once.
    /// - Returns: the result of `body`, now or in an earlier run.
    /// - Throws: any error of `body`, and ``PaymentError`` with code ``PaymentError/Code/journal`` when the journal
    ///   fails, in which case `body` did not run or its result is not stored.
    public func step<Result: Codable & Sendable>(
        _ name: String, _ kind: StepKind, _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        if case .settlement = kind {
            throw PaymentError(
                .providerFault, "the step '\(name)' would settle by itself; settle(_:to:) is the only way to do it")
        }
        return try await durable(name, kind, body)
    }

    /// Runs a durable step of any kind: for the core itself, and for observers of a provider's steps.
    package func durable<Result: Codable & Sendable>(
        _ name: String, _ kind: StepKind, _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let stored = try await steps.run(name, kind) { try JSONValue.encode(try await body()) }
        return try stored.decode(Result.self)
    }

    /// Runs a durable step that may end without a result: when `body` returns nil, nothing of it is kept, and it runs
    /// again when the attempt is resumed. An example is a page that the payer leaves and may finish later.
    ///
    /// In all else it equals ``step(_:_:_:)``. Nil in a mutation means that nothing was done; if one of its requests
    /// may have arrived, the step stays open.
    ///
    /// - Returns: the result, now or from an earlier run; nil when `body` returned nil.
    /// - Throws: the errors of ``step(_:_:_:)``.
    public func stepIfFinished<Result: Codable & Sendable>(
        _ name: String, _ kind: StepKind, _ body: @escaping @Sendable () async throws -> Result?
    ) async throws -> Result? {
        do {
            return try await step(name, kind) {
                guard let result = try await body() else { throw StepUnfinishedError() }
                return result
            }
        } catch is StepUnfinishedError {
            return nil
        }
    }

    // MARK: What is never stored

    /// Asks the payer a question whose answer is never stored, such as a card or a consent: once in a run.
    ///
    /// The answer lives as long as this context, which is one run of the attempt. A later call under the same name in
    /// the run, also in another step, receives the same answer; an interruption loses it, and the payer is asked again
    /// when it is needed.
    ///
    /// - Parameters:
    ///   - name: the name of the question; unique within the provider.
    ///   - question: asks the payer.
    /// - Returns: the run's first answer.
    /// - Throws: any error of `question`; the next call asks again.
    public func ask<Answer: Sendable>(
        _ name: String, _ question: @Sendable () async throws -> Answer
    ) async throws -> Answer {
        if let known: Answer = answer(to: name) { return known }
        return answers.keep(try await question(), as: name)
    }

    /// Returns the answer to a question asked in this run; nil when it was not asked.
    public func answer<Answer: Sendable>(to name: String, as type: Answer.Type = Answer.self) -> Answer? {
        answers.answer(to: name)
    }

    /// Returns true if an earlier run of the attempt has done the step `name`, as far as is known: it ended, or it
    /// began and may have moved money. A check before it, made or omitted by an older version, can then not change the
    /// outcome.
    ///
    /// - Parameter name: the step's name.
    public func hasRun(_ name: String) async -> Bool { await steps.hasRun(name) }

    /// Makes sure that the attempt is still carried out here.
    package func ensureInCharge() async throws { try await steps.ensureInCharge() }
}

/// Runs steps durably. Implemented by the router.
package protocol StepRunner: Sendable {
    /// Runs or replays the step `name`.
    ///
    /// - Parameters:
    ///   - name: the step's name.
    ///   - kind: the kind of the step, which says whether it may move money.
    ///   - body: the action that is done once.
    /// - Returns: the result, now or from an earlier run.
    /// - Throws: any error of `body`, and ``PaymentError`` with code ``PaymentError/Code/journal``.
    func run(
        _ name: String, _ kind: StepKind, _ body: @escaping @Sendable () async throws -> JSONValue
    ) async throws -> JSONValue

    /// Returns true if an earlier run ended the step `name`, or began it and may have moved money with it.
    ///
    /// - Parameter name: the step's name.
    func hasRun(_ name: String) async -> Bool

    /// Checks, within a step, that no other process has taken the payment over or ended the attempt since the step
    /// began.
    ///
    /// Called after a wait that may have been long, and before an action that cannot be undone.
    ///
    /// - Throws: ``PaymentError`` when another process has, or when the journal cannot be read.
    func ensureInCharge() async throws
}

// MARK: - JSON

extension ProviderContext {
    /// Sends a request, with a JSON body if there is one, and returns the value read from its JSON answer.
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
    ///   - idempotencyKey: sent as `Idempotency-Key`. Only if the service recognises a repetition by it: the request
    ///     may then be sent again when its fate is not known. It has to be the attempt's
    ///     (``PaymentAttempt/key(for:)``), or follow from the refund's id.
    ///   - statuses: the statuses of answers that are read; every other one is an error.
    ///   - type: the type that the answer is read as; ``JSONValue`` takes it as it is.
    /// - Throws: ``PaymentError``. `retry` has the service's own `Retry-After`, if it gives seconds.
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

/// The payer's answers in one run of an attempt that no journal stores. Prints nothing of them.
package final class PayerAnswers: Sendable {
    private let answers = Mutex<[String: any Sendable]>([:])

    package init() {}

    /// Returns the answer named `name`, if there is one of this type.
    func answer<Answer: Sendable>(to name: String) -> Answer? { answers.withLock { $0[name] as? Answer } }

    /// Keeps `answer`, unless there is one already.
    ///
    /// - Returns: the answer that is kept.
    func keep<Answer: Sendable>(_ answer: Answer, as name: String) -> Answer {
        answers.withLock { answers in
            if let first = answers[name] as? Answer { return first }
            answers[name] = answer
            return answer
        }
    }
}
