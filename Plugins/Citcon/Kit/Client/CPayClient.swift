public import CitconProvider
public import PaymentCore
import Synchronization

/// The vendor's client without the singleton: the caller provides everything it uses.
///
/// ```swift
/// let client = CPayClient(
///     configuration: CPayClientConfiguration(endpoint: try CPayEndpoint(.UAT), accessToken: token),
///     transport: transport, launcher: payer.citconLauncher)
/// let result = await client.requestOrder(order)
/// if result.isPaid { … }
/// ```
///
/// Orders run one after the other or concurrently. An order that is requested again while it is paid is paid once, and
/// each request gets its result. Callbacks come on the main thread, events from any task. The final decision about an
/// order's payment is the merchant server's, not this client's (guide, "Processing of the returned data").
public final class CPayClient: Sendable {
    /// The transport and the launcher. The vendor's singleton receives them after its creation.
    struct Means: Sendable {
        var transport: (any HTTPTransport)?
        var launcher: CPayLauncher?
    }

    let clock: any PaymentClock
    let orders = OpenOrders()
    let inProgress = OrdersInProgress()
    let means: Mutex<Means>
    private let settings: Mutex<CPayClientConfiguration>
    private let observer: @Sendable (CPayEvent) -> Void
    private let listeners = Mutex<(count: Int, streams: [Int: AsyncStream<CPayEvent>.Continuation])>((0, [:]))

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - configuration: the environment, the access token and the places that payers return to.
    ///   - transport: sends the requests. Without one every order fails with a message that says so.
    ///   - clock: measures the time that the client waits for payers.
    ///   - launcher: opens pages and apps. Without one only orders that need no payer can be paid.
    ///   - observer: receives every event.
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

    /// The current configuration. Orders in flight keep the one that they began with.
    public var configuration: CPayClientConfiguration {
        get { settings.withLock { $0 } }
        set { settings.withLock { $0 = newValue } }
    }

    // MARK: Orders

    /// Pays an order, and passes the result to `callback` on the main thread, after this has returned.
    ///
    /// - Returns: always true, as the vendor's SDK does. Failures go to the callback.
    @discardableResult
    public func requestOrder(_ request: CPayRequest, callback: @escaping CPayOrderCallback) -> Bool {
        begin(Order(request)) { await callback($0) }
        return true
    }

    /// Pays an order and waits for its result.
    ///
    /// As with the vendor's SDK, there is no result until the payer returns, unless
    /// ``CPayClientConfiguration/returnTimeout`` limits the wait. See also ``cancelPending(reference:)``.
    public nonisolated(nonsending) func requestOrder(_ request: CPayRequest) async -> CPayResult {
        let order = Order(request)
        return await withCheckedContinuation { continuation in
            begin(order) { continuation.resume(returning: $0) }
        }
    }

    /// Takes the result of an order. Called once per order.
    typealias Delivery = @Sendable (CPayResult) async -> Void

    private func begin(_ order: Order, _ deliver: @escaping Delivery) {
        let settings = configuration
        Task {
            do throws(OrderError) { try order.checkAtStart() } catch { return await fail(order, error, deliver) }
            switch inProgress.enter(order, deliver) {
            case .joined: return
            case .refused(let error): await fail(order, error, deliver)
            case .first(let id):
                await OrderRun(self, order, settings: settings) { [inProgress] result in
                    // The result is known: a request from a callback is a new one.
                    for deliver in inProgress.leave(id) { await deliver(result) }
                }.run()
                _ = inProgress.leave(id)
            }
        }
    }

    /// Inquires about a transaction by the service's id, and passes the result to `callback` later, on the main thread.
    ///
    /// - Returns: always true, as the vendor's SDK does.
    @discardableResult
    public func inquireOrder(_ transId: String, callback: @escaping CPayCheckCallback) -> Bool {
        Task { await callback(await inquireOrder(transId)) }
        return true
    }

    /// Inquires about a charge by the merchant's reference, and passes the result to `callback` later, on the main
    /// thread.
    ///
    /// - Returns: always true.
    @discardableResult
    public func inquireOrder(reference: String, callback: @escaping CPayCheckCallback) -> Bool {
        Task { await callback(await inquireOrder(reference: reference)) }
        return true
    }

    /// Inquires about a transaction by the service's id.
    ///
    /// - Returns: the result; code `-1` when the inquiry failed.
    public func inquireOrder(_ transId: String) async -> CPayCheck {
        await inquire(id: transId) { service throws(CitconCallError) in try await service.inquire(id: transId) }
    }

    /// Inquires about a charge by the merchant's reference. The vendor does not document if the service accepts such an
    /// inquiry with an app's token.
    ///
    /// - Returns: the result; code `-1` when the inquiry failed.
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

