public import PaymentCore

/// A vendor's service as a simulation, with the provider that payers use and the merchant's service.
///
/// One description serves all that tests a provider: ``ProviderConformance`` probes it, and the simulator plays it with
/// crashes, lost answers and several devices. A small one:
///
/// ```swift
/// struct SimulatedTea: SimulatedVendor {
///     let scenarios = [
///         SimulatedScenario("paid", "It is paid at once.", ending: .paid),
///         SimulatedScenario("slow", "It stays in progress.", ending: .open),
///     ]
///     let services: [any PaymentService]
///     let house: TeaHouse
///
///     init(clock: any PaymentClock, random: any RandomSource) throws {
///         services = [TeaProvider(service: try HTTPURL("https://api.tea.example"))]
///         house = TeaHouse(clock: clock)
///     }
///     var hosts: [String: any SandboxService] { ["api.tea.example": house] }
///
///     func makePayment(_ scenario: SimulatedScenario, over amount: Money?) async throws -> any SimulatedPayment {
///         TeaOrder(house: house, id: await house.makeOrder(isSlow: scenario.ending == .open))
///     }
/// }
/// ```
///
/// Each world makes its own vendor. Clock, chance and records belong to that world alone.
public protocol SimulatedVendor: Sendable {
    /// The behaviours of its payments. The first one that ends ``SimulatedScenario/Ending/paid`` is the usual one.
    var scenarios: [SimulatedScenario] { get }
    /// The capabilities that its services are meant to have, together. None unless implemented.
    var capabilities: Set<ProviderDescriptor.Capability> { get }

    /// Opens the service without payments.
    ///
    /// - Parameters:
    ///   - clock: The world's time.
    ///   - random: The world's random numbers.
    /// - Throws: any error, when the description itself is wrong.
    init(clock: any PaymentClock, random: any RandomSource) throws

    /// The payer's provider, and the merchant's service if that is another one.
    var services: [any PaymentService] { get }
    /// The simulated services, by the host that each one answers for.
    var hosts: [String: any SandboxService] { get }
    /// The payer's accounts, wallets, data, and what opens pages. No means at all unless implemented. A payer with
    /// neither a chooser nor a policy takes the first option.
    var payer: Payer { get }
    /// The secrets and the personal data that its services were given: none may be written anywhere. None unless
    /// implemented.
    var secrets: [String] { get }

    /// Makes a payment.
    ///
    /// - Parameters:
    ///   - scenario: The payment's behaviour, one of ``scenarios``.
    ///   - amount: The price; nil for the scenario's own.
    /// - Throws: any error, when there can be no such payment.
    func makePayment(_ scenario: SimulatedScenario, over amount: Money?) async throws -> any SimulatedPayment

    /// Returns the one id of a payment for an id that a link or a service names it by. The same unless implemented.
    func id(of reference: String) -> String
}

extension SimulatedVendor {
    /// None.
    public var capabilities: Set<ProviderDescriptor.Capability> { [] }
    /// A payer without any means.
    public var payer: Payer { Payer() }
    /// None.
    public var secrets: [String] { [] }
    /// Returns `reference`.
    public func id(of reference: String) -> String { reference }
}

/// A behaviour of a simulated payment.
public struct SimulatedScenario: Sendable, Hashable {
    /// The final state of a payment once a payer has done everything to pay it.
    @nonexhaustive
    public enum Ending: String, Sendable, Hashable, CaseIterable {
        /// Paid.
        case paid
        /// Set aside for the merchant, who has yet to capture it.
        case authorized
        /// Declined: no money moves.
        case declined
        /// Cancelled.
        case cancelled
        /// Expired.
        case expired
        /// In progress permanently, although money was taken.
        case open
        /// Known to the service alone.
        case unknown
        /// Not payable: it is refused before anything is sent.
        case refused
    }

    /// The name, distinct among the vendor's scenarios.
    public let name: String
    /// The description, one sentence for people.
    public let summary: String
    /// The state in which it ends.
    public let ending: Ending
    /// The heading under which a sandbox lists it, such as `Ends paid`.
    public let group: String

    /// Creates a scenario.
    ///
    /// - Parameters:
    ///   - name: The name, distinct among the vendor's scenarios.
    ///   - summary: The description, one sentence for people.
    ///   - ending: The state in which it ends.
    ///   - group: The heading under which a sandbox lists it; nil for that of its ending.
    public init(_ name: String, _ summary: String, ending: Ending, group: String? = nil) {
        (self.name, self.summary, self.ending, self.group) = (name, summary, ending, group ?? ending.heading)
    }
}

extension SimulatedScenario.Ending {
    /// The heading of the scenarios that end so.
    package var heading: String {
        switch self {
        case .paid: "Ends paid"
        case .authorized: "Ends authorized"
        case .declined: "Ends declined"
        case .cancelled: "Ends cancelled"
        case .expired: "Ends expired"
        case .open: "Stays open"
        case .unknown: "The outcome is unknown at first"
        case .refused: "Refused before it begins"
        }
    }
}

