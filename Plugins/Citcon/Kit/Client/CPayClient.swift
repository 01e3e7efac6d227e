import CitconProvider
public import PaymentCore
import Synchronization

/// The vendor's client without the singleton: everything it uses is given to it.
///
/// ```swift
/// let client = CPayClient(
///     configuration: CPayClientConfiguration(endpoint: try CPayEndpoint(.UAT), accessToken: token),
///     transport: transport, launcher: payer.citconLauncher)
/// let result = await client.requestOrder(order)
/// if result.isPaid { … }
/// ```
///
/// One order after the other or many at a time. Callbacks come on the main thread, events from any task. The merchant's
/// server, not this, decides for good whether an order is paid (guide, "Processing of the returned data").
public final class CPayClient: Sendable {
    /// What opens connections and apps. The vendor's singleton learns of them late.
    struct Means: Sendable {
        var transport: (any HTTPTransport)?
        var launcher: CPayLauncher?
    }

    let clock: any PaymentClock
    let orders = OpenOrders()
    let means: Mutex<Means>
    private let settings: Mutex<CPayClientConfiguration>
    private let observer: @Sendable (CPayEvent) -> Void
    private let listeners = Mutex<(count: Int, streams: [Int: AsyncStream<CPayEvent>.Continuation])>((0, [:]))

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - configuration: the environment, the access token and how payers come back.
    ///   - transport: how requests are sent. Without one every order fails with a message that says so.
    ///   - clock: measures the time that payers are waited for.
    ///   - launcher: opens pages and apps. Without one only orders that need no payer can be paid.
    ///   - observer: hears every event.
    public init(
        configuration: CPayClientConfiguration, transport: (any HTTPTransport)?,
        clock: any PaymentClock = SystemPaymentClock(), launcher: CPayLauncher? = nil,
        observer: @escaping @Sendable (CPayEvent) -> Void = { _ in }
    ) {
        settings = Mutex(configuration)
        means = Mutex(Means(transport: transport, launcher: launcher))
        self.clock = clock
        self.observer = observer
    }

    /// How the client works now. Orders under way keep what they began with.
    public var configuration: CPayClientConfiguration {
        get { settings.withLock { $0 } }
        set { settings.withLock { $0 = newValue } }
    }

    // MARK: Orders

    /// Pays an order, and hands the result to `callback` on the main thread, after this has returned.
    ///
    /// - Returns: always true, as the vendor's SDK: a failure is the callback's business.
    @discardableResult
    public func requestOrder(_ request: CPayRequest, callback: @escaping CPayOrderCallback) -> Bool {
        begin(Order(request)) { await callback($0) }
        return true
    }

    /// Pays an order and waits for its result.
    ///
    /// As with the vendor's SDK, there is none until the payer comes back, unless
    /// ``CPayClientConfiguration/returnTimeout`` says when to stop waiting; see also ``cancelPending(reference:)``.
    public nonisolated(nonsending) func requestOrder(_ request: CPayRequest) async -> CPayResult {
        let order = Order(request)
        return await withCheckedContinuation { continuation in
            begin(order) { continuation.resume(returning: $0) }
        }
    }

    /// Takes the result of an order, which is told once.
    typealias Delivery = @Sendable (CPayResult) async -> Void

    private func begin(_ order: Order, _ deliver: @escaping Delivery) {
        let run = OrderRun(self, order, deliver)
        Task {
            do throws(OrderError) { try order.checkAtStart() } catch { return await fail(order, error, deliver) }
            await run.run()
        }
    }

    /// Asks about a transaction by the service's id of it, and hands the result to `callback` later,
    /// on the main thread.
    ///
    /// - Returns: always true, as the vendor's SDK.
    @discardableResult
    public func inquireOrder(_ transId: String, callback: @escaping CPayCheckCallback) -> Bool {
        Task { await callback(await inquireOrder(transId)) }
        return true
    }

    /// Asks about a charge by the merchant's reference of it, and hands the result to `callback` later,
    /// on the main thread.
    ///
    /// - Returns: always true.
    @discardableResult
    public func inquireOrder(reference: String, callback: @escaping CPayCheckCallback) -> Bool {
        Task { await callback(await inquireOrder(reference: reference)) }
        return true
    }

    /// Asks about a transaction by the service's id of it.
    ///
    /// - Returns: the result; a failed inquiry is one with code `-1`.
    public func inquireOrder(_ transId: String) async -> CPayCheck {
        await inquire(id: transId) { service throws(CitconCallError) in try await service.inquire(id: transId) }
    }

