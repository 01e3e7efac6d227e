import PaymentCore
import PaymentTesting

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The service itself, simulated: one order, which becomes void when it is not paid in time.
actor SampleService: SandboxService {
    private let order = (id: "42", shop: "Sample Shop", price: "4.80")
    private let clock: any PaymentClock
    private let end: Date
    private let isSlow: Bool
    /// The number of times that the order was paid: never more than one.
    private(set) var payments = 0

    /// - Parameter isSlow: whether a payment never settles.
    init(clock: any PaymentClock, isSlow: Bool) {
        self.clock = clock
        self.isSlow = isSlow
        end = clock.now.addingTimeInterval(900)
    }

    private var state: String {
        if payments > 0 { return isSlow ? "working" : "paid" }
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