/// A payment at a simulated service: what its payer, its merchant and the service's records know of it.
public protocol SimulatedPayment: Sendable {
    /// The payment, under the name by which its services are asked about it.
    var reference: PaymentReference { get }
    /// The spellings of the link that pays it, the usual one first. Empty if payers pay it in another way.
    var links: [String] { get }
    /// The price, at least three minor units, so that a part can be captured or refunded. Nil unless implemented: then
    /// nothing that a merchant does is tried.
    var price: Money? { get }
    /// True if other devices of the payer, with journals of their own, may pay it too: the service takes it only once.
    /// False unless implemented.
    var isForEveryDevice: Bool { get }

    /// Returns the service's records of it.
    func truth() async -> PaymentTruth
    /// Returns true if `request` can move its money: the simulator demands that such a request was written down before
    /// it left. False unless implemented.
    func isMoved(by request: HTTPRequest) -> Bool
    /// Returns the messages about it. None unless implemented.
    func messages() async -> VendorMessages
    /// Pays it as the payer at the service itself, without a provider: at once, and settled. Does nothing when it
    /// cannot be paid any more, and unless implemented.
    func pay() async
    /// Has the payer authorise it at the service itself, so that it can be captured. Pays it unless implemented.
    func authorize() async
}

extension SimulatedPayment {
    /// None is known.
    public var price: Money? { nil }
    /// False.
    public var isForEveryDevice: Bool { false }
    /// Returns false.
    public func isMoved(by request: HTTPRequest) -> Bool { false }
    /// Returns none.
    public func messages() async -> VendorMessages { VendorMessages() }
    /// Does nothing.
    public func pay() async {}
    /// Pays it.
    public func authorize() async { await pay() }
}

/// The records of a simulated service about one payment.
public struct PaymentTruth: Sendable, Hashable {
    /// The amounts that the service took from the payer, one for each time: in minor units, nil if it records none.
    public var taken: [UInt128?]
    /// The amounts that the merchant captured, in minor units.
    public var captured: [UInt128] = []
    /// The amounts that were refunded, in minor units.
    public var refunded: [UInt128] = []
    /// The number of times that it was cancelled.
    public var cancellations = 0
    /// True if the payee has the money, had it, or has it set aside.
    public var isPaid: Bool
    /// True if the payer's money was given back without the merchant's doing, as after a failed settlement.
    public var isReturned = false
    /// True if the service's status will never change again.
    public var isFinal = false
    /// The names of the attempts whose money the service took: their ids, idempotency keys or options, whichever the
    /// service receives. Nil if it receives none.
    public var takers: Set<String>?
    /// The amounts that a true receipt may state.
    public var amounts: [Money] = []
    /// The transactions that a true receipt may name.
    public var transactions: Set<String> = []

    /// Creates the records of a payment.
    ///
    /// - Parameters:
    ///   - taken: The amounts that were taken, in minor units if known.
    ///   - isPaid: True if the payee has the money; nil if that is so once anything was taken.
    public init(taken: [UInt128?] = [], isPaid: Bool? = nil) {
        self.taken = taken
        self.isPaid = isPaid ?? !taken.isEmpty
    }
}

extension PaymentTruth {
    /// Creates the records of a payment from its events in a sandbox's ledger.
    ///
    /// - Parameters:
    ///   - events: The payment's events.
    ///   - money: Reads an amount of the ledger; minor units and their unit, such as `1250 iso4217/USD`, when nil.
    public init(_ events: [SandboxLedger.Event], reading money: ((String) -> Money?)? = nil) {
        self.init()
        let money = money ?? Self.money
        for event in events {
            switch event {
            case .authorized(_, let amount):
                isPaid = true
                if let amount = money(amount) { amounts.append(amount) }
            case .captured(_, let text, _):
                let amount = money(text)
                taken.append(amount?.minorUnits)
                if let amount { amounts.append(amount) }
            case .settled: isPaid = true
            case .refunded(let amount): if let amount = money(amount) { refunded.append(amount.minorUnits) }
            case .cancelled: cancellations += 1
            case .created, .confirmRequested, .failed, .expired: break
            }
        }
    }

    private static func money(_ text: String) -> Money? {
        let words = text.split(separator: " ")
        guard words.count == 2, let currency = try? Currency(unit: String(words[1])) else { return nil }
        let units = String(words[0])
        // A token's exponent is its contract's; only the units are compared.
        return (try? Money(minorUnitText: units, currency: currency))
            ?? (try? Money(minorUnitText: units, currency: currency, exponent: 0))
    }
}

/// The messages of a simulated service about one payment.
public struct VendorMessages: Sendable {
    /// URLs by which its payer may come back, with every success that they can claim.
    public var returns: [String] = []
    /// Such URLs of another payment at the same service, which is paid.
    public var foreignReturns: [String] = []
    /// The genuine notifications to its merchant so far, oldest first.
    public var notifications: [IncomingNotification] = []
    /// Notifications that must be refused: those of another merchant with another secret, and altered ones. Nil if none
    /// can be made.
    public var foreignNotifications: [IncomingNotification]?
    /// Genuine ones that are too old to be trusted. Nil if the service's notifications do not age.
    public var staleNotifications: [IncomingNotification]?

    /// Creates messages: none.
    public init() {}
}

extension DataRequest {
    /// True if `values` has all that must be given: of several payers' data, the first such are taken.
    package func isAnswered(by values: [String: Redacted<String>]) -> Bool {
        fields.allSatisfy { !$0.isRequired || values[$0.id] != nil }
    }
}
