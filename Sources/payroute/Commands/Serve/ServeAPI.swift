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
    /// The tokens that are taken. If nil, every caller of this machine is taken.
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

// MARK: - Endpoints

/// One method of one path of the interface.
struct ServeEndpoint: Sendable {
    let method: HTTPRequest.Method
    /// The path, as in the description: `{…}` stands for any one part.
    let path: String
    /// The right that it needs, or nil if every caller may ask.
    let scope: ServeScope?
    /// The parameters that it takes behind the path.
    var query: Set<String> = []
    let answer: @Sendable (ServeAPI, ServeAPI.Call) async throws -> SandboxAnswer

    /// Returns the open parts of a path, or nil if the path is another endpoint's.
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

// MARK: - Texts, quotes and payments

/// Texts, quotes and payments.
extension ServeAPI {
    /// The largest number of payments on a page, and the default.
    private static let (pageLimit, usualPage) = (200, 50)
    /// The longest that a call waits for a change, in seconds.
    private static let longestWait = 60
    /// The pause between two signs of life in a stream of events.
    private static let heartbeat = Duration.seconds(15)

    func ready(_ call: Call) async throws -> SandboxAnswer {
        try await payments.checkIsReady()
        try await payments.checkFiles()
        return Self.json(200, ["status": "ready"])
    }

    // MARK: Texts

    func reading(_ call: Call) throws -> SandboxAnswer {
        let inspected = try inspected(call)
        var line: [UInt8] = []
        inspected.report.write(to: &line, with: inspected.inspection, reading: inspected.reading)
        return Self.bytes(200, line, "application/json")
    }

    func decision(_ call: Call) throws -> SandboxAnswer {
        let inspected = try inspected(call)
        var line: [UInt8] = []
        inspected.report.write(to: &line, reading: inspected.reading)
        return Self.bytes(200, line, "application/json")
    }

    private func inspected(_ call: Call) throws(ServeError) -> InspectedText {
        let text = try ServeBody(call.request.body, ["text"]).required("text")
        let context = ReadingContext(vendors, session.router.registry, at: clock.now)
        return InspectedText(text, session.router.route(text), in: context)
    }

    // MARK: Quotes

    func quote(_ call: Call) async throws -> SandboxAnswer {
        let body = try ServeBody(call.request.body, ["link", "accounts", "amount", "acceptingUnverified"])
        let order = try order(body)
        let decision = session.router.route(order.link)
        guard case .matched(let route) = decision else { throw PaymentError(.unroutable, decision.explanation) }
        let quote = try await session.router.quote(
            route, as: payments.payers.quoter(order), acceptingUnverified: order.acceptsUnverified)
        let id = await quotes.keep(quote, order, of: call.access.tenant)
        var json = JSONValue.object(ServePayer.terms(quote))
        json["id"] = .string(id)
        json["expires"] = quote.expiresAt.map { .string(AttemptSummary.text($0)) } ?? .null
        json["options"] = .array(quote.options.map(\.members))
        json["outcome"] = quote.outcome.map { ServeOutcome.json(.stated($0)) } ?? .null
        json["provider"] = .string(quote.reference.provider.rawValue)
        json["reference"] = .string(quote.reference.id)
        return Self.json(200, json)
    }

    private func order(_ body: ServeBody) throws(ServeError) -> ServeOrder {
        let order = try ServeOrder(body, link: try body.required("link"))
        // The server's wallet signs for its own accounts only.
        guard order.accounts.isEmpty || payments.payers.wallet == nil else {
            throw .malformed("this server pays with its own wallet; leave 'accounts' out")
        }
        return order
    }

    // MARK: Payments

