import PaymentCore
import PaymentTesting

/// The providers that are probed.
enum Subjects {
    static let secret = "canary-4f1c9e"

    static func keyed(
        _ provider: any PaymentProvider = KeyedProvider(), capabilities: Set<ProviderDescriptor.Capability> = [],
        refusesCopies: Bool = false
    ) -> ConformanceSubject {
        ConformanceSubject(provider, capabilities: capabilities, canaries: [secret]) { behaviour, clock, _ in
            let service = KeyedService(clock: clock)
            let link = await service.createPayment("p1", behaviour == .payable ? .paidAfterPolling : .neverSettles)
            let front: any SandboxService = refusesCopies ? CopyRefusingService(service) : service
            return ConformanceSubject.Backend(
                link: link, services: [KeyedService.host: front, "other.example": service]
            ) {
                await service.keys(of: "p1").map { _ in 1000 }
            }
        }
    }
}
