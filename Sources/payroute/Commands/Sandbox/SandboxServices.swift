import PaymentCore
import PaymentLoopback
import PaymentSandbox
import PaymentTransport
import SandboxSupport

/// The vendors' simulated services together, at one address.
struct SandboxServices {
    let all: [any ListedService]

    /// Creates every service.
    ///
    /// - Parameters:
    ///   - lifetime: how long payments can be paid, in seconds; nil for as long as at the real services.
    ///   - pace: when to ask again while a payment is open, in milliseconds.
    ///   - webhooks: where webhooks go that no payment names a receiver of, on this machine; nil for nowhere.
    ///   - clock: what the services go by.
    init(
        random: any RandomSource = SystemRandomSource(), lifetime: Int64? = nil, pace: Int64? = nil,
        webhooks: HTTPURL? = nil, clock: any PaymentClock = SystemPaymentClock()
    ) {
        let settings = SandboxSettings(
            clock: clock, random: random, transport: LocalTransport(base: StandardTransport()), lifetime: lifetime,
            pace: pace, webhooks: webhooks)
        all = SandboxVendors.all.compactMap { $0.makeSandbox(settings) }
    }

    /// What answers for all of them.
    var service: SharedAddress { SharedAddress(all.flatMap { $0.routes() }) }

    /// The services' names for people.
    var titles: String { all.map(\.title).joined(separator: ", ") }

    /// The service that `provider` pays at.
    subscript(provider: ProviderID) -> (any ListedService)? { all.first { $0.id == provider.rawValue } }
}