    func begin(_ call: Call) async throws -> SandboxAnswer {
        let tenant = call.access.tenant
        let keys = call.request.headers.values("Idempotency-Key")
        guard keys.count == 1, let key = keys.first, (1...255).contains(key.utf8.count),
            key.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else {
            throw ServeError(
                400, "key-missing",
                "give each payment its own Idempotency-Key: 1 to 255 visible ASCII characters without blanks")
        }
        let body = try ServeBody(call.request.body, ServeOrder.names.union(["quote"]))
        var seen: (quote: PaymentQuote, order: ServeOrder)?
        if let id = try body.text("quote") {
            guard !["link", "accounts", "amount", "acceptingUnverified"].contains(where: body.has) else {
                throw ServeError.malformed("'quote' stands for the link and all that it was quoted with; give it alone")
            }
            seen = await quotes.quote(id, of: tenant)
        }
        let digest = body.digest
        let order: ServeOrder
        if let seen {
            order = try ServeOrder(body, quoted: seen.order, seen.quote)
        } else if body.has("quote") {
            // If the key is known, the quote is not needed.
            guard let known = try await payments.known(key, digest: digest, of: tenant) else {
                throw ServeError(404, "not-found", "this quote is gone; ask for another")
            }
            return Self.json(200, try await payments.json(known, of: tenant))
        } else {
            order = try self.order(body)
        }
        let (id, isNew) = try await payments.begin(order, key: key, digest: digest, of: tenant, quote: seen?.quote)
        return Self.json(
            isNew ? 201 : 200, try await payments.json(id, of: tenant), ["Location": "/v1/payments/\(id)"])
    }

    func list(_ call: Call) async throws -> SandboxAnswer {
        let limit = try Self.number(call, "limit", 1...Self.pageLimit) ?? Self.usualPage
        let page = try await payments.page(of: call.access.tenant, before: call.query["before"], limit: limit)
        let next = page.count == limit ? page.last?["id"] ?? .null : .null
        return Self.json(200, ["payments": .array(page), "before": next])
    }

