import PaymentCore
import PaymentTesting
import SampleProvider

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The service itself, simulated: orders that become void when they are not paid in time.
actor SampleService: SandboxService {
    private struct Order {
        let price: String
        let end: Date
        /// True if a payment never settles.
        let isSlow: Bool
        /// The number of times that it was paid: never more than one.
        var payments = 0
    }

    private let clock: any PaymentClock
    private var orders: [String: Order] = [:]

    init(clock: any PaymentClock) { self.clock = clock }

    /// Makes an order, and returns its id.
    func makeOrder(price: String = "4.80", isSlow: Bool = false) -> String {
        let id = String(42 + orders.count)
        orders[id] = Order(price: price, end: clock.now.addingTimeInterval(900), isSlow: isSlow)
        return id
    }

    /// Returns the number of times that an order was paid.
    func payments(of id: String) -> Int { orders[id]?.payments ?? 0 }

    private func state(_ order: Order) -> String {
        if order.payments > 0 { return order.isSlow ? "working" : "paid" }
        return clock.now < order.end ? "open" : "void"
    }

    func respond(to request: HTTPRequest) -> HTTPResponse {
        let path = request.url.path.split(separator: "/").map(String.init)
        guard path.count >= 2, path[0] == "orders", var order = orders[path[1]] else { return answer(404, [:]) }
        if request.method == .post, path.dropFirst(2) == ["pay"] {
            let price = (try? JSONValue(parsing: request.body))?["price"]?.string
            guard price == order.price else { return answer(422, ["error": "another price"]) }
            guard state(order) == "open" else { return answer(409, ["error": "it is not open"]) }
            order.payments += 1
            orders[path[1]] = order
        }
        return answer(
            200,
            [
                "id": .string(path[1]), "shop": "Sample Shop", "price": .string(order.price),
                "state": .string(state(order)),
            ])
    }

    private func answer(_ status: Int, _ body: JSONValue) -> HTTPResponse {
        HTTPResponse(status: status, headers: ["Content-Type": "application/json"], body: body.serialized())
    }
}

/// The vendor as tests know it: the service, the provider that pays there, and what is true of each order.
struct SimulatedSample: SimulatedVendor {
    let scenarios = [
        SimulatedScenario("paid", "It is paid at once.", ending: .paid),
        SimulatedScenario("slow", "A payment never settles.", ending: .open),
    ]
    let services: [any PaymentService]
    let service: SampleService

    init(clock: any PaymentClock, random: any RandomSource) throws {
        services = [SampleProvider(service: try HTTPURL("https://api.sample.example"))]
        service = SampleService(clock: clock)
    }

    var hosts: [String: any SandboxService] { ["api.sample.example": service] }

    func makePayment(_ scenario: SimulatedScenario, over amount: Money?) async throws -> any SimulatedPayment {
        let price = try amount ?? Money(decimal: "4.80", currency: .eur)
        let id = await service.makeOrder(price: price.decimalText, isSlow: scenario.ending == .open)
        return SampleOrderPayment(service: service, id: id, price: price)
    }
}

private struct SampleOrderPayment: SimulatedPayment {
    let service: SampleService
    let id: String
    let price: Money?

    var reference: PaymentReference { PaymentReference(provider: "sample", id: id) }
    var links: [String] { ["https://sample.example/order/\(id)"] }

    func truth() async -> PaymentTruth {
        var truth = PaymentTruth(taken: Array(repeating: price?.minorUnits, count: await service.payments(of: id)))
        truth.amounts = price.map { [$0] } ?? []
        return truth
    }

    func isMoved(by request: HTTPRequest) -> Bool { request.url.path == "/orders/\(id)/pay" }
}
