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
