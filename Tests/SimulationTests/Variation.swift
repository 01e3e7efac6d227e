import PaymentCore
import PaymentTesting

/// What a history is made of; mistakes are planted here, never in the product.
struct Variation: Sendable {
    /// The services that payments are made at.
    enum Service: Sendable, CaseIterable { case walletConnectPay, keyed }

    var services = Service.allCases
    /// How many of eight payments go to WalletConnect Pay when both services are used: its signatures cost the most time.
    var shareOfWalletConnectPay = 3
    var provider = KeyedProvider()
    var serviceRecognizesKeys = true
    var transport: @Sendable (any HTTPTransport) -> any HTTPTransport = { $0 }
    var journal: @Sendable (any PaymentJournal) -> any PaymentJournal = { $0 }
    /// Changes what was drawn.
    var faults: @Sendable (inout SimulatedFaults) -> Void = { _ in }
    /// Whether requests are checked to be covered by durable records when they leave.
    var checksDurability = true
}
