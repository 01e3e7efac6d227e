import PaymentCore
import PaymentCrypto
import PaymentTesting
import Synchronization

/// A tenant's application, which has one order paid over the interface of a server: it repeats calls, waits, answers
/// what is asked for, cancels, and leaves.
struct Application: Sendable {
    let life: Life
    let seat: Life.Seat
    let face: any PaymentFace
    let views: ServedViews
    let wallets: CallersWallets
    let order: ServedOrder
    /// The moment at which the process began.
    let start: Int

    private var random: SeededRandomSource { life.random }
    private var isHealed: Bool { life.world.faults == .none }

    /// Has the order paid for some time.
    func live() async {
        await pause(upTo: 5000)
        guard var view = await begin() else { return }
        for _ in 0..<(2 + random.below(8)) {
            guard !seat.process.isDead, view["state"] != "ended" else { return }
            if random.happens(0.12) { await post("/cancel", of: view) }
            if random.happens(0.1) { _ = await begin() }
            if random.happens(0.1) { await trespass(view) }
            if await !advance(view) { await pause(upTo: random.happens(0.8) ? 3000 : 400_000) }
            let wait = random.happens(0.6) ? "?wait=\(1 + random.below(60))" : ""
            view = await look(view, wait) ?? view
        }
    }

    /// Brings the order nearer to its end, once everything has healed.
    func converge() async {
        guard let view = await begin(), view["state"] != "ended" else { return }
        _ = await advance(view)
        _ = await look(view, "?wait=20")
    }

    /// Asks for what has to be refused: the payment by the other tenant's token, and another request by its key.
    private func trespass(_ view: JSONValue) async {
        let path = "/v1/payments/\(view["id"]?.string ?? "")"
        let other = Tenant.names.first { $0 != order.tenant } ?? ""
        if let (status, _) = await call(.get, path, by: other), status == 200 {
            await views.breach(order, "is shown to \(other)")
        }
        var body = order.body
        body["acceptingUnverified"] = false
        if let (status, _) = await call(.post, "/v1/payments", body, key: order.key), (200..<300).contains(status) {
            await views.breach(order, "stands for two requests")
        }
    }

    // MARK: Calls

    /// Sends the order, again if it was sent before.
    private func begin() async -> JSONValue? {
        switch order.choice {
        case .asked, .within: return await send(order.body)
        case .quoted, .named: break
        }
        // A quote that was taken is remembered by the application.
        if let body = wallets.body(of: order) { return await send(body) }
        let question: JSONValue = ["acceptingUnverified": true, "link": .string(order.link)]
        guard let (status, quote) = await call(.post, "/v1/quotes", question), status == 200 else { return nil }
        let usable = (quote["options"]?.array ?? []).filter { $0["unmet"]?.array?.isEmpty ?? true }
        guard let id = quote["id"], !usable.isEmpty else { return nil }
        let option = random.pick(usable)
        guard let name = option["id"] else { return nil }
        await views.begins(order)
        guard case .quoted = order.choice else {
            var body = order.body
            body["option"] = name
            return await send(wallets.keep(body, of: order))
        }
        await views.shows(option, of: order)
        return await send(wallets.keep(["quote": id, "option": name], of: order))
    }

    private func send(_ body: JSONValue) async -> JSONValue? {
        await views.begins(order)
        let answer = await call(.post, "/v1/payments", body, key: order.key)
        // The quote went with its process, and the key is not known: the next quote is another.
        if answer?.status == 404 {
            wallets.forget(order)
            await views.forget(order)
        }
        return await hear(answer)
    }

    private func look(_ view: JSONValue, _ query: String) async -> JSONValue? {
        await hear(await call(.get, "/v1/payments/\(view["id"]?.string ?? "")\(query)"))
    }

    @discardableResult
    private func post(_ path: String, of view: JSONValue, _ body: JSONValue = [:]) async -> JSONValue? {
        await hear(await call(.post, "/v1/payments/\(view["id"]?.string ?? "")\(path)", body))
    }

