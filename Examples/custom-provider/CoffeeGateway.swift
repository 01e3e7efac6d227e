import PaymentCore
import PaymentTesting

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The fictional gateway itself: a small HTTP service with one order, which is void when it is not paid in time.
actor CoffeeGateway: SandboxService {
    private let order = (id: "42", shop: "Kaffeehaus", price: "4.80")
    private let clock: any PaymentClock
    private let end: Date
    /// True if the coffee is never ready, and the payment never settles.
    private var isSlow = false
    /// The number of payments of the order.
    private(set) var payments = 0

    init(clock: any PaymentClock = SystemPaymentClock()) {
        self.clock = clock
        end = clock.now.addingTimeInterval(900)
    }

    /// Makes coffee that is never ready.
    func brewForever() { isSlow = true }

    private var state: String {
        if payments > 0 { return isSlow ? "brewing" : "paid" }
        return clock.now < end ? "open" : "void"
    }

    func respond(to request: HTTPRequest) -> HTTPResponse {
        let path = request.url.path.split(separator: "/").map(String.init)
        guard path.count >= 2, path[0] == "orders", path[1] == order.id else { return answer(404, [:]) }
        if request.method == .post, path.dropFirst(2) == ["pay"] {
            let price = (try? JSONValue(parsing: request.body))?["price"]?.string
            guard price == order.price else { return answer(422, ["error": "another price"]) }
            guard state == "open" else { return answer(409, ["error": "it is not open"]) }
            payments += 1
        }
        return answer(
            200,
            [
                "id": .string(order.id), "shop": .string(order.shop), "price": .string(order.price),
                "state": .string(state),
            ])
    }

    private func answer(_ status: Int, _ body: JSONValue) -> HTTPResponse {
        HTTPResponse(status: status, headers: ["Content-Type": "application/json"], body: body.serialized())
    }
}
