import PaymentCore
import PaymentRouting
import PaymentTransport
import Synchronization
import TestSupport
import Testing

/// The answer to a later copy of a request is no evidence about an earlier one that may have arrived.
@Suite("Requests that are sent more than once")
struct RepeatedSendTests {
    /// The result of the first copy.
    enum First: Sendable, CaseIterable {
        case answerLost, fault, tooMany
    }

    /// Takes money once for every key; after the first copy each one is refused, once.
    private final class Service: Sendable {
        private let state = Mutex<(keys: [String], requests: Int)>(([], 0))
        let first: First
        let refusal: Int

        init(_ first: First, _ refusal: Int) {
            self.first = first
            self.refusal = refusal
        }

        var captures: Int { state.withLock { $0.keys.count } }

        func answer(_ request: HTTPRequest) throws(TransportError) -> HTTPResponse {
            let key = request.headers["Idempotency-Key"] ?? ""
            let number = state.withLock { state in
                state.requests += 1
                if state.requests != 2, !state.keys.contains(key) { state.keys.append(key) }
                return state.requests
            }
            switch (number, first) {
            case (1, .answerLost): throw TransportError(.maybeSent, .connectionLost("x"), origin: request.url.origin)
            case (1, .fault): return HTTPResponse(status: 503)
            case (1, .tooMany): return HTTPResponse(status: 429)
            case (2, _): return HTTPResponse(status: refusal)
            default: return HTTPResponse(status: 200)
            }
        }
    }

    /// A provider that takes every 4xx as proof that nothing was done.
    private static func provider(sendsAgainItself: Bool) -> ScriptedProvider {
        var provider = ScriptedProvider()
        provider.descriptor = .acme(replayWindow: .seconds(600))
        provider.statusBody = { _, _ in .pending(retryAfter: nil) }
        provider.payBody = { attempt, context in
            _ = try await context.step("charge", .mutation(replay: .sameKey)) {
                var request = try HTTPRequest.capture(replay: sendsAgainItself ? .never : .safe)
                request.headers["Idempotency-Key"] = attempt.idempotencyKey
                var response: HTTPResponse?
                var failure: TransportError?
                for round in 1...2 where response == nil {
                    do throws(TransportError) {
                        response = try await context.http.send(request)
                        if sendsAgainItself, round == 1, response?.status != 200 { response = nil }
                    } catch {
                        failure = error
                        guard sendsAgainItself else { break }
                    }
                }
                if response == nil, let failure { throw PaymentError(failure, provider: "acme", isMutation: true) }
                guard response?.status == 200 else {
                    throw PaymentError(.requestRefused, "refused", provider: "acme", phase: .answered)
                }
                return true
            }
            return .succeeded(PaymentReceipt(reference: attempt.reference))
        }
        return provider
    }

    @Test(
        "A refusal of the second copy does not end what the first may have done",
        arguments: First.allCases, [400, 401, 402, 404, 409, 422, 425, 429])
    func secondCopyRefused(first: First, refusal: Int) async throws {
        for sendsAgainItself in [false, true] {
            let service = Service(first, refusal)
            let network = RecordingTransport { request throws(TransportError) in try service.answer(request) }
            let clock = VirtualClock()
            var policy = RetryPolicy()
            policy.retries = 1
            let journal = InMemoryJournal()
            let router = try PaymentRouter(
                of: Self.provider(sendsAgainItself: sendsAgainItself),
                transport: LayeredTransport(network, [RetryMiddleware(policy, clock: clock)]), journal: journal,
                clock: clock)
            let outcome = try? await router.pay(ScriptedProvider.link, as: .careless)
            #expect(
                outcome?.unknownOutcome != nil,
                "\(first), \(refusal), by itself \(sendsAgainItself): \(String(describing: outcome))")
            let open = await journal.unfinished()
            #expect(open.count == 1 && open[0].mayHaveMovedMoney)
            #expect(network.requests.count == 2)
            // A repeated payment uses the same key.
            #expect(try await router.pay(ScriptedProvider.link, as: .careless).receipt != nil, "it can be gone on with")
            #expect(service.captures == 1)
            #expect(await journal.histories(of: ScriptedProvider.reference).count == 1)
        }
    }

    @Test("A refusal of the only copy ends it")
    func onlyCopyRefused() async throws {
        let network = RecordingTransport { _ in HTTPResponse(status: 402) }
        let journal = InMemoryJournal()
        let router = try PaymentRouter(
            of: Self.provider(sendsAgainItself: false),
            transport: LayeredTransport(network, [RetryMiddleware(clock: VirtualClock())]), journal: journal,
            clock: VirtualClock())
        #expect(await failure { try await router.pay(ScriptedProvider.link, as: .careless) }?.phase == .answered)
        #expect(await journal.unfinished().isEmpty)
    }

    @Test("A copy that surely never left is none")
    func firstNeverLeft() async throws {
        let sent = Tally()
        let network = RecordingTransport { request throws(TransportError) in
            sent.count("sent")
            if sent["sent"] == 1 { throw TransportError(.notSent, .connectFailed("x"), origin: request.url.origin) }
            return HTTPResponse(status: 402)
        }
        let clock = VirtualClock()
        let journal = InMemoryJournal()
        let router = try PaymentRouter(
            of: Self.provider(sendsAgainItself: false),
            transport: LayeredTransport(network, [RetryMiddleware(clock: clock)]), journal: journal, clock: clock)
        #expect(await failure { try await router.pay(ScriptedProvider.link, as: .careless) }?.phase == .answered)
        #expect(sent["sent"] == 2)
        #expect(await journal.unfinished().isEmpty)
    }
}