    private func hear(_ answer: (status: Int, json: JSONValue)?) async -> JSONValue? {
        guard let answer, (200..<300).contains(answer.status) else { return nil }
        await views.hear(answer.json, of: order, by: seat.doer, since: start)
        return answer.json
    }

    /// Calls the interface. Nothing is heard from a process that has ended, nor from one that does not answer.
    private func call(
        _ method: HTTPRequest.Method, _ path: String, _ body: JSONValue? = nil, key: String? = nil,
        by tenant: String? = nil
    ) async -> (status: Int, json: JSONValue)? {
        guard !seat.process.isDead, let url = try? HTTPURL("http://127.0.0.1:1\(path)") else { return nil }
        var headers: HTTPHeaders = ["Authorization": "Bearer \(tenant ?? order.tenant)"]
        headers["Idempotency-Key"] = key
        let request = HTTPRequest(method, url, headers: headers, body: body?.serialized() ?? [])
        let (face, doer, number, witness) = (face, seat.doer, life.witness.tick(), life.witness)
        let response = await Calls(life: life, seat: seat).within(.seconds(200)) {
            await Acting.$doer.withValue(doer) {
                await Acting.$call.withValue(number) {
                    // The terms of the order are the payer's answer.
                    witness.asks()
                    return await face.answer(request)
                }
            }
        }
        guard let response, !seat.process.isDead else { return nil }
        let json = (try? JSONValue(parsing: response.body)) ?? .null
        life.world.note(
            "\(tenant ?? order.tenant) \(order.key) \(method.rawValue) \(path): \(response.status) "
                + "\(json["state"]?.string ?? "") "
                + "\(json["outcome"]?["outcome"]?.string ?? "") \(json["error"]?["code"]?.string ?? "") "
                + (json["outcome"]?["reason"]?.string ?? ""))
        return (response.status, json)
    }

    // MARK: Answers

    /// Answers what the payment asks for, or resumes it.
    ///
    /// - Returns: false if there was nothing to do.
    private func advance(_ view: JSONValue) async -> Bool {
        switch view["state"]?.string {
        case "interrupted":
            guard isHealed || random.happens(0.5) else { return false }
            await post("/resume", of: view)
            return true
        case "waiting":
            guard let question = view["action"], let id = question["id"]?.string,
                let answer = await answer(to: question, of: view)
            else { return false }
            guard isHealed || random.happens(0.85) else { return false }
            if random.happens(0.1), !isHealed { await pause(upTo: 1_500_000) }
            for _ in 0..<(random.happens(0.15) ? 2 : 1) { await post("/actions/\(id)", of: view, answer) }
            return true
        default: return false
        }
    }

    private func answer(to question: JSONValue, of view: JSONValue) async -> JSONValue? {
        let decline: JSONValue = ["decline": true]
        switch question["kind"]?.string {
        case "choose":
            let usable = (question["options"]?.array ?? []).filter { $0["unmet"]?.array?.isEmpty ?? true }
            guard !usable.isEmpty, !random.happens(0.1), let name = usable[random.below(usable.count)]["id"] else {
                await views.refuses(order)
                return decline
            }
            for option in usable where option["id"] == name { await views.shows(option, of: order) }
            return ["option": name]
        case "amount": return ["amount": ["amount": "0.00002100", "unit": question["unit"] ?? .null]]
        case "settle":
            guard isHealed || random.happens(0.8),
                let market = life.markets[order.payment.reference.provider] as? any CallersMarket
            else { return nil }
            let answer = wallets.answer(to: question, of: order.tenant, at: market, random)
            if answer != decline, let attempt = attempt(asking: question) { life.witness.settles(for: attempt) }
            return answer
        default: return decline
        }
    }

