import PaymentCore
import PaymentTesting

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The fictional tea house itself: one order, paid at once by each caller with the key, and brewed for a moment.
actor TeaHouse: SandboxService {
    static let key = "tea-key-5f3c"

    /// The behaviour of the order when it is charged.
    enum Manner { case paid, slow, declined }

    private let (order, shop, price) = ("7", "Teehaus", "4.80")
    private let clock: any PaymentClock
    private let end: Date
    private var manner: Manner
    private var questions = 0
    /// The keys under which the order was charged: never more than one.
    private(set) var charges: [String] = []
    /// The refunds, by their ids, in cents.
    private(set) var refunds: [String: UInt128] = [:]

    init(clock: any PaymentClock = SystemPaymentClock(), _ manner: Manner = .paid) {
        self.clock = clock
        self.manner = manner
        end = clock.now.addingTimeInterval(900)
    }

    private var state: String {
        if charges.isEmpty { return clock.now < end ? "open" : "void" }
        return manner == .paid && questions > 0 ? "paid" : "brewing"
    }

    func respond(to request: HTTPRequest) -> HTTPResponse {
        guard request.headers["Authorization"] == "Bearer \(Self.key)" else { return answer(401, ["error": "key"]) }
        let path = request.url.path.split(separator: "/").map(String.init)
        guard path.count >= 2, path[0] == "orders", path[1] == order else { return answer(404, ["error": "order"]) }
        let body = (try? JSONValue(parsing: request.body)) ?? .null
        switch (request.method, path.count, path.dropFirst(2).first) {
        case (.get, 2, nil):
            if !charges.isEmpty { questions += 1 }
            return answer(200, orderBody)
        case (.post, 3, "charge"): return charge(body["price"]?.string, request.headers["Idempotency-Key"])
        case (.post, 3, "refunds"): return refund(body["id"]?.string, body["amount"]?.string)
        case (.get, 4, "refunds"):
            return refunds[path[3]].map { answer(200, refundBody(path[3], $0)) } ?? answer(404, ["error": "refund"])
        default: return answer(404, ["error": "path"])
        }
    }

    /// Brews tea that is never ready.
    func brewForever() { manner = .slow }

    /// Settles the order, as a payment at the counter does.
    func payAtTheCounter() {
        guard state == "open" else { return }
        charges.append("counter")
        questions = 1
    }

    private func charge(_ price: String?, _ key: String?) -> HTTPResponse {
        guard let key, price == self.price else { return answer(422, ["error": "price"]) }
        guard manner != .declined else { return answer(402, ["error": "declined"]) }
        if !charges.contains(key) {
            guard state == "open" else { return answer(409, ["error": "it is not open"]) }
            charges.append(key)
        }
        return answer(201, orderBody)
    }

    private func refund(_ id: String?, _ amount: String?) -> HTTPResponse {
        guard let id, let price = try? Money(decimal: price, currency: .eur), state == "paid",
            let money = amount.flatMap({ try? Money(decimal: $0, currency: .eur) }), !money.isZero
        else { return answer(422, ["error": "amount"]) }
        if let earlier = refunds[id] {
            return earlier == money.minorUnits ? answer(200, refundBody(id, earlier)) : answer(422, ["error": "id"])
        }
        guard money.minorUnits + refunds.values.reduce(0, +) <= price.minorUnits else {
            return answer(422, ["error": "more than was paid"])
        }
        refunds[id] = money.minorUnits
        return answer(201, refundBody(id, money.minorUnits))
    }

    private var orderBody: JSONValue {
        ["id": .string(order), "shop": .string(shop), "price": .string(price), "state": .string(state)]
    }

    private func refundBody(_ id: String, _ cents: UInt128) -> JSONValue {
        let amount = (try? Money(minorUnits: cents, currency: .eur))?.decimalText ?? ""
        return ["id": .string(id), "order": .string(order), "amount": .string(amount)]
    }

    private func answer(_ status: Int, _ body: JSONValue) -> HTTPResponse {
        HTTPResponse(status: status, headers: ["Content-Type": "application/json"], body: body.serialized())
    }
}
