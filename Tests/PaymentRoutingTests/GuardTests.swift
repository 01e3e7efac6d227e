import Foundation
import PaymentCore
import PaymentRouting
import TestSupport
import Testing

@Suite("Guarded network")
struct GuardTests {
    private func refusal(
        _ request: @escaping @Sendable () throws -> HTTPRequest, inMutation: Bool
    ) async throws -> (TransportError?, RecordingTransport) {
        try await refusal(request, in: inMutation ? .mutation(replay: .never) : nil)
    }

    private func refusal(
        _ request: @escaping @Sendable () throws -> HTTPRequest, in kind: StepKind?
    ) async throws -> (TransportError?, RecordingTransport) {
        let caught = Collected<TransportError>()
        var world = World()
        world.provider.payBody = { _, context in
            do {
                if let kind {
                    _ = try await context.step("capture", kind) { () -> Int in
                        try await context.http.send(request()).status
                    }
                } else {
                    _ = try await context.http.send(request())
                }
            } catch let error as TransportError {
                caught.add(error)
            }
            return .cancelled
        }
        _ = try await world.pay()
        return (caught.all.last, world.transport)
    }

    @Test(
        "Hosts that were not declared are refused before anything is sent",
        arguments: [
            "evil.example", "api.acme.example:8443", "sub.api.acme.example", "acme.example",
        ])
    func undeclaredHost(host: String) async throws {
        let (error, transport) = try await refusal({ try .capture(host: host) }, inMutation: true)
        #expect(error?.phase == .notSent)
        guard case .hostNotDeclared? = error?.reason else { throw CancellationError() }
        #expect(transport.requests.isEmpty)
    }

    @Test(
        "A declared domain opens the hosts below it, and no others",
        arguments: [
            ("one.acme.example", true), ("a.b.acme.example", true), ("acme.example", false), ("xacme.example", false),
            ("one.acme.example:8443", false),
        ])
    func declaredDomain(host: String, isSent: Bool) async throws {
        var world = World()
        world.provider.descriptor = ProviderDescriptor(
            id: "acme", name: "Acme", patterns: world.provider.descriptor.patterns, outboundHosts: [".acme.example"])
        world.provider.payBody = { attempt, context in
            _ = try await context.step("capture", .mutation(replay: .never)) {
                try await context.http.send(.capture(host: host)).status
            }
            return .succeeded(PaymentReceipt(reference: attempt.reference))
        }
        _ = try? await world.pay()
        #expect(world.transport.requests.count == (isSent ? 1 : 0))
    }

    @Test("What must not be repeated leaves only within a mutation step")
    func mutationStep() async throws {
        let (refused, silent) = try await refusal({ try .capture() }, inMutation: false)
        #expect(refused?.phase == .notSent)
        #expect(silent.requests.isEmpty)
        let (safe, one) = try await refusal({ try .capture(replay: .safe) }, inMutation: false)
        #expect(safe == nil)
        #expect(one.requests.count == 1)
        let (accepted, two) = try await refusal({ try .capture() }, inMutation: true)
        #expect(accepted == nil)
        #expect(two.requests.count == 1)
    }

    @Test("Nor in a step that is run again after an interruption", arguments: [StepKind.query, .interaction])
    func repeatableStep(kind: StepKind) async throws {
        let (refused, silent) = try await refusal({ try .capture() }, in: kind)
        #expect(refused?.phase == .notSent)
        #expect(silent.requests.isEmpty)
        let (safe, one) = try await refusal({ try .capture(replay: .safe) }, in: kind)
        #expect(safe == nil && one.requests.count == 1)
    }

    @Test("A mutation's permission ends with its step")
    func permissionEnds() async throws {
        var world = World()
        world.provider.payBody = { attempt, context in
            _ = try await context.step("capture", .mutation(replay: .never)) { true }
            _ = try await context.http.send(.capture())
            return .succeeded(PaymentReceipt(reference: attempt.reference))
        }
        _ = try? await world.pay()
        #expect(world.transport.requests.isEmpty)
    }

