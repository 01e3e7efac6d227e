import PaymentCore
import Synchronization

/// What a provider does while it is watched.
final class Observation: Sendable {
    /// A request as it left the provider's hands.
    struct Sent: Sendable {
        let step: String?
        let kind: StepKind?
        let request: HTTPRequest
    }

    private struct State {
        var sent: [Sent] = []
        var steps = 0
        var responses: [HTTPResponse] = []
        var events: [PaymentEvent] = []
        var agreed: Money?
        var moments = 0
    }

    private let state = Mutex(State())
    /// The moment at which the provider's task is cancelled, or nil.
    let cancellation: Int?

    init(cancellation: Int? = nil) { self.cancellation = cancellation }

    var sent: [Sent] { state.withLock { $0.sent } }
    var responses: [HTTPResponse] { state.withLock { $0.responses } }
    var events: [PaymentEvent] { state.withLock { $0.events } }
    var agreed: Money? { state.withLock { $0.agreed } }
    var moments: Int { state.withLock { $0.moments } }

    func note(_ sent: Sent) { state.withLock { $0.sent.append(sent) } }
    func note(_ event: PaymentEvent) { state.withLock { $0.events.append(event) } }
    func note(_ response: HTTPResponse) { state.withLock { $0.responses.append(response) } }
    func agree(_ amount: Money) { state.withLock { $0.agreed = amount } }

    /// A moment at which the provider could be cancelled.
    func moment() {
        let number = state.withLock { state in
            defer { state.moments += 1 }
            return state.moments
        }
        if number == cancellation { withUnsafeCurrentTask { $0?.cancel() } }
    }
}

/// A provider under observation.
struct WatchedProvider: PaymentProvider {
    let base: any PaymentProvider
    let observation: Observation

    var descriptor: ProviderDescriptor { base.descriptor }
    func recognize(_ link: PaymentLink) -> LinkMatch? { base.recognize(link) }

    func quote(_ request: QuoteRequest, in context: ProviderContext) async throws -> PaymentQuote {
        try await base.quote(request, in: watched(context))
    }

    func pay(_ attempt: PaymentAttempt, in context: ProviderContext) async throws -> PaymentOutcome {
        observation.agree(attempt.option.amount)
        return try await base.pay(attempt, in: watched(context))
    }

    func status(of payment: PaymentReference, in context: ProviderContext) async throws -> PaymentOutcome {
        try await base.status(of: payment, in: watched(context))
    }

    private func watched(_ context: ProviderContext) -> ProviderContext {
        ProviderContext(
            http: WatchedTransport(base: context.http, observation: observation), payer: context.payer,
            clock: context.clock, random: context.random, secrets: context.secrets, link: context.link,
            steps: WatchedSteps(context: context, observation: observation), remark: { context.log($0) })
    }
}

private struct WatchedTransport: HTTPTransport {
    let base: any HTTPTransport
    let observation: Observation

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        observation.note(
            Observation.Sent(step: WatchedSteps.current?.name, kind: WatchedSteps.current?.kind, request: request))
        observation.moment()
        let response = try await base.send(request)
        observation.moment()
        return response
    }
}

private struct WatchedSteps: StepRunner {
    struct Step: Sendable {
        let name: String
        let kind: StepKind
    }

    @TaskLocal static var current: Step?

    let context: ProviderContext
    let observation: Observation

    func run(
        _ name: String, _ kind: StepKind, _ body: @escaping @Sendable () async throws -> JSONValue
    ) async throws -> JSONValue {
        observation.moment()
        let step = Step(name: name, kind: kind)
        let result: JSONValue = try await context.step(name, kind) {
            try await Self.$current.withValue(step) { try await body() }
        }
        observation.moment()
        return result
    }

    func hasRun(_ name: String) async -> Bool { await context.hasRun(name) }
}

/// A network that spoils one answer.
struct SpoilingTransport: HTTPTransport {
    let base: any HTTPTransport
    let observation: Observation
    let spoiling: (index: Int, mutation: Mutation)?

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        let mutation = spoiling.flatMap { $0.index == observation.responses.count ? $0.mutation : nil }
        var response = mutation?.isInstead == true ? HTTPResponse(status: 200) : try await base.send(request)
        observation.note(response)
        if let mutation { response = mutation.apply(response) }
        guard response.body.count <= request.responseLimit else {
            throw TransportError(
                .maybeSent, .responseTooLarge(limit: request.responseLimit), origin: request.url.origin)
        }
        return response
    }
}
