import PaymentCore
import PaymentSandbox
import PaymentTesting

/// The fictional gateway itself: a small HTTP service with one order.
actor CoffeeGateway: SandboxService {
    private var orders: [String: (shop: String, price: String, isPaid: Bool)] = ["42": ("Kaffeehaus", "4.80", false)]
    /// How often somebody asked to pay.
    private(set) var payments = 0

    func respond(to request: HTTPRequest) -> HTTPResponse {
        let path = request.url.path.split(separator: "/").map(String.init)
        guard path.count >= 2, path[0] == "orders", let order = orders[path[1]] else {
            return HTTPResponse(status: 404, body: Array("{}".utf8))
        }
        if request.method == .post, path.last == "pay" {
            orders[path[1]]?.isPaid = true
            payments += 1
        }
        let body: JSONValue = [
            "shop": .string(order.shop), "price": .string(order.price), "paid": .bool(orders[path[1]]?.isPaid ?? false),
        ]
        return HTTPResponse(status: 200, headers: ["Content-Type": "application/json"], body: body.serialized())
    }
}
