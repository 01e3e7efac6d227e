import PaymentCore
import PaymentLoopback
import PaymentTransport
import SandboxSupport

/// The vendors' simulated services together, at one address.
struct SandboxServices {
    let all: [any ListedService]

    /// Creates every service.
    ///
    /// - Parameters:
    ///   - vendors: Their vendors.
    ///   - lifetime: The time in which payments can be paid, in seconds; nil for that of the real services.
    ///   - pace: The delay before the next question while a payment is open, in milliseconds.
    ///   - webhooks: The receiver, on this machine, of webhooks for which a payment names none; nil for none.
    ///   - clock: The services' clock.
    init(
        _ vendors: SandboxVendors, random: any RandomSource = SystemRandomSource(), lifetime: Int64? = nil,
        pace: Int64? = nil,
        webhooks: HTTPURL? = nil, clock: any PaymentClock = SystemPaymentClock()
    ) {
        let settings = SandboxSettings(
            clock: clock, random: random, transport: LocalTransport(base: StandardTransport()), lifetime: lifetime,
            pace: pace, webhooks: webhooks)
        all = vendors.list.compactMap { $0.makeSandbox(settings) }
    }

    /// The service that answers for all of them.
    var service: SharedAddress { SharedAddress(all.flatMap { $0.routes() }) }

    /// The services' names for people.
    var titles: String { all.map(\.title).joined(separator: ", ") }

    /// The service that `provider` pays at.
    subscript(provider: ProviderID) -> (any ListedService)? { all.first { $0.id == provider.rawValue } }
}
