package import PaymentCore

extension ProviderContext {
    /// Returns a copy with another network, or with another runner of its steps.
    ///
    /// - Parameters:
    ///   - http: The copy's network; nil for the same.
    ///   - steps: Runs the copy's steps; nil for this context.
    package func copy(http: (any HTTPTransport)? = nil, steps: (any StepRunner)? = nil) -> ProviderContext {
        ProviderContext(
            http: http ?? self.http, payer: payer, clock: clock, random: random, secrets: secrets, link: link,
            steps: steps ?? ContextSteps(context: self), remark: { log($0) })
    }
}

/// The steps of a context.
private struct ContextSteps: StepRunner {
    let context: ProviderContext

    func run(
        _ name: String, _ kind: StepKind, _ body: @escaping @Sendable () async throws -> JSONValue
    ) async throws -> JSONValue {
        try await context.durable(name, kind, body)
    }

    func hasRun(_ name: String) async -> Bool { await context.hasRun(name) }

    func ensureInCharge() async throws { try await context.ensureInCharge() }
}
