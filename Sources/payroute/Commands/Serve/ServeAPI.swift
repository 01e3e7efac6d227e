import PaymentCore
import PaymentLoopback
import PaymentRouting
import PaymentTesting
import SandboxSupport

/// The interface of `payroute serve`: finds the endpoint of a request, checks who calls, and answers in JSON.
struct ServeAPI: SandboxService {
    /// A request that reached its endpoint.
    struct Call: Sendable {
        let access: ServeTokens.Access
        /// The parts of the path that the endpoint leaves open.
        let names: [String]
        let request: HTTPRequest
        /// The parameters behind the path.
        let query: [String: String]
    }

    let vendors: SandboxVendors
    let session: ServiceSession
    let payments: ServePayments
    let quotes: ServeQuotes
    let metrics: ServeMetrics
    /// The tokens that are taken; nil takes every caller of this machine.
    let tokens: ServeTokens?
    let clock: any PaymentClock

    func respond(to request: HTTPRequest) async -> HTTPResponse {
        guard case .response(let response) = await answer(to: request) else { return HTTPResponse(status: 406) }
        return response
    }

    func answer(to request: HTTPRequest) async -> SandboxAnswer {
        let answer: SandboxAnswer
        do { answer = try await found(request) } catch let error as ServeError {
            answer = Self.json(error.status, error.json, error.headers)
        } catch let error as PaymentError {
            let error = ServeError(error)
            answer = Self.json(error.status, error.json)
        } catch {
            let error = ServeError(503, "unavailable", "the call could not be finished; ask again")
            answer = Self.json(error.status, error.json)
        }
        switch answer {
        case .response(let response), .stream(let response, _): metrics.answer(response.status)
        default: break
        }
        return answer
    }

    private func found(_ request: HTTPRequest) async throws -> SandboxAnswer {
        // Browsers set it on every request of a page that changes something, and on every one to another origin.
        guard request.headers["Origin"] == nil else {
            throw ServeError(403, "browser-refused", "pages of a browser are no clients; call from a program")
        }
        let path = request.url.path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map(String.init)
        let endpoints = ServeEndpoint.all.filter { $0.names(in: path) != nil }
        let isOpenToAll = !endpoints.isEmpty && endpoints.allSatisfy { $0.scope == nil }
        guard let tokens, !isOpenToAll else { return try await call(endpoints, path, request, by: .local) }
        guard let access = tokens.access(request.headers) else {
            throw ServeError(
                401, "token-missing", "this needs a token that is known: send 'Authorization: Bearer <token>'",
                headers: ["WWW-Authenticate": "Bearer"])
        }
        return try await call(endpoints, path, request, by: access)
    }

    private func call(
        _ endpoints: [ServeEndpoint], _ path: [String], _ request: HTTPRequest, by access: ServeTokens.Access
    ) async throws -> SandboxAnswer {
        guard !endpoints.isEmpty else { throw ServeError.notFound }
        guard let endpoint = endpoints.first(where: { $0.method == request.method }) else {
            let methods = endpoints.map(\.method.rawValue).joined(separator: ", ")
            throw ServeError(405, "method-refused", "this takes \(methods)", headers: ["Allow": methods])
        }
        if let scope = endpoint.scope, !access.scopes.contains(scope) {
            throw ServeError(403, "scope-missing", "the token lacks the scope '\(scope.rawValue)'")
        }
        let call = Call(
            access: access, names: endpoint.names(in: path) ?? [], request: request,
            query: try Self.query(request.url.query, endpoint.query))
        return try await endpoint.answer(self, call)
    }

    private static func query(_ text: String?, _ names: Set<String>) throws(ServeError) -> [String: String] {
        var query: [String: String] = [:]
        for part in text?.split(separator: "&") ?? [] {
            let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard halves.count == 2, names.contains(halves[0]), query.updateValue(halves[1], forKey: halves[0]) == nil
            else {
                throw .malformed("the parameter '\(Printable.short(halves[0], 40))' is not known here, or comes twice")
            }
        }
        return query
    }