    /// Asks about a charge by the merchant's reference of it. Whether the service takes these from an app's token is
    /// not documented.
    ///
    /// - Returns: the result; a failed inquiry is one with code `-1`.
    public func inquireOrder(reference: String) async -> CPayCheck {
        await inquire(id: nil) { service throws(CitconCallError) in try await service.inquire(reference: reference) }
    }

    private func inquire(
        id: String?, _ ask: (CitconService) async throws(CitconCallError) -> CitconService.Answer
    ) async -> CPayCheck {
        do throws(OrderError) {
            let configuration = configuration
            let service = try service(configuration, try context(configuration))
            do throws(CitconCallError) { return CPayCheck(try await ask(service)) } catch { throw OrderError(error) }
        } catch {
            return CPayCheck(status: "fail", code: error.code, message: error.message, id: id)
        }
    }

    // MARK: The payer's return

    /// Takes a URL by which the application was opened.
    ///
    /// - Returns: whether it is one of this library's: then the order it belongs to goes on, if one waits for it. The
    ///   vendor's SDK says no to the wallets' URLs that it takes; this says yes to all. One that names another order
    ///   than those that wait there is refused: nothing changes, and ``CPayEvent/returnRefused(_:)`` says so.
    @discardableResult
    public func handleUrl(_ url: String) -> Bool {
        guard let back = WalletReturn(url, at: configuration.places.union(orders.places)) else { return false }
        do throws(CPayReturnError) { try orders.deliver(back) } catch {
            announce(.returnRefused(error))
            return false
        }
        return true
    }

    /// Call it when the application becomes active: payers also come back without a URL. Every open order is asked
    /// about once, and those that are decided are ended.
    public func applicationDidBecomeActive() { orders.deliver(.active) }

    /// Ends open orders whose payers will not come back: the service is asked, and what it does not call paid or
    /// refused is reported as called off. The charge itself stays as it is; only the merchant's server can cancel it.
    ///
    /// - Parameter reference: the merchant's reference of the order; nil for all.
    /// - Returns: whether there was one.
    @discardableResult
    public func cancelPending(reference: String? = nil) -> Bool {
        orders.deliver(.cancelled, toOrdersCalled: reference)
    }

    /// The references of the orders whose payers are away, oldest first.
    public var pendingReferences: [String] { orders.references }

    // MARK: Events

    /// What happens from now on. Each sequence has all of it.
    public var events: AsyncStream<CPayEvent> {
        AsyncStream { continuation in
            let number = listeners.withLock { state in
                state.count += 1
                state.streams[state.count] = continuation
                return state.count
            }
            continuation.onTermination = { [weak self] _ in
                _ = self?.listeners.withLock { $0.streams.removeValue(forKey: number) }
            }
        }
    }

    func announce(_ event: CPayEvent) {
        observer(event)
        for stream in listeners.withLock({ Array($0.streams.values) }) { stream.yield(event) }
    }

    // MARK: Helpers

    /// What one flow may use of the world: the service's own host, and steps that are kept in memory.
    func context(_ configuration: CPayClientConfiguration) throws(OrderError) -> ProviderContext {
        guard let transport = means.withLock(\.transport) else {
            throw OrderError("\(CPayMessage.unknown): no transport; import CitconKit, or give the client one")
        }
        return .unstored(hosts: [configuration.endpoint.baseURL.authority], http: transport, clock: clock)
    }

    /// The service, over the network of `context`.
    func service(
        _ configuration: CPayClientConfiguration, _ context: ProviderContext
    ) throws(OrderError) -> CitconService {
        guard let token = configuration.accessToken, !token.reveal().isEmpty else {
            throw OrderError("\(CPayMessage.unknown): no access token; call setAccessToken first")
        }
        return CitconService(
            baseURL: configuration.endpoint.baseURL, token: token, http: context.http,
            timeout: configuration.requestTimeout)
    }

    /// Reports a failure to the callback and then, as the vendor's SDK, to whoever listens.
    func fail(_ order: Order, _ failure: OrderError, id: String? = nil, _ deliver: Delivery) async {
        await deliver(
            CPayResult(
                status: "fail", code: failure.code, message: failure.message, reference: order.reference, id: id))
        announce(.checked(CPayCheck(status: "fail", code: failure.code, message: failure.message, id: id ?? "")))
    }
}

/// Takes the result of an order (guide, "Callback API"). Called on the main thread, so that a view controller's closure
/// can show it; the vendor's SDK does not say where it calls.
public typealias CPayOrderCallback = @MainActor @Sendable (_ result: CPayResult?) -> Void
/// The name that the vendor's SDK has for ``CPayOrderCallback``.
public typealias CPayRequestCallback = CPayOrderCallback
/// Takes the result of an inquiry (guide, "Callback API"). Called on the main thread.
public typealias CPayCheckCallback = @MainActor @Sendable (_ result: CPayCheck?) -> Void
