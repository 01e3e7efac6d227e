import PaymentCore
import PaymentRouting
import PaymentTesting

/// Texts, quotes and payments.
extension ServeAPI {
    /// The most payments of a page, and how many it has where nothing is said.
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
        // Its own accounts are the ones that it signs for.
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
            // The key may be known, and then the quote is not needed.
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
        // Listens first, so that nothing is missed between the look and the waiting.
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
        // A reader that has gone is noticed by this alone, where nothing happens to the payment.
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

/// Quotes that callers have seen, for their payments. They live as long as the process.
actor ServeQuotes {
    /// The most quotes that are kept; the oldest go first.
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
