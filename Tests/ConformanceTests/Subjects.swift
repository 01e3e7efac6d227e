import PaymentCore
import PaymentTesting
import SimulatedShop

/// The vendors that are probed.
enum Subjects {
    typealias Open = @Sendable (any PaymentClock, any RandomSource) throws -> any SimulatedVendor

    static let secret = "canary-4f1c9e"

    /// The reference service with another provider.
    static func keyed(
        _ provider: any PaymentProvider = KeyedProvider(), capabilities: Set<ProviderDescriptor.Capability> = [],
        refusesCopies: Bool = false
    ) -> Open {
        { clock, _ in
            ProbedKeyed(
                base: KeyedVendor(provider, at: KeyedService(clock: clock)), capabilities: capabilities,
                refusesCopies: refusesCopies)
        }
    }

    /// The histories' shop, which has every capability, with its mistakes.
    static func shop(_ habits: ShopHabits = ShopHabits(), isMerchant: Bool = false) -> Open {
        { clock, _ in ShopVendor(habits, isMerchant: isMerchant, clock: clock) }
    }
}

private struct ProbedKeyed: SimulatedVendor {
    let base: KeyedVendor
    let capabilities: Set<ProviderDescriptor.Capability>
    let refusesCopies: Bool
    let secrets = [Subjects.secret]

    init(base: KeyedVendor, capabilities: Set<ProviderDescriptor.Capability>, refusesCopies: Bool) {
        (self.base, self.capabilities, self.refusesCopies) = (base, capabilities, refusesCopies)
    }

    init(clock: any PaymentClock, random: any RandomSource) {
        self.init(base: KeyedVendor(clock: clock, random: random), capabilities: [], refusesCopies: false)
    }

    var scenarios: [SimulatedScenario] { base.scenarios }
    var services: [any PaymentService] { base.services }
    var hosts: [String: any SandboxService] {
        let front: any SandboxService = refusesCopies ? CopyRefusingService(base.service) : base.service
        return [KeyedService.host: front, "other.example": base.service]
    }

    func makePayment(_ scenario: SimulatedScenario, over amount: Money?) async throws -> any SimulatedPayment {
        await base.makePayment(scenario, over: amount)
    }
}

/// A vendor whose payments state no price and send no messages.
struct BareVendor: SimulatedVendor {
    let base: ShopVendor

    init(clock: any PaymentClock, random: any RandomSource) {
        base = ShopVendor(ShopHabits(), isMerchant: true, clock: clock)
    }

    var scenarios: [SimulatedScenario] { base.scenarios }
    var capabilities: Set<ProviderDescriptor.Capability> { base.capabilities }
    var services: [any PaymentService] { base.services }
    var hosts: [String: any SandboxService] { base.hosts }
    var secrets: [String] { base.secrets }

    func makePayment(_ scenario: SimulatedScenario, over amount: Money?) async throws -> any SimulatedPayment {
        BarePayment(base: try await base.makePayment(scenario, over: amount))
    }
}

private struct BarePayment: SimulatedPayment {
    let base: any SimulatedPayment

    var reference: PaymentReference { base.reference }
    var links: [String] { base.links }
    func truth() async -> PaymentTruth { await base.truth() }
}
