/// Everything a provider may use of the world, for one call.
public struct ProviderContext: Sendable {
    /// The network, limited to the hosts that the descriptor declares. A request that must not be repeated leaves
    /// only from within a mutation step.
    public let http: any HTTPTransport
    /// What the payer lends to the payment.
    public let payer: Payer
    /// Time.
    public let clock: any PaymentClock
    /// Randomness.
    public let random: any RandomSource
    /// Secrets of the application.
    public let secrets: any SecretStore
    /// The link being paid, where the caller has it. Links may hold secrets, so none is journaled: an attempt that is
    /// resumed without its link finds nil here.
    public let link: PaymentLink?

    private let steps: any StepRunner
    private let remark: @Sendable (String) -> Void
    private let answers = PayerAnswers()

    /// Creates a context, as routers do.
    ///
    /// - Parameters:
    ///   - http: the network, limited to the provider's hosts.
    ///   - payer: what the payer lends.
    ///   - clock: the time.
    ///   - random: the chance.
    ///   - secrets: the application's secrets.
    ///   - link: the link that is paid, where it is at hand.
    ///   - steps: runs steps.
    ///   - remark: hears remarks for people.
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
    /// On resumption a step that ended returns its stored result and `body` does not run. `name` must be unique
    /// within one attempt and the same on every run, also of later versions: while a mutation that began is not come to
    /// again under its name, no other begins, and the payment's status decides.
    ///
    /// - Parameters:
    ///   - name: the step's name, an on-disk contract.
    ///   - kind: whether the step may move money.
    ///   - body: what is done once.
    /// - Returns: what `body` returned, now or in an earlier run.
    /// - Throws: what `body` throws, and ``PaymentError`` with code ``PaymentError/Code/journal`` when the journal
    ///   fails, in which case `body` did not run or its result is not stored.
    public func step<Result: Codable & Sendable>(
        _ name: String, _ kind: StepKind, _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        guard kind != .settlement else {
            throw PaymentError(
                .providerFault, "the step '\(name)' would settle by itself; settle(_:to:) is the only way to do it")
        }
        return try await durable(name, kind, body)
    }

    /// Runs a durable step of any kind: for the core itself, and for whoever watches a provider's steps.
    package func durable<Result: Codable & Sendable>(
        _ name: String, _ kind: StepKind, _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let stored = try await steps.run(name, kind) { try JSONValue.encode(try await body()) }
        return try stored.decode(Result.self)
    }

    /// Runs a durable step that may end without a result: when `body` returns nil, nothing of it is kept, and it runs
    /// again when the attempt is gone on with. So where a payer leaves a page that they may finish later.
    ///
    /// In all else it is as ``step(_:_:_:)``. Nil in a mutation says that nothing was done; where a request of it may
    /// have arrived all the same, it stays open.
    ///
    /// - Returns: the result, now or from an earlier run; nil when `body` returned nil.
    /// - Throws: what ``step(_:_:_:)`` throws.
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

    /// Asks the payer something whose answer is never stored, such as a card or a consent: once in a run.
    ///
    /// The answer lives as long as this context, which is one run of the attempt. Whoever asks under the same name
    /// later in the run, also in another step, is given the same answer; after an interruption nobody has it, and it is
    /// asked for again where it is needed.
    ///
    /// - Parameters:
    ///   - name: what is asked; unique within the provider.
    ///   - question: asks the payer.
    /// - Returns: the run's first answer.
    /// - Throws: what `question` throws; it is asked again then, the next time.
    public func ask<Answer: Sendable>(
        _ name: String, _ question: @Sendable () async throws -> Answer
    ) async throws -> Answer {
        if let known: Answer = answer(to: name) { return known }
        return answers.keep(try await question(), as: name)
    }

    /// The answer to what was asked in this run; nil when it was not.
    public func answer<Answer: Sendable>(to name: String, as type: Answer.Type = Answer.self) -> Answer? {
        answers.answer(to: name)
    }

    /// Returns whether an earlier run of the attempt has done the step `name`, as far as is known: it ended, or it
    /// began and may have moved money. What was checked before it, or was not by an older version, cannot be undone
    /// then.
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
    ///   - kind: whether the step may move money.
    ///   - body: what is done once.
    /// - Returns: the result, now or from an earlier run.
    /// - Throws: what `body` throws, and ``PaymentError`` with code ``PaymentError/Code/journal``.
    func run(
        _ name: String, _ kind: StepKind, _ body: @escaping @Sendable () async throws -> JSONValue
    ) async throws -> JSONValue

    /// Returns whether an earlier run ended the step `name`, or began it and may have moved money with it.
    ///
    /// - Parameter name: the step's name.
    func hasRun(_ name: String) async -> Bool

    /// Makes sure, within a step, that nobody else has taken the payment over or ended the attempt since the step
    /// began.
    ///
    /// Asked for after a wait that may have been long, and before what cannot be called back.
    ///
    /// - Throws: ``PaymentError`` when somebody else has, or when the journal cannot tell.
    func ensureInCharge() async throws
}