    // MARK: Answers

    static func json(_ status: Int, _ json: JSONValue, _ headers: HTTPHeaders = [:]) -> SandboxAnswer {
        bytes(status, json.serialized() + Array("\n".utf8), "application/json", adding: headers)
    }

    static func bytes(
        _ status: Int, _ body: [UInt8], _ type: String, adding headers: HTTPHeaders = [:]
    ) -> SandboxAnswer {
        var headers = headers
        headers["Content-Type"] = type
        headers["Cache-Control"] = "no-store"
        headers["X-Content-Type-Options"] = "nosniff"
        return .response(HTTPResponse(status: status, headers: headers, body: body))
    }
}

/// One method of one path of the interface.
struct ServeEndpoint: Sendable {
    let method: HTTPRequest.Method
    /// The path, as in the description: `{…}` stands for any one part.
    let path: String
    /// The right that it needs; nil where anyone may ask.
    let scope: ServeScope?
    /// The parameters that it takes behind the path.
    var query: Set<String> = []
    let answer: @Sendable (ServeAPI, ServeAPI.Call) async throws -> SandboxAnswer

    /// Returns the open parts of a path; nil where it is another's.
    func names(in path: [String]) -> [String]? {
        let own = self.path.split(separator: "/")
        guard own.count == path.count else { return nil }
        var names: [String] = []
        for (part, actual) in zip(own, path) {
            if part.hasPrefix("{") {
                guard !actual.isEmpty, actual.utf8.count <= 100 else { return nil }
                names.append(actual)
            } else if part != actual {
                return nil
            }
        }
        return names
    }

    static let all: [ServeEndpoint] = [
        .init(method: .get, path: "/health", scope: nil) { _, _ in ServeAPI.json(200, ["status": "ok"]) },
        .init(method: .get, path: "/ready", scope: .read) { try await $0.ready($1) },
        .init(method: .get, path: "/metrics", scope: .read) { api, _ in
            ServeAPI.bytes(200, Array(api.metrics.text.utf8), "text/plain; version=0.0.4")
        },
        .init(method: .get, path: "/openapi.json", scope: .read) { _, _ in
            ServeAPI.bytes(200, Array(ServeDescription.text.utf8), "application/json")
        },
        .init(method: .post, path: "/v1/readings", scope: .read) { try $0.reading($1) },
        .init(method: .post, path: "/v1/decisions", scope: .read) { try $0.decision($1) },
        .init(method: .post, path: "/v1/quotes", scope: .read) { try await $0.quote($1) },
        .init(method: .post, path: "/v1/payments", scope: .pay) { try await $0.begin($1) },
        .init(method: .get, path: "/v1/payments", scope: .read, query: ["before", "limit"]) { try await $0.list($1) },
        .init(method: .get, path: "/v1/payments/{id}", scope: .read, query: ["wait"]) { try await $0.look($1) },
        .init(method: .get, path: "/v1/payments/{id}/events", scope: .read) { try await $0.events($1) },
        .init(method: .post, path: "/v1/payments/{id}/resume", scope: .pay) { try await $0.resume($1) },
        .init(method: .post, path: "/v1/payments/{id}/cancel", scope: .pay) { try await $0.cancel($1) },
        .init(method: .post, path: "/v1/payments/{id}/actions/{action}", scope: .pay) { try await $0.act($1) },
        .init(method: .post, path: "/v1/refunds", scope: .refund) { try await $0.refund($1) },
        .init(method: .post, path: "/v1/captures", scope: .refund) { try await $0.capture($1) },
        .init(method: .post, path: "/v1/cancellations", scope: .refund) { try await $0.cancelAsMerchant($1) },
        .init(method: .post, path: "/v1/returns", scope: .notify) { try await $0.takeReturn($1) },
        .init(method: .post, path: "/v1/notifications/{provider}", scope: .notify) { try await $0.notify($1) },
    ]
}
