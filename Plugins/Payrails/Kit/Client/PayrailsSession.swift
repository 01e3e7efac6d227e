public import PaymentCore
import PayrailsProvider
public import PayrailsTypes
import Synchronization

/// One payment session: the ways to pay of one payment, the payer's stored instruments, and the payment itself.
///
/// A payment whose ending is not known is not begun beside: the next one asks the service first, tells what it finds,
/// and begins anew only where nothing is under way, or where the payer left a page to pay in another way.
///
/// Made from the `Payrails.InitData` that the merchant's server got; nothing is sent while it is made. Every address
/// comes from there or from an answer of the service, and the token goes to no others.
public final class PayrailsSession: Sendable {
    /// Gets fresh init data from the merchant's server when the token is refused, and hands them to its argument, once.
    public typealias SessionExpiredHandler =
        @Sendable (@escaping @Sendable (Result<Payrails.InitData, any Error>) -> Void) -> Void

    struct State: Sendable {
        var payload: SessionPayload
        var amount: PayrailsAmount
        var isPaying = false
        var renewal = Renewal.State()
        var payment: Task<PaymentRun.Ended, Never>?
        /// What is known to have been tried already, so that the end of an earlier payment is not taken for the next
        /// one's.
        var tried: StatusHistory.Mark
        /// What was begun before and has no ending that is known here.
        var earlier: PaymentRun.Earlier?
        /// What is stored for the payer.
        var instruments = Instruments()
    }

    let option: Payrails.Options
    let onSessionExpired: SessionExpiredHandler?
    let transport: any HTTPTransport
    let clock: any PaymentClock
    let random: any RandomSource
    let state: Mutex<State>

    /// Creates a session.
    ///
    /// - Parameters:
    ///   - configuration: what the merchant's server got, and how to behave.
    ///   - transport: the network.
    ///   - clock: the time of polling.
    ///   - random: keys of idempotency and of card encryption; the default is cryptographically secure.
    ///   - onSessionExpired: gets fresh init data when the token is refused.
    /// - Throws: ``PayrailsError``: `invalidDataFormat`, or `missingData` naming the member.
    public init(
        _ configuration: Payrails.Configuration, transport: any HTTPTransport,
        clock: any PaymentClock = SystemPaymentClock(), random: any RandomSource = SystemRandomSource(),
        onSessionExpired: SessionExpiredHandler? = nil
    ) throws(PayrailsError) {
        let payload = try SessionPayload(configuration.initData)
        option = configuration.option
        self.onSessionExpired = onSessionExpired
        self.transport = transport
        self.clock = clock
        self.random = random
        state = Mutex(
            State(
                payload: payload, amount: payload.amount, tried: payload.execution?.tried ?? .start,
                earlier: Self.earlier(payload)))
    }

    // MARK: Reading

    var payload: SessionPayload { state.withLock { $0.payload } }

    /// What `payload` says was begun before it was made.
    static func earlier(_ payload: SessionPayload) -> PaymentRun.Earlier? {
        (payload.execution?.status ?? .ready) == .ready ? nil : PaymentRun.Earlier()
    }

    /// What one payment or change may use of the world: the session's own hosts, and steps that are kept in memory.
    func context(_ payload: SessionPayload, payer: Payer = Payer()) -> ProviderContext {
        .unstored(hosts: payload.hosts, http: transport, payer: payer, clock: clock, random: random)
    }

    /// The amount of later payments.
    public var amount: PayrailsAmount { state.withLock { $0.amount } }

    /// The service's id of the payment; nil in a session for storing cards, which has none.
    public var executionId: String? { payload.execution?.id }

    /// Whether a payment is under way.
    public var isPaymentInProgress: Bool { state.withLock { $0.isPaying } }

    /// Returns the payer's usable stored instruments of a type, in the service's order, as far as they are known:
    /// ``reloadInstruments()`` asks the service.
    public func storedInstruments(for type: Payrails.PaymentType) -> [any StoredInstrument] {
        state.withLock { $0.instruments.list(type, in: $0.payload) }
    }

    /// Returns whether the payment can be made in this way: it is offered, and what it needs is there.
    public func isPaymentAvailable(type: Payrails.PaymentType) -> Bool { payload.isPayable(type) }

    /// Returns whether the payment can be made by the method with this code: it is offered, and what it needs is there.
    public func isPaymentCodeAvailable(paymentMethodCode: String) -> Bool {
        let payload = payload
        return payload.option(code: paymentMethodCode)?.type.map(payload.isPayable) ?? false
    }

    /// Uses another amount for later payments. It changes nothing at the service, which refuses amounts that differ
    /// from its own: the merchant's server has to change it there too.
    public func update(amount: PayrailsAmount) { state.withLock { $0.amount = amount } }

    /// Changes the session; see ``update(amount:)``.
    public func update(_ options: UpdateOptions) {
        if let amount = options.amount { update(amount: amount) }
    }
}