    /// Handles a URL that opened the application.
    ///
    /// - Returns: true if the URL is a return to this library. A waiting order that it belongs to then continues. The
    ///   vendor's SDK returns false for wallet URLs that it handles, this returns true for all of them. A URL that
    ///   names another order than those waiting there is refused: nothing changes, and the client emits
    ///   ``CPayEvent/returnRefused(_:)``.
    @discardableResult
    public func handleUrl(_ url: String) -> Bool {
        guard let back = WalletReturn(url, at: configuration.places.union(orders.places)) else { return false }
        do throws(CPayReturnError) { try orders.deliver(back) } catch {
            announce(.returnRefused(error))
            return false
        }
        return true
    }

    /// Inquires once about every open order, and ends those that are decided. Call it when the application becomes
    /// active: payers also return without a URL.
    public func applicationDidBecomeActive() { orders.deliver(.active) }

    /// Ends open orders whose payers will not return: the client asks the service, and an order that is neither paid
    /// nor refused there is reported as cancelled. The charge itself does not change: only the merchant's server can
    /// cancel it.
    ///
    /// - Parameter reference: the merchant's reference of the order; nil for all.
    /// - Returns: true if such an order was open.
    @discardableResult
    public func cancelPending(reference: String? = nil) -> Bool {
        orders.deliver(.cancelled, toOrdersCalled: reference)
    }

    /// The references of the orders whose payers are away, oldest first.
    public var pendingReferences: [String] { orders.references }

    // MARK: Events

    /// The events from now on. Each sequence receives all of them.
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

    /// The context of one flow: it reaches only the service's own host, and keeps steps in memory.
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

    /// Reports a failure to the callback and then, as the vendor's SDK does, to the event listeners.
    func fail(_ order: Order, _ failure: OrderError, id: String? = nil, _ deliver: Delivery) async {
        await deliver(
            CPayResult(
                status: "fail", code: failure.code, message: failure.message, reference: order.reference, id: id))
        announce(.checked(CPayCheck(status: "fail", code: failure.code, message: failure.message, id: id ?? "")))
    }
}

/// Takes the result of an order (guide, "Callback API"). Called on the main thread, so that a view controller's closure
/// can show it. The vendor's SDK does not document its thread.
public typealias CPayOrderCallback = @MainActor @Sendable (_ result: CPayResult?) -> Void
/// The vendor SDK's name for ``CPayOrderCallback``.
public typealias CPayRequestCallback = CPayOrderCallback
/// Takes the result of an inquiry (guide, "Callback API"). Called on the main thread.
public typealias CPayCheckCallback = @MainActor @Sendable (_ result: CPayCheck?) -> Void

// MARK: - Configuration and events

/// The configuration of a ``CPayClient``.
public struct CPayClientConfiguration: Sendable {
    /// The delivery order of the two results of an order, when the payer is back from a wallet.
    public enum ResultOrder: Sendable, Hashable {
        /// The inquiry comes first. Its status fills the callback's result and the notification. The guide's rule for
        /// "paid" then applies literally.
        case inquiryFirst
        /// The callback gets the wallet's result at once, with `data.status` empty, and the notification follows after
        /// the inquiry, as in the vendor's SDK for WeChat, Alipay and UnionPay. Pages are inquired about first in
        /// either case.
        case walletFirst
    }

    /// The address of the service.
    public var endpoint: CPayEndpoint
    /// The access token that the merchant's server got from the service.
    public var accessToken: Redacted<String>?
    /// The application's return addresses, in addition to those that orders name.
    public var places: CPayReturnPlaces
    /// The handler of each gateway.
    public var gateways: CPayGateways
    /// The delivery order of the results.
    public var resultOrder: ResultOrder
    /// The time that an order waits for its payer to return. Nil, as with the vendor's SDK, means no limit.
    public var returnTimeout: Duration?
    /// The time allowed for one request.
    public var requestTimeout: Duration

    /// Creates a configuration.
    public init(
        endpoint: CPayEndpoint, accessToken: Redacted<String>? = nil, places: CPayReturnPlaces = CPayReturnPlaces(),
        gateways: CPayGateways = .standard, resultOrder: ResultOrder = .inquiryFirst, returnTimeout: Duration? = nil,
        requestTimeout: Duration = .seconds(30)
    ) {
        self.endpoint = endpoint
        self.accessToken = accessToken
        self.places = places
        self.gateways = gateways
        self.resultOrder = resultOrder
        self.returnTimeout = returnTimeout
        self.requestTimeout = requestTimeout
    }
}

/// An event of an order in addition to its callback: the content of the vendor's two notifications.
public enum CPayEvent: Sendable {
    /// A charge is confirmed. It is not yet paid.
    case orderConfirmed(CPayResult)
    /// The result of an order that has ended, as the service reports it. After a failure before there was a charge, the
    /// failure, with an empty id.
    case checked(CPayCheck)
    /// A payer returned by a URL that names another order than those waiting there. It has no effect.
    case returnRefused(CPayReturnError)
}

/// Why the URL of a payer's return is refused.
public enum CPayReturnError: Error, Sendable, Hashable {
    /// The URL names another order than those whose payers are away, by the item with this name.
    case anotherOrder(item: String)
}

