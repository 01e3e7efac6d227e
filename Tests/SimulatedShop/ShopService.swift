import Foundation
package import PaymentCore
import PaymentTesting

/// A shop that takes money for any caller, by card or for coins that a wallet has sent, refunds it, cancels payments,
/// and sends notifications. It forgets idempotency keys after a while, as real services do.
package actor ShopService: SandboxService {
    package static let host = "api.shop.example"
    /// The time for which a repetition is recognised by its key, in seconds. Much longer than providers count on: a
    /// process may be stopped between its last look at the clock and the request.
    static let memory = 7200.0

    /// The outcome of a payment when it is charged.
    package enum Scenario: Sendable, CaseIterable {
        case paidAtOnce, paidAfterPolling
        /// The first card is refused, and the merchant is notified of it; any later one is accepted.
        case firstCardRefused
        /// Every card is refused.
        case declined
        /// The customer's payment is refused in the end, and the money refunded.
        case failsLater
    }

    private struct Charge {
        let key: String
        let time: Date
        let isOfCoins: Bool
    }

    private struct Payment {
        let cents: UInt128
        let scenario: Scenario
        let end: Date
        var charges: [Charge] = []
        /// The keys of charges that were refused.
        var refused: Set<String> = []
        var polls = 2
        var isCancelled = false
        /// The numbers of the cancellations that were made.
        var cancellations: Set<String> = []
        var refunds: [String: (cents: UInt128, count: Int)] = [:]
        /// The amounts that the merchant collected, by the collections' numbers.
        var collections: [String: UInt128] = [:]
    }

    private let clock: any PaymentClock
    private var payments: [String: Payment] = [:]
    private let secret: String
    package private(set) var notifications: [IncomingNotification] = []

    /// - Parameter secret: the secret for the signatures of its notifications.
    package init(clock: any PaymentClock, secret: String = ShopSignature.secret) {
        self.clock = clock
        self.secret = secret
    }

    /// Creates a payment with the next free id.
    ///
    /// - Parameter polls: the number of status queries before it is settled, if that takes time.
    func createPayment(_ scenario: Scenario, cents: UInt128, polls: Int) -> String {
        let id = "order\(payments.count)"
        createPayment(id, scenario, cents: cents, polls: polls)
        return id
    }

    package func createPayment(_ id: String, _ scenario: Scenario, cents: UInt128, polls: Int = 2) {
        payments[id] = Payment(
            cents: cents, scenario: scenario, end: clock.now.addingTimeInterval(900), polls: polls)
    }

    /// The payer pays at the counter.
    package func pay(_ id: String) {
        guard let payment = payments[id], status(payment) == "open" else { return }
        payments[id]?.charges.append(Charge(key: "counter", time: clock.now, isOfCoins: false))
        if status(of: id) == "paid" { tell(id, "paid") }
    }

    // MARK: Truth

    /// The number of charges of cards.
    package func captures(of id: String) -> Int { payments[id]?.charges.count { !$0.isOfCoins } ?? 0 }

    /// The keys of charged cards, if the money was kept.
    func keptKeys(of id: String) -> Set<String> {
        guard let payment = payments[id], status(payment) != "failed" else { return [] }
        return Set(payment.charges.filter { !$0.isOfCoins }.map(\.key))
    }

    /// Makes a payment that is paid, unless there is one.
    func makePaid(_ id: String) {
        guard payments[id] == nil else { return }
        createPayment(id, .paidAtOnce, cents: 1000)
        pay(id)
    }

    package func status(of id: String) -> String { payments[id].map { status($0) } ?? "" }

    /// The refunded amounts, by the refunds' ids.
    package func refunds(of id: String) -> [String: UInt128] { (payments[id]?.refunds ?? [:]).mapValues(\.cents) }

    /// The amounts that the merchant collected of a payment.
    package func collections(of id: String) -> [UInt128] { (payments[id]?.collections ?? [:]).values.sorted() }

    /// The number of cancellations of the payment.
    package func cancellations(of id: String) -> Int { payments[id]?.cancellations.count ?? 0 }

    private func status(_ payment: Payment) -> String {
        guard !payment.charges.isEmpty else {
            return payment.isCancelled ? "cancelled" : clock.now < payment.end ? "open" : "expired"
        }
        switch payment.scenario {
        case .paidAfterPolling where payment.polls > 0, .failsLater where payment.polls > 0: return "processing"
        case .failsLater: return "failed"
        default: return "paid"
        }
    }

    // MARK: Requests

    package func respond(to request: HTTPRequest) async -> HTTPResponse {
        let path = request.url.path.split(separator: "/").map(String.init)
        if path.count == 2, path[0] == "refunds", let paid = payments.first(where: { $0.value.refunds[path[1]] != nil })
        {
            return view(paid.key, path[1])
        }
        guard path.count >= 2, path[0] == "payments" else { return answer(404, ["error": "not_found"]) }
        // Ids ignore case, like texts that people type.
        let id = path[1].lowercased()
        guard payments[id] != nil else { return answer(404, ["error": "not_found"]) }
        let body = (try? JSONValue(parsing: request.body)) ?? .null
        switch (request.method, path.dropFirst(2).first) {
        case (.get, nil):
            if payments[id]?.charges.isEmpty == false { payments[id]?.polls -= 1 }
            return view(id)
        case (.post, "charge"): return charge(id, body)
        case (.post, "cancel"): return cancel(id, body["number"]?.string ?? "")
        case (.post, "refunds"): return refund(id, body)
        case (.post, "collections"): return collect(id, body)
        case (.get, "collections"):
            guard let name = path.last, payments[id]?.collections[name] != nil else {
                return answer(404, ["error": "not_found"])
            }
            return view(collection: name, of: id)
        case (.get, "refunds"):
            guard let name = path.last, payments[id]?.refunds[name] != nil else {
                return answer(404, ["error": "not_found"])
            }
            return view(id, name)
        default: return answer(404, ["error": "not_found"])
        }
    }

    private func charge(_ id: String, _ body: JSONValue) -> HTTPResponse {
        guard var payment = payments[id], let key = body["key"]?.string else { return answer(422, ["error": "key"]) }
        guard body["amount"]?.string == String(payment.cents) else { return answer(422, ["error": "other_amount"]) }
        let now = clock.now
        let isRepetition = payment.charges.contains {
            $0.key == key && now.timeIntervalSince($0.time) < Self.memory
        }
        let isOfCoins = body["coins"]?.string != nil
        if !isRepetition {
            guard !payment.isCancelled else { return answer(410, ["error": "cancelled"]) }
            guard !payment.charges.isEmpty || now < payment.end else { return answer(410, ["error": "expired"]) }
            let isRefused =
                payment.scenario == .declined
                || payment.scenario == .firstCardRefused && payment.refused.subtracting([key]).isEmpty
            if isRefused, !isOfCoins {
                payments[id]?.refused.insert(key)
                tell(id, "declined")
                return answer(402, ["error": "declined"])
            }
            payment.charges.append(Charge(key: key, time: now, isOfCoins: isOfCoins))
        }
        payments[id] = payment
        if !isRepetition, status(payment) == "paid" { tell(id, "paid") }
        return view(id)
    }

    private func cancel(_ id: String, _ number: String) -> HTTPResponse {
        let state = status(of: id)
        if state == "open" {
            payments[id]?.isCancelled = true
            tell(id, "cancelled")
        }
        if ["open", "cancelled"].contains(state) { payments[id]?.cancellations.insert(number) }
        return view(id)
    }

    private func refund(_ id: String, _ body: JSONValue) -> HTTPResponse {
        guard let payment = payments[id], let name = body["id"]?.string,
            let cents = body["amount"]?.string.flatMap({ UInt128($0) }), cents > 0
        else { return answer(422, ["error": "refund"]) }
        if payment.refunds[name] == nil {
            let left = payment.refunds.values.reduce(payment.cents) { $0 - $1.cents }
            guard status(payment) == "paid", cents <= left else { return answer(402, ["error": "not_refundable"]) }
            payments[id]?.refunds[name] = (cents, 1)
            tell(id, "given back", [("refund", name)])
        }
        return view(id, name)
    }

    /// Collects money that was charged: several parts of it, if that is asked for by several numbers.
    private func collect(_ id: String, _ body: JSONValue) -> HTTPResponse {
        guard let payment = payments[id], let name = body["number"]?.string,
            let cents = body["amount"]?.string.flatMap({ UInt128($0) }), cents > 0
        else { return answer(422, ["error": "collection"]) }
        if payment.collections[name] == nil {
            let left = payment.collections.values.reduce(payment.cents) { $0 - $1 }
            guard status(payment) == "paid", cents <= left else { return answer(402, ["error": "not_collectable"]) }
            payments[id]?.collections[name] = cents
            tell(id, "collected", [("collected", String(cents))])
        }
        return view(collection: name, of: id)
    }

    private func view(collection name: String, of id: String) -> HTTPResponse {
        let cents = payments[id]?.collections[name] ?? 0
        return answer(200, ["number": .string(name), "payment": .string(id), "amount": .string(String(cents))])
    }

    private func view(_ id: String, _ refund: String) -> HTTPResponse {
        let cents = payments[id]?.refunds[refund]?.cents ?? 0
        return answer(
            200, ["refund": .string(refund), "payment": .string(id), "amount": .string(String(cents))])
    }

    private func view(_ id: String) -> HTTPResponse {
        guard let payment = payments[id] else { return answer(404, ["error": "not_found"]) }
        return answer(
            200,
            [
                "id": .string(id), "status": .string(status(payment)), "amount": .string(String(payment.cents)),
                "expires": .string(String(Int64(payment.end.timeIntervalSince1970))),
            ])
    }

    private func tell(_ id: String, _ status: String, _ more: [(String, String)] = []) {
        var body: [String: JSONValue] = ["id": .string(id), "status": .string(status)]
        for (name, value) in more { body[name] = .string(value) }
        notifications.append(ShopSignature.notification(.object(body), at: clock.now, secret: secret))
    }

    private func answer(_ status: Int, _ body: JSONValue) -> HTTPResponse {
        HTTPResponse(status: status, headers: ["Content-Type": "application/json"], body: body.serialized())
    }
}
