public import PaymentCore
public import PayrailsProvider
import Synchronization

/// One payment session: the ways to pay of one payment, the payer's stored instruments, and the payment itself.
///
/// While the end of a payment is unknown, no other is begun beside it: the next one asks the service first, reports the
/// result it finds, and begins anew only if nothing is in progress, or if the payer left a page to pay in another way.
///
/// Made from the `Payrails.InitData` that the merchant's server got; creating it sends nothing. Every address comes
/// from there or from an answer of the service, and the token is sent to no other.
public final class PayrailsSession: Sendable {
    /// Gets fresh init data from the merchant's server if the token is refused, and passes them to its argument, once.
    public typealias SessionExpiredHandler =
        @Sendable (@escaping @Sendable (Result<Payrails.InitData, any Error>) -> Void) -> Void

    struct State: Sendable {
        var payload: SessionPayload
        var amount: PayrailsAmount
        var isPaying = false
        var renewal = Renewal.State()
        var payment: Task<PaymentRun.Ended, Never>?
        /// The attempts that are known to have been made, so that the end of an earlier payment is not taken for the
        /// end of the next.
        var tried: StatusHistory.Mark
        /// The payment that was begun before and whose end is unknown here.
        var earlier: PaymentRun.Earlier?
        /// The payer's stored instruments.
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
    ///   - configuration: the init data from the merchant's server, and the options.
    ///   - transport: the network.
    ///   - clock: the clock for polling.
    ///   - random: the source of idempotency keys and of keys for card encryption; the default is cryptographically
    ///     secure.
    ///   - onSessionExpired: provides fresh init data when the token is refused.
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

    /// Returns the payment that was begun before `payload` was made; nil if the execution's status is `ready`.
    static func earlier(_ payload: SessionPayload) -> PaymentRun.Earlier? {
        (payload.execution?.status ?? .ready) == .ready ? nil : PaymentRun.Earlier()
    }

    /// Returns the context of one payment or change: only the session's own hosts, and steps kept in memory.
    func context(_ payload: SessionPayload, payer: Payer = Payer()) -> ProviderContext {
        .unstored(hosts: payload.hosts, http: transport, payer: payer, clock: clock, random: random)
    }

    /// The amount of later payments.
    public var amount: PayrailsAmount { state.withLock { $0.amount } }

    /// The service's id of the payment; nil in a session for storing cards, which has none.
    public var executionId: String? { payload.execution?.id }

    /// True if a payment is in progress.
    public var isPaymentInProgress: Bool { state.withLock { $0.isPaying } }

    /// Returns the payer's usable stored instruments of a type, in the service's order, as far as they are known;
    /// ``reloadInstruments()`` asks the service.
    public func storedInstruments(for type: Payrails.PaymentType) -> [any StoredInstrument] {
        state.withLock { $0.instruments.list(type, in: $0.payload) }
    }

    /// Returns whether a payment of this type can be made: the session offers it, and has everything that it needs.
    public func isPaymentAvailable(type: Payrails.PaymentType) -> Bool { payload.isPayable(type) }

    /// Returns whether the method with this code can be paid with: the session offers it, and has everything that it
    /// needs.
    public func isPaymentCodeAvailable(paymentMethodCode: String) -> Bool {
        let payload = payload
        return payload.option(code: paymentMethodCode)?.type.map(payload.isPayable) ?? false
    }

    /// Uses another amount for later payments. This changes nothing at the service, which refuses amounts that differ
    /// from its own: the merchant's server has to change the amount there too.
    public func update(amount: PayrailsAmount) { state.withLock { $0.amount = amount } }

    /// Changes the session; see ``update(amount:)``.
    public func update(_ options: UpdateOptions) {
        if let amount = options.amount { update(amount: amount) }
    }
}