extension CPayReturnError: CustomStringConvertible {
    /// One human-readable sentence, without the URL's content.
    public var description: String {
        switch self {
        case .anotherOrder(let item): ReturnNames.Item(rawValue: item)?.rejection ?? "the URL is another order's"
        }
    }
}

// MARK: - Charges and access tokens

/// Calls of the vendor's SDK that its guide leaves to the merchant's server: making charges and getting tokens.
extension CPayClient {
    /// Makes a charge of the order, once, and hands the result to `callback` on the main thread.
    ///
    /// The payer is not charged: the charge's token is in `data.chargeToken`, and an order with it is paid with
    /// ``requestOrder(_:callback:)``, once. The access token has to allow it. A lost answer also loses the token,
    /// because the service sends it nowhere else. The message then says to order again under another reference.
    public func generateOrder(_ request: CPayRequest, callback: @escaping CPayOrderCallback) {
        let order = Order(request)
        Task { await callback(await make(order)) }
    }

    /// Makes a charge of the order, once. See ``generateOrder(_:callback:)``.
    ///
    /// - Returns: the charge, its token in `data.chargeToken`; or the reason for its absence.
    public nonisolated(nonsending) func generateOrder(_ request: CPayRequest) async -> CPayResult {
        await make(Order(request))
    }

    private func make(_ order: Order) async -> CPayResult {
        do throws(OrderError) {
            try order.checkToMake()
            let configuration = configuration
            let context = try context(configuration)
            return try await make(order, at: try service(configuration, context), context)
        } catch {
            return CPayResult(
                status: "fail", code: error.code, message: error.message, reference: order.reference, id: nil)
        }
    }

    private func make(
        _ order: Order, at service: CitconService, _ context: ProviderContext
    ) async throws(OrderError) -> CPayResult {
        var whole = order.body.reveal()
        // Required, if only as an empty object (Protocol 2.4).
        whole["urls"] = whole["urls"] ?? [:]
        let body = Redacted(whole)
        let made = Mutex<CitconService.Answer?>(nil)
        do {
            _ = try await context.step("make the charge", .mutation(replay: .never)) {
                let answer = try await service.create(body)
                made.withLock { $0 = answer }
                return true
            }
        } catch let error as CitconCallError {
            guard error.leavesFateOpen else { throw OrderError(error) }
            return await lost(order, error, service)
        } catch { throw OrderError("\(CPayMessage.unknown): stopped by \(type(of: error))") }
        guard let answer = made.withLock({ $0 }) else { throw OrderError(CPayMessage.unknown) }
        if let member = order.terms.difference(fromConfirmed: answer.transaction) {
            throw OrderError("\(CPayMessage.invalidContent): its '\(member)' is not the order's")
        }
        guard let token = answer.transaction.chargeToken?.reveal(), PathSegment.isSafe(token) else {
            throw OrderError("\(CPayMessage.invalidContent): it holds no charge token. \(VendorText.tokenLost)")
        }
        return CPayResult(answer)
    }

    /// Returns the result for a charge whose answer is lost: what the service reports under its reference.
    private func lost(_ order: Order, _ error: CitconCallError, _ service: CitconService) async -> CPayResult {
        let failure = OrderError(error)
        let answer = try? await service.inquire(reference: order.reference ?? "")
        let isIt = answer.map { order.terms.difference(from: $0.transaction) == nil } ?? false
        let found = isIt ? answer : nil
        return CPayResult(
            status: "fail", version: found?.version, app: found?.app,
            data: CPayResultData(
                code: failure.code, message: "\(failure.message). \(VendorText.tokenLost)",
                id: found?.transaction.id, reference: order.reference,
                transaction: found?.transaction ?? TransactionFields()))
    }

    /// Gets an access token for `vendor`, a merchant's private key, and hands it to `onComplete` on the main thread;
    /// nil when there is none. See ``getAccessToken(_:)``.
    public func getAccessToken(_ vendor: String, onComplete: @escaping @MainActor @Sendable (String?) -> Void) {
        Task { await onComplete(await getAccessToken(vendor)) }
    }

    /// Gets an access token for `vendor`, a merchant's private key. For demonstrations only: every user of the
    /// application has its key, so nothing is sent to the environment with real money. Servers use `CitconMerchant`.
    ///
    /// - Returns: the token; nil when the service issues none, and always in production.
    public func getAccessToken(_ vendor: String) async -> String? {
        let configuration = configuration
        let endpoint = configuration.endpoint
        guard !vendor.isEmpty, endpoint.mode != .PROD || endpoint.baseURL.isLoopback,
            let http = try? context(configuration).http
        else { return nil }
        let service = CitconService(
            baseURL: endpoint.baseURL, token: Redacted(vendor), http: http, timeout: configuration.requestTimeout)
        return try? await service.accessToken("server").token.reveal()
    }
}
