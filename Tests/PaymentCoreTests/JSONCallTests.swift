import Foundation
import PaymentCore
import TestSupport
import Testing

/// The short way to call a service, ``ProviderContext/json(_:_:body:headers:idempotencyKey:accepting:as:)``.
@Suite("JSON calls")
struct JSONCallTests {
    private struct Order: Codable, Equatable {
        let id: String
        let price: Int
    }

    private static let origin = "https://api.example"

    private func call(
        _ service: RecordingTransport, _ method: HTTPRequest.Method = .post,
        _ kind: StepKind? = .mutation(replay: .never),
        key: String? = nil
    ) async throws -> Order {
        let context = ProviderContext.unstored(hosts: ["api.example"], http: service, clock: VirtualClock())
        let url = try HTTPURL("\(Self.origin)/orders/1")
        let work = { @Sendable () async throws -> Order in
            try await context.json(
                method, url, body: method == .get ? nil : ["price": 480], idempotencyKey: key)
        }
        guard let kind else { return try await work() }
        return try await context.step("call", kind, work)
    }

    private func failure(
        _ answer: Result<HTTPResponse, TransportError>, _ method: HTTPRequest.Method = .post,
        _ kind: StepKind? = .mutation(replay: .never), key: String? = nil
    ) async throws -> PaymentError {
        do {
            let order = try await call(RecordingTransport(result: answer), method, kind, key: key)
            throw Unexpected(order: "\(order)")
        } catch let error as PaymentError { return error }
    }

    private struct Unexpected: Error { let order: String }

    private static let good = Array(#"{"id":"1","price":480}"#.utf8)

    @Test("A JSON answer is read, and the request is what was asked for")
    func answer() async throws {
        let service = RecordingTransport(result: .success(HTTPResponse(status: 201, body: Self.good)))
        #expect(try await call(service) == Order(id: "1", price: 480))
        let request = try #require(service.requests.first)
        #expect(request.body == Array(#"{"price":480}"#.utf8) && request.replay == .never)
        #expect(request.headers["Content-Type"] == "application/json")
        #expect(request.headers["Accept"] == "application/json" && request.headers["Idempotency-Key"] == nil)
    }

    @Test("A key is sent, and only then may the request be sent again")
    func key() async throws {
        let service = RecordingTransport(result: .success(HTTPResponse(status: 200, body: Self.good)))
        _ = try await call(service, key: "key-7")
        #expect(service.requests.first?.headers["Idempotency-Key"] == "key-7")
        #expect(service.requests.first?.replay == .safe)
    }

    @Test("After a mutation only a proof is a refusal", arguments: [nil, "key-7"])
    func mutations(key: String?) async throws {
        for status in [204, 302, 408, 409, 425, 429, 500, 503] {
            let error = try await failure(.success(HTTPResponse(status: status, body: Self.good)), key: key)
            #expect(error.phase == .maybeSent, "\(status)")
        }
        for status in [400, 402, 404, 422] {
            let error = try await failure(.success(HTTPResponse(status: status, body: Self.good)), key: key)
            #expect(error.phase == .answered, "\(status)")
        }
        for body in ["", "{", #"{"id":"1"}"#, #"{"id":"1","price":"secret"}"#] {
            let error = try await failure(.success(HTTPResponse(status: 200, body: Array(body.utf8))), key: key)
            #expect(error.phase == .maybeSent && error.code == .invalidResponse, "\(body)")
            #expect(!error.message.contains("secret"))
        }
        let lost = TransportError(.maybeSent, .timedOut, origin: Self.origin)
        #expect(try await failure(.failure(lost), key: key).phase == .maybeSent)
        let unsent = TransportError(.notSent, .hostNotFound, origin: Self.origin)
        #expect(try await failure(.failure(unsent), key: key).phase == .beforeSend)
    }

    @Test("A question moves nothing, whatever is answered")
    func questions() async throws {
        for kind in [nil, StepKind.query, .mutation(replay: .never)] {
            for status in [204, 302, 409, 429, 500] {
                let error = try await failure(.success(HTTPResponse(status: status)), .get, kind)
                #expect(error.phase == .answered, "\(status)")
            }
            let lost = TransportError(.maybeSent, .timedOut, origin: Self.origin)
            #expect(try await failure(.failure(lost), .get, kind).phase == .beforeSend)
        }
    }

    @Test("What must not be repeated leaves only from within a mutation step")
    func place() async throws {
        let service = RecordingTransport(result: .success(HTTPResponse(status: 200, body: Self.good)))
        await #expect(throws: PaymentError.self) { try await call(service, .post, .query) }
        await #expect(throws: PaymentError.self) { try await call(service, .post, nil) }
        #expect(service.requests.isEmpty)
    }

    @Test("The error names the field that is missing, and says how long to wait")
    func words() async throws {
        let body = Array(#"{"id":"1"}"#.utf8)
        #expect(
            try await failure(.success(HTTPResponse(status: 200, body: body))).message
                == "the service's answer cannot be read: 'price' is missing")
        func retry(_ text: String, _ status: Int = 503) async throws -> PaymentError.RetryAdvice {
            try await failure(.success(HTTPResponse(status: status, headers: ["Retry-After": text]))).retry
        }
        #expect(try await retry("120") == .after(.seconds(120)))
        #expect(try await retry("120", 429) == .after(.seconds(120)))
        for text in ["-1", "1.5", "", "soon", "Wed, 21 Oct 2026 07:28:00 GMT", "99999999999999999999"] {
            #expect(try await retry(text) == .later, "\(text)")
        }
        // A refusal stays a refusal.
        #expect(try await retry("120", 422) == .never)
    }
}