    @Test("What an answer repeats of its request's credentials never reaches the provider")
    func credentials() async throws {
        var world = World()
        world.transport = RecordingTransport { request throws(TransportError) in
            let told = request.headers.fields.map { "\($0.name) \($0.value)" }.joined(separator: ", ")
            let values = request.headers.fields.map(\.value).joined()
            return HTTPResponse(status: 401, body: Array("\(values) refused: \(told), \(told)".utf8))
        }
        let bodies = Collected<String>()
        world.provider.payBody = { attempt, context in
            for (name, value) in [
                ("Authorization", "Bearer bearer-canary"), ("X-Api-Key", "key-canary"),
                ("Cookie", "id=cookie-canary; session=other-canary=="),
                ("X-Access-Token", "token-canary"), ("Client-Secret", "secret-canary"),
                // The shortest one that does not occur by chance.
                ("X-Token", "canary-8"),
                // The replacement itself, as a service may have handed it out.
                ("Authorization", "Bearer <redacted>"),
                ("Authorization", "Digest first-canary, second-canary"),
                // No credentials, or too short to be one; the name of a scheme is none.
                ("Authorization", "Signature short"),
                ("Idempotency-Key", "idempotency-1"), ("Authorization", "Basic ab=="),
            ] {
                let request = HTTPRequest(.get, try HTTPURL("https://api.acme.example/"), headers: [name: value])
                bodies.add(try await context.http.send(request).text)
                let mutation = HTTPRequest(
                    .post, try HTTPURL("https://api.acme.example/"), headers: [name: value], replay: .safe)
                _ = try await context.step("send \(name) \(value.count)", .mutation(replay: .sameKey)) {
                    bodies.add(try await context.http.send(mutation).text)
                    return true
                }
            }
            return .cancelled
        }
        _ = try await world.pay()
        let texts = bodies.all
        #expect(texts.count == 22)
        #expect(texts.allSatisfy { !$0.contains("canary") }, "\(texts)")
        #expect(texts.count { $0.contains("idempotency-1, Idempotency-Key idempotency-1") } == 2)
        #expect(texts.count { $0.contains("Basic ab==") } == 2)
        #expect(texts.count { $0.contains("Authorization Signature short") } == 2)
        #expect(
            texts.first == "Bearer <redacted> refused: Authorization Bearer <redacted>, Authorization Bearer <redacted>"
        )
    }

    @Test(
        "Nor where characters of a credential are escaped",
        arguments: [
            (#""of/a=canary\""#, "<redacted>"),
            (##"{"token":"\"of\/a=canary\\\""}"##, ##"{"token":"<redacted>"}"##),
            (##"{"token":"\"of\/a\u003dcanary\u005C\u0022","n":1}"##, ##"{"token":"<redacted>","n":1}"##),
            (##"\u0022\u006Ff\/a\u003Dcanar\u0079\\\" \u0022of/a=canary\\\""##, "<redacted> <redacted>"),
            // Other texts stay as they are, also where they end within an escape.
            (##"\u0022\u006Ff\/a\u003"##, ##"\u0022\u006Ff\/a\u003"##),
            (##""of/a\u013dcanary\\""##, ##""of/a\u013dcanary\\""##),
            (##"\"of/a=canar\"##, ##"\"of/a=canar\"##),
        ])
    func escapedCredentials(text: String, read: String) async throws {
        var world = World()
        world.transport = RecordingTransport { _ throws(TransportError) in
            HTTPResponse(status: 200, body: Array(text.utf8))
        }
        let bodies = Collected<String>()
        world.provider.payBody = { attempt, context in
            let headers: HTTPHeaders = ["Authorization": #"Bearer "of/a=canary\""#]
            let request = HTTPRequest(.get, try HTTPURL("https://api.acme.example/"), headers: headers)
            bodies.add(try await context.http.send(request).text)
            return .cancelled
        }
        _ = try await world.pay()
        #expect(bodies.all == [read])
    }
}
