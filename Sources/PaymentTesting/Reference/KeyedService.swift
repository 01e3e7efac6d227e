public import PaymentCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A simulated service that takes money for every caller, and recognises repetitions only by their idempotency key.
///
/// Only the client's care prevents a double charge here; that makes it the strictest service to simulate with. The API
/// is small: `GET /payments/{id}`, and `POST /payments/{id}/charge` with `Idempotency-Key`.
public actor KeyedService: SandboxService {
    /// The API's host.
    public static let host = "api.keyed.example"

    /// The behaviour of a payment when it is charged.
    @nonexhaustive
    public enum Scenario: Sendable, Hashable, CaseIterable {
        /// It is settled at once.
        case paidAtOnce
        /// It settles after two questions about it.
        case paidAfterPolling
        /// The charge is refused with status 402; nothing is taken.
        case declined
        /// It stays in progress permanently.
        case neverSettles
    }

    private struct Payment {
        var cents: UInt128
        let scenario: Scenario
        let end: Date
        var keys: [String] = []
        var polls = 2
    }

    private let clock: any PaymentClock
    private let recognizesKeys: Bool
    private var payments: [String: Payment] = [:]

    /// Creates a service without payments.
    ///
    /// - Parameters:
    ///   - clock: The clock that decides when payments end.
    ///   - recognizesKeys: False makes a service that takes money for every request, repeated or not.
    public init(clock: any PaymentClock, recognizesKeys: Bool = true) {
        self.clock = clock
        self.recognizesKeys = recognizesKeys
    }

    /// Creates a payment that can be paid for `lifetime` seconds.
    ///
    /// - Returns: The link to it.
    public func createPayment(
        _ id: String, _ scenario: Scenario = .paidAtOnce, cents: UInt128 = 1000, lifetime: Double = 900
    ) -> String {
        payments[id] = Payment(cents: cents, scenario: scenario, end: clock.now.addingTimeInterval(lifetime))
        return "https://\(KeyedProvider.linkHost)/\(id)"
    }

    /// Creates a payment with the next free id.
    func createPayment(_ scenario: Scenario, cents: UInt128) -> (id: String, link: String) {
        let id = "p\(payments.count + 1)"
        return (id, createPayment(id, scenario, cents: cents))
    }

    /// Changes the price of a payment for which no money was taken.
    package func reprice(_ id: String, cents: UInt128) {
        if payments[id]?.keys.isEmpty == true { payments[id]?.cents = cents }
    }

    /// Returns the price of a payment.
    package func price(of id: String) -> UInt128? { payments[id]?.cents }

    /// Returns the number of times that money was taken for a payment.
    public func captures(of id: String) -> Int { payments[id]?.keys.count ?? 0 }

    /// Returns the keys with which money was taken for a payment, in order.
    public func keys(of id: String) -> [String] { payments[id]?.keys ?? [] }

    /// Returns true if the payment is paid, which is final.
    public func isPaid(_ id: String) -> Bool { payments[id].map { status($0) == "paid" } ?? false }

    /// Answers one request.
    public func respond(to request: HTTPRequest) async -> HTTPResponse {
        let path = request.url.path.split(separator: "/").map(String.init)
        guard path.count >= 2, path[0] == "payments", var payment = payments[path[1]] else {
            return answer(404, ["error": "not_found"])
        }
        switch (request.method, path.dropFirst(2).first) {
        case (.get, nil):
            if !payment.keys.isEmpty { payment.polls -= 1 }
        case (.post, "charge"):
            guard let key = request.headers["Idempotency-Key"] else { return answer(400, ["error": "key_missing"]) }
            let amount = (try? JSONValue(parsing: request.body))?["amount"]?.string
            guard amount == String(payment.cents) else { return answer(422, ["error": "other_amount"]) }
            guard payment.scenario != .declined else { return answer(402, ["error": "declined"]) }
            let isRepetition = recognizesKeys && payment.keys.contains(key)
            if !isRepetition {
                guard !payment.keys.isEmpty || clock.now < payment.end else { return answer(410, ["error": "expired"]) }
                payment.keys.append(key)
            }
        default:
            return answer(404, ["error": "not_found"])
        }
        payments[path[1]] = payment
        return answer(
            200,
            [
                "id": .string(path[1]), "status": .string(status(payment)),
                "amount": .string(String(payment.cents)), "currency": "iso4217/EUR",
            ])
    }

    private func status(_ payment: Payment) -> String {
        guard !payment.keys.isEmpty else { return clock.now < payment.end ? "open" : "expired" }
        switch payment.scenario {
        case .neverSettles: return "processing"
        case .paidAfterPolling where payment.polls > 0: return "processing"
        default: return "paid"
        }
    }

    private func answer(_ status: Int, _ body: JSONValue) -> HTTPResponse {
        HTTPResponse(status: status, headers: ["Content-Type": "application/json"], body: body.serialized())
    }
}