    func look(_ call: Call) async throws -> SandboxAnswer {
        let (id, tenant) = (call.names[0], call.access.tenant)
        guard let wait = try Self.number(call, "wait", 0...Self.longestWait) else {
            return Self.json(200, try await payments.json(id, of: tenant))
        }
        // Listens first, so that no change is missed between the look and the wait.
        let changes = await payments.changes(of: id)
        guard try await isRunning(id, tenant) else { return Self.json(200, try await payments.json(id, of: tenant)) }
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for await _ in changes {
                    if (try? await isRunning(id, tenant)) != true { return }
                }
            }
            group.addTask { [clock] in try? await clock.sleep(for: .seconds(wait)) }
            await group.next()
            group.cancelAll()
        }
        return Self.json(200, try await payments.json(id, of: tenant))
    }

    func resume(_ call: Call) async throws -> SandboxAnswer {
        _ = try ServeBody(call.request.body, [])
        try await payments.resume(call.names[0], of: call.access.tenant)
        return Self.json(202, try await payments.json(call.names[0], of: call.access.tenant))
    }

    func cancel(_ call: Call) async throws -> SandboxAnswer {
        _ = try ServeBody(call.request.body, [])
        try await payments.cancel(call.names[0], of: call.access.tenant)
        return Self.json(200, try await payments.json(call.names[0], of: call.access.tenant))
    }

    func act(_ call: Call) async throws -> SandboxAnswer {
        let (id, tenant) = (call.names[0], call.access.tenant)
        _ = try await payments.find(id, of: tenant)
        try await payments.actions.answer(call.names[1], of: id, with: call.request.body)
        return Self.json(202, try await payments.json(id, of: tenant))
    }

    // MARK: Events

    func events(_ call: Call) async throws -> SandboxAnswer {
        let (id, tenant) = (call.names[0], call.access.tenant)
        let changes = await payments.changes(of: id)
        let first = try await payments.json(id, of: tenant)
        let stream = SandboxStream()
        let sender = Task {
            guard Self.send("payment", first, on: stream), first["state"] != "ended" else { return stream.finish() }
            for await note in changes {
                if let note {
                    guard Self.send("note", ["message": .string(Printable.text(note))], on: stream) else { break }
                    continue
                }
                guard let now = try? await payments.json(id, of: tenant), Self.send("payment", now, on: stream),
                    now["state"] != "ended"
                else { break }
            }
            stream.finish()
        }
        // If nothing happens to the payment, only this detects that the reader has gone.
        Task { [clock] in
            repeat { try? await clock.sleep(for: Self.heartbeat) } while stream.send(Array(":\n\n".utf8))
            sender.cancel()
        }
        let headers: HTTPHeaders = ["Content-Type": "text/event-stream", "Cache-Control": "no-store"]
        return .stream(HTTPResponse(status: 200, headers: headers), stream)
    }

    private static func send(_ event: String, _ json: JSONValue, on stream: SandboxStream) -> Bool {
        stream.send(Array("event: \(event)\ndata: ".utf8) + json.serialized() + Array("\n\n".utf8))
    }

    private func isRunning(_ id: String, _ tenant: String) async throws -> Bool {
        try await payments.json(id, of: tenant)["state"] == "running"
    }

    private static func number(_ call: Call, _ name: String, _ range: ClosedRange<Int>) throws(ServeError) -> Int? {
        guard let text = call.query[name] else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw .malformed("the parameter '\(name)' is not a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }
}

// MARK: - Merchants, services and returns

/// Merchants' calls, services' notifications, and payers' returns.
extension ServeAPI {
    func refund(_ call: Call) async throws -> SandboxAnswer {
        let body = try ServeBody(call.request.body, ["payment", "amount", "id"])
        let payment = try await payment(body)
        guard let amount = try body.money("amount") else {
            throw ServeError.malformed("the member 'amount' is missing")
        }
        let request = RefundRequest(of: payment, amount: amount, id: try body.required("id"))
        return Self.json(200, Self.json(request.reference, try await session.router.refund(request)))
    }

    func capture(_ call: Call) async throws -> SandboxAnswer {
        let body = try ServeBody(call.request.body, ["payment", "amount"])
        let payment = try await payment(body)
        guard let amount = try body.money("amount") else {
            throw ServeError.malformed("the member 'amount' is missing")
        }
        let request = CaptureRequest(of: payment, amount: amount)
        return Self.json(200, Self.json(request.reference, try await session.router.capture(request)))
    }

    func cancelAsMerchant(_ call: Call) async throws -> SandboxAnswer {
        let payment = try await payment(try ServeBody(call.request.body, ["payment"]))
        return Self.json(200, Self.json(payment, try await session.router.cancel(payment)))
    }

    /// Takes a payer's return. It may be about any tenant's payment, so the answer names neither the payment nor its
    /// outcome.
    func takeReturn(_ call: Call) async throws -> SandboxAnswer {
        let url = try ServeBody(call.request.body, ["url"]).required("url")
        let outcome: PaymentOutcome?
        do throws(PaymentError) { outcome = try await session.router.handle(url) } catch {
            guard error.code != .foreignReturn else { return Self.json(200, ["taken": false]) }
            throw error
        }
        return Self.json(200, ["taken": .bool(outcome != nil)])
    }

    /// Takes a service's notification byte for byte, because its signature covers the bytes.
    func notify(_ call: Call) async throws -> SandboxAnswer {
        var headers = call.request.headers
        // The caller's token is not the service's.
        headers["Authorization"] = nil
        let handled = try await session.router.handle(
            IncomingNotification(headers: headers, body: call.request.body),
            from: ProviderID(rawValue: call.names[0]))
        return Self.json(200, Self.json(handled.reference, handled.outcome))
    }

    private func payment(_ body: ServeBody) async throws -> PaymentReference {
        guard let payment = PaymentName.reference(try body.required("payment"), session.router) else {
            throw ServeError.malformed("the member 'payment' names none: give provider/id, or its link")
        }
        return await session.asMerchant(payment)
    }

    private static func json(_ reference: PaymentReference, _ outcome: PaymentOutcome) -> JSONValue {
        [
            "provider": .string(reference.provider.rawValue), "reference": .string(reference.id),
            "subject": .string(reference.subject.kind), "outcome": ServeOutcome.json(.stated(outcome)),
        ]
    }
}

// MARK: - Quotes

/// Quotes that callers have seen, for their payments. They live as long as the process.
actor ServeQuotes {
    /// The most quotes that are kept. The oldest go first.
    private static let limit = 1000

    private let random: any RandomSource
    private var order: [String] = []
    private var kept: [String: (tenant: String, quote: PaymentQuote, order: ServeOrder)] = [:]

    init(random: any RandomSource = SystemRandomSource()) { self.random = random }

    /// Keeps a quote, and returns its id.
    func keep(_ quote: PaymentQuote, _ request: ServeOrder, of tenant: String) -> String {
        let id = random.id("quo_")
        if order.count == Self.limit { kept[order.removeFirst()] = nil }
        order.append(id)
        kept[id] = (tenant, quote, request)
        return id
    }

    /// Returns a tenant's quote.
    func quote(_ id: String, of tenant: String) -> (quote: PaymentQuote, order: ServeOrder)? {
        guard let found = kept[id], found.tenant == tenant else { return nil }
        return (found.quote, found.order)
    }
}
