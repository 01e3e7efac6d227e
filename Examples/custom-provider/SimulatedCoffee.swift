import PaymentCore
import PaymentTesting

/// The gateway as tests know it: one order, and a provider that pays it.
struct SimulatedCoffee: SimulatedVendor {
    let scenarios = [
        SimulatedScenario("paid", "It is paid at once.", ending: .paid),
        SimulatedScenario("slow", "It brews permanently.", ending: .open),
    ]
    let services: [any PaymentService]
    let gateway: CoffeeGateway

    init(clock: any PaymentClock, random: any RandomSource) throws {
        self.init(CoffeeProvider(gateway: try HTTPURL("https://api.coffee.example")), clock: clock)
    }

    init(_ provider: any PaymentProvider, clock: any PaymentClock) {
        services = [provider]
        gateway = CoffeeGateway(clock: clock)
    }

    var hosts: [String: any SandboxService] { ["api.coffee.example": gateway] }

    func makePayment(_ scenario: SimulatedScenario, over amount: Money?) async -> any SimulatedPayment {
        if scenario.ending == .open { await gateway.brewForever() }
        let id = services[0].descriptor.id
        return CoffeeOrder(
            reference: PaymentReference(provider: id, id: "42"), links: ["https://\(id).example/order/42"],
            gateway: gateway)
    }
}

private struct CoffeeOrder: SimulatedPayment {
    let reference: PaymentReference
    let links: [String]
    let gateway: CoffeeGateway

    func truth() async -> PaymentTruth {
        PaymentTruth(taken: Array(repeating: 480, count: await gateway.payments))
    }
}
