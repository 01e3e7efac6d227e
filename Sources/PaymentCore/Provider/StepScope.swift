import Synchronization

/// A step ended without a result, and without effect: nothing of it is kept. See
/// ``ProviderContext/stepIfFinished(_:_:_:)``.
struct StepUnfinishedError: Error {}

/// The step that the current task is in.
package final class StepScope: Sendable {
    /// The step, or nil outside of steps.
    @TaskLocal package static var current: StepScope?

    private let kind: StepKind
    private struct State {
        /// True if a request that can change something was answered.
        var wasSent = false
        /// True if the last answer to such a request does not prove that nothing was done. Its provider says what it
        /// means, as long as it sends nothing else.
        var hasOpenAnswer = false
        /// True if no later answer says whether anything was done: an answer was lost, or followed by another request.
        var isOpen = false
    }

    private let state = Mutex(State())

    /// Creates the scope of a step.
    package init(_ kind: StepKind) { self.kind = kind }

    /// Asks about a request of this step that was refused, outside of the step. The error that the provider throws
    /// afterwards is its statement about that request. For questions only.
    package static func asking<Value>(_ question: () async throws -> Value) async rethrows -> Value {
        try await $current.withValue(nil, operation: question)
    }

    /// Returns true if a step that ended by throwing `error` had no effect, as far as its provider and the network can
    /// determine. The answer to one request says nothing about earlier ones.
    package func isWithoutEffect(_ error: any Error) -> Bool {
        let state = state.withLock { $0 }
        guard !state.isOpen else { return false }
        return switch error {
        case let error as PaymentError: error.phase == .answered || error.phase == .beforeSend && !state.hasOpenAnswer
        case let error as TransportError: error.phase == .notSent && !state.hasOpenAnswer
        case is StepUnfinishedError: true
        default: false
        }
    }

    /// Returns `error` as the step throws it: if the step may have moved money, its phase says so.
    package func thrown(_ error: any Error) -> any Error {
        guard kind.movesMoney, !isWithoutEffect(error), let failure = error as? PaymentError else { return error }
        return failure.with(phase: .maybeSent)
    }

    /// Returns true if a step that ended by throwing `error` sent nothing that can change anything.
    package func hasSentNothing(_ error: any Error) -> Bool {
        guard isWithoutEffect(error), !state.withLock({ $0.wasSent }) else { return false }
        return switch error {
        case let error as PaymentError: error.phase == .beforeSend
        case let error as TransportError: error.phase == .notSent
        default: false
        }
    }

    var isMutation: Bool {
        if case .mutation = kind { true } else { false }
    }

    /// Notes that the answer to a request that can change something was lost. The network reports it, so no provider
    /// can miss it.
    func noteLostAnswer() {
        state.withLock { $0.isOpen = true }
    }

    /// Notes that a request of any kind is sent: its answer does not say what the request before it has done.
    func noteSending() {
        state.withLock { if $0.hasOpenAnswer { $0.isOpen = true } }
    }

    /// Notes the answer to a request that can change something.
    func note(_ answer: HTTPResponse) {
        state.withLock {
            $0.wasSent = true
            if answer.mayFollowEarlierCopy { $0.isOpen = true }
            $0.hasOpenAnswer = !answer.provesNothingWasDone
        }
    }
}

// MARK: - Steps without a journal

/// Steps that run once and are kept in memory, for the life of one flow: for a vendor's own client, which keeps no
/// journal, and for a service's cancellation.
///
/// As with stored steps, a step that ended returns its result; a mutation that may have moved money does not run again,
/// and only one caller runs it.
package actor UnstoredSteps: StepRunner {
    private var finished: [String: JSONValue] = [:]
    private var begunMutations: Set<String> = []

    /// Creates an empty memory.
    package init() {}

    /// Runs the step `name`, unless it has ended before.
    ///
    /// - Throws: any error of `body`; ``PaymentError`` of phase `maybeSent` when the step is a mutation that was begun
    ///   before and whose end is not known.
    package func run(
        _ name: String, _ kind: StepKind, _ body: @escaping @Sendable () async throws -> JSONValue
    ) async throws -> JSONValue {
        if let result = finished[name] { return result }
        guard !begunMutations.contains(name) else {
            throw PaymentError(
                .network,
                "'\(name)' was begun before, and how it ended is not known; ask for the payment's status",
                phase: .maybeSent)
        }
        try Task.checkCancellation()
        if kind.movesMoney { begunMutations.insert(name) }
        let scope = StepScope(kind)
        do {
            let result = try await StepScope.$current.withValue(scope) { try await body() }
            // Of two concurrent callers, the first result counts.
            let first = finished[name] ?? result
            finished[name] = first
            return first
        } catch {
            if scope.isWithoutEffect(error) { begunMutations.remove(name) }
            throw scope.thrown(error)
        }
    }

    /// True if the step `name` ended, or began and may have moved money.
    package func hasRun(_ name: String) -> Bool { finished[name] != nil || begunMutations.contains(name) }

    /// Does nothing: no other process knows of these steps.
    package func ensureInCharge() {}

    /// True if a mutation was begun that did not surely do nothing.
    package var mayHaveChangedSomething: Bool { !begunMutations.isEmpty }
}

extension ProviderContext {
    /// Returns a context for one flow of a vendor's own client: the same guards as a router's, and steps that are kept
    /// in memory as long as the context lives.
    ///
    /// - Parameters:
    ///   - hosts: the only hosts that may be called, as in ``ProviderDescriptor/outboundHosts``. A request that must
    ///     not be repeated leaves only from within a mutation step.
    ///   - http: the network.
    ///   - payer: the parts that the application provides; pages and apps are opened as the hosts allow.
    ///   - remark: receives remarks for people who follow the payment.
    package static func unstored(
        hosts: [String], http: any HTTPTransport, payer: Payer = Payer(), clock: any PaymentClock,
        random: any RandomSource = SystemRandomSource(), secrets: any SecretStore = NoSecrets(),
        link: PaymentLink? = nil, remark: @escaping @Sendable (String) -> Void = { _ in }
    ) -> ProviderContext {
        let hosts = OutboundHosts(hosts)
        return ProviderContext(
            http: GuardedTransport(base: http, hosts: hosts), payer: payer.guarded(for: hosts), clock: clock,
            random: random, secrets: secrets, link: link, steps: UnstoredSteps(), remark: remark)
    }
}
