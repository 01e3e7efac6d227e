import PaymentCore
import PaymentRouting
import PaymentTesting
import TestSupport
import Testing

/// Requests that had an effect, before a later one of their step fails.
@Suite("Steps of several requests")
struct StepScopeTests {
    /// The continuation of a step after a request that was carried out.
    enum Next: Sendable, CaseIterable {
        case refusedRequest, refusedQuestion, lostQuestion, undeclaredHost, invalidHeader, ownRefusal
        case ownError, foreignError, token
    }

    private struct ForeignError: Error {}

    /// The first answer of the service, which has taken the money in spite of it.
    private static let answers = [200, 202, 302, 409, 500]

    private static func provider(_ next: Next) -> ScriptedProvider {
        var provider = ScriptedProvider()
        provider.statusBody = { _, _ in .pending(retryAfter: nil) }
        provider.payBody = { attempt, context in
            _ = try await context.step("charge", .mutation(replay: .never)) {
                _ = try await context.http.send(.capture())
                switch next {
                case .refusedRequest: _ = try await context.json(.post, try url("receipt"), body: [:]) as JSONValue
                case .refusedQuestion, .lostQuestion:
                    _ = try await context.json(.get, try url("receipt")) as JSONValue
                case .undeclaredHost: _ = try await context.http.send(.capture(host: "elsewhere.example"))
                case .invalidHeader: throw PaymentError(.integrity, "a field that no request may have")
                case .ownRefusal:
                    _ = try await context.http.send(HTTPRequest(.get, try url("receipt")))
                    throw PaymentError(.requestRefused, "refused", phase: .answered)
                case .ownError:
                    throw TransportError(.notSent, .invalidRequest("Host"), origin: "https://api.acme.example")
                case .foreignError: throw ForeignError()
                case .token:
                    var request = HTTPRequest(.post, try url("token"))
                    request.changesNothing = true
                    _ = try await context.http.send(request)
                    throw PaymentError(.requestRefused, "refused", phase: .answered)
                }
                return true
            }
            return .succeeded(PaymentReceipt(reference: attempt.reference))
        }
        return provider
    }

    private static func url(_ path: String) throws -> HTTPURL { try HTTPURL("https://api.acme.example/\(path)") }

    /// The gateway: it takes money at each capture, whatever it answers, and refuses all else.
    private static func network(_ first: Int, _ next: Next, _ captures: Tally) -> RecordingTransport {
        RecordingTransport { request throws(TransportError) in
            guard request.url.path == "/capture" else {
                if next == .lostQuestion {
                    throw TransportError(.maybeSent, .connectionLost("x"), origin: request.url.origin)
                }
                return HTTPResponse(status: next == .token ? 200 : 404)
            }
            captures.count("capture")
            return HTTPResponse(status: first)
        }
    }

    @Test("The failure of a later request leaves the fate of the first open", arguments: Next.allCases, answers)
    func later(next: Next, first: Int) async throws {
        let captures = Tally()
        let journal = InMemoryJournal()
        let router = try PaymentRouter(
            of: Self.provider(next), transport: Self.network(first, next, captures), journal: journal,
            clock: VirtualClock())
        for _ in 0..<3 {
            do {
                #expect(
                    try await router.pay(ScriptedProvider.link, as: .careless).unknownOutcome != nil, "it is stated")
            } catch { #expect(error.phase == .maybeSent, "\(error)") }
        }
        #expect(captures["capture"] == 1)
        #expect(await journal.unfinished().count == 1)
    }

    @Test("An answer leaves the fate of a mutation open, and not that of a question", arguments: [true, false])
    func phase(isMutation: Bool) async throws {
        let context = ProviderContext.unstored(
            hosts: ["api.acme.example"], http: RecordingTransport(), clock: VirtualClock())
        let error = await #expect(throws: PaymentError.self) {
            try await context.step("ask", isMutation ? .mutation(replay: .never) : .query) { () -> Bool in
                _ = try await context.http.send(HTTPRequest(.post, try Self.url("ask"), replay: .safe))
                throw PaymentError(.integrity, "the answer is not about this payment")
            }
        }
        #expect(error?.phase == (isMutation ? .maybeSent : .beforeSend))
    }

    @Test("A step with a lost answer has sent something, whatever its provider throws")
    func lostAnswer() async throws {
        let transport = RecordingTransport { request throws(TransportError) in
            throw TransportError(.maybeSent, .connectionLost("x"), origin: request.url.origin)
        }
        let context = ProviderContext.unstored(hosts: ["api.acme.example"], http: transport, clock: VirtualClock())
        let claim = PaymentError(.network, "nothing was sent")
        let scope = StepScope(.mutation(replay: .never))
        #expect(scope.hasSentNothing(claim))
        await StepScope.$current.withValue(scope) {
            _ = try? await context.http.send(HTTPRequest(.post, try Self.url("charge")))
        }
        #expect(transport.requests.count == 1 && !scope.hasSentNothing(claim) && !scope.isWithoutEffect(claim))
    }

    @Test("An answer that proves that nothing was done, and a token that was asked for, leave a refusal what it is")
    func refused() async throws {
        for first in [400, 401, 403, 404, 422] {
            let captures = Tally()
            let journal = InMemoryJournal()
            let router = try PaymentRouter(
                of: Self.provider(.token), transport: Self.network(first, .token, captures), journal: journal,
                clock: VirtualClock())
            await #expect(throws: PaymentError.self) { try await router.pay(ScriptedProvider.link, as: .careless) }
            #expect(await journal.unfinished().isEmpty, "\(first)")
        }
    }
}