    /// Returns the attempt that asks for a settlement: the open one under its name that may have begun it.
    private func attempt(asking question: JSONValue) -> AttemptID? {
        let asking = seat.device.disk.histories.filter { history in
            history.attempt.key(for: StepKind.settlementName) == question["settlement"]?.string
                && history.authorities.settler != nil
        }
        return (asking.last { !$0.isFinished } ?? asking.last)?.attempt.id
    }

    private func pause(upTo milliseconds: Int) async {
        try? await seat.process.clock.sleep(for: .milliseconds(random.below(milliseconds)))
    }
}

/// The memory of the tenants' applications: each tenant has one answer for each settlement, whatever becomes of it.
final class CallersWallets: Sendable {
    private let answers = Mutex<[String: JSONValue]>([:])
    private let bodies = Mutex<[Int: JSONValue]>([:])

    /// Pays a settlement, or refuses to, once.
    func answer(
        to question: JSONValue, of tenant: String, at market: any CallersMarket, _ random: SeededRandomSource
    ) -> JSONValue {
        let name = "\(tenant) \(question["settlement"]?.string ?? "")"
        if let known = answers.withLock({ $0[name] }) { return known }
        let answer: JSONValue = random.happens(0.25) ? ["decline": true] : market.pay(question)
        answers.withLock { $0[name] = answer }
        return answer
    }

    func body(of order: ServedOrder) -> JSONValue? { bodies.withLock { $0[order.number] } }

    /// Forgets the request of an order.
    func forget(_ order: ServedOrder) { bodies.withLock { $0[order.number] = nil } }

    /// Keeps the request of an order, unless there is one.
    func keep(_ body: JSONValue, of order: ServedOrder) -> JSONValue {
        bodies.withLock { bodies in
            let kept = bodies[order.number] ?? body
            bodies[order.number] = kept
            return kept
        }
    }
}

// MARK: - Order

/// A tenant's wish to pay something, under a key.
struct ServedOrder: Sendable {
    /// The choice of an option.
    enum Choice: Sendable {
        /// The caller is asked.
        case asked
        /// Anything that costs at most one of these amounts.
        case within([Money])
        /// An option of a quote that the caller has seen before.
        case quoted
        /// An option by its name, at the price of the first view that has one.
        case named
    }

    let number: Int
    let tenant: String
    let key: String
    let payment: MarketPayment
    let link: String
    let choice: Choice

    /// The request; the quote of a quoted order is added to it.
    var body: JSONValue {
        var body: JSONValue = ["acceptingUnverified": true, "link": .string(link)]
        if case .within(let limits) = choice { body["limits"] = .array(limits.map(Self.json)) }
        return body
    }

    /// Draws the orders of a payment: a few keys, some of them of the other tenant, in any spelling of the link.
    static func drawn(
        _ payment: MarketPayment, from number: Int, _ random: SeededRandomSource
    ) throws -> [ServedOrder] {
        let (low, high) = (try limits(1), try limits(100_000))
        return (0..<(1 + random.below(3))).map { index in
            let limits = random.happens(0.3) ? low : high
            let choices: [Choice] = [.asked, .within(high), .within(limits), .quoted, .named]
            return ServedOrder(
                number: number + index, tenant: random.pick(Tenant.names), key: "key-\(number + index)",
                payment: payment, link: random.pick(payment.links), choice: random.pick(choices))
        }
    }

    private static func limits(_ units: UInt128) throws -> [Money] {
        [
            try Money(minorUnits: units, currency: .eur), try Money(minorUnits: units, currency: .usd),
            try Money(minorUnits: units, currency: .satoshi),
        ]
    }

    static func json(_ money: Money) -> JSONValue {
        ["amount": .string(money.decimalText), "unit": .string(money.currency.mainUnit)]
    }

    /// Returns true if an attempt was begun for this key.
    func owns(_ attempt: AttemptID) -> Bool {
        let mark = Hex.encode(Digest.sha256.hash(Array("intent\n\(tenant)\n\(key)".utf8))).prefix(16)
        return attempt.rawValue.hasPrefix("att_" + mark)
    }
}
