public import CitconProvider
import Dispatch
public import Foundation
public import PaymentCore
import Synchronization

/// The vendor's entry point, one for the whole process.
///
/// ```swift
/// import CitconKit
///
/// CPayManager.sharedInstance().setMode(.PROD)
/// CPayManager.sharedInstance().setAccessToken("…")
/// CPayManager.sharedInstance().setLauncher { launch in … }
/// CPayManager.sharedInstance().requestOrder(order) { result in … }
/// ```
///
/// The vendor's guide has no ``setLauncher(_:)``: the vendor's SDK contains the wallets' own libraries and starts them
/// itself. Here the application shows pages, wallets and codes. Servers, tests and applications with several merchants
/// create their own ``CPayClient``.
public final class CPayManager: Sendable {
    private struct Setup: Sendable {
        var mode = CPayENVMode.PROD
        var baseURL: String?
        var token: Redacted<String>?
        var places = CPayReturnPlaces()
        var resultOrder = CPayClientConfiguration.ResultOrder.inquiryFirst
        var returnTimeout: Duration?

        var configuration: CPayClientConfiguration {
            // A base URL was checked when it was set.
            let endpoint = (try? CPayEndpoint(mode, baseURL: baseURL)) ?? .production
            return CPayClientConfiguration(
                endpoint: endpoint, accessToken: token, places: places,
                gateways: CPayGateways(CPayRuntimeInst.gateways), resultOrder: resultOrder,
                returnTimeout: returnTimeout)
        }
    }

    private let setup = Mutex(Setup())
    private let base = CPayClient(
        configuration: CPayClientConfiguration(endpoint: .production), transport: nil, observer: { post($0) })

    init() {}

    /// The client behind the vendor's calls, with the current configuration.
    var client: CPayClient {
        base.configuration = setup.withLock(\.configuration)
        return base
    }

    /// Returns the manager. Use the module CitconKit, whose `sharedInstance()` brings a transport.
    ///
    /// - Parameter transport: sends the requests, and is kept by the manager. This module opens no connections by
    ///   itself. Without a transport, every order and inquiry fails with a message that says so.
    public static func sharedInstance(transport: (any HTTPTransport)? = nil) -> CPayManager {
        let manager = VendorState.shared.withLock { state in
            let manager = state.manager ?? CPayManager()
            state.manager = manager
            return manager
        }
        if let transport {
            // A later call, even with another transport, does not replace the first one.
            manager.base.means.withLock { $0.transport = $0.transport ?? transport }
        }
        return manager
    }

    /// Returns ``sharedInstance(transport:)``, under its other name in the vendor's SDK.
    public static func sharedInst(transport: (any HTTPTransport)? = nil) -> CPayManager {
        sharedInstance(transport: transport)
    }

    // MARK: Setting up

    /// Sets the environment. The default is production.
    ///
    /// - Returns: always true, as the vendor's SDK does.
    @discardableResult
    public func setMode(_ mode: CPayENVMode) -> Bool {
        change { $0.mode = mode }
        return true
    }

    /// Sets the access token that the merchant's server got from the service, never the merchant's own key.
    ///
    /// - Returns: always true, as the vendor's SDK does, also for an empty token.
    @discardableResult
    public func setAccessToken(_ token: String) -> Bool {
        let token = Redacted(token)
        change { $0.token = token }
        return true
    }

    /// Sends calls to another address: a sandbox, or one of the vendor's accelerated hosts. Nil restores the mode's own
    /// address. Not in the vendor's guide.
    ///
    /// - Throws: ``CPayEndpointError`` when the address is neither `https` nor on this machine.
    public func setBaseURL(_ url: String?) throws(CPayEndpointError) {
        _ = try CPayEndpoint(.PROD, baseURL: url)
        change { $0.baseURL = url }
    }

    /// Sets the launcher, which opens pages and apps. Not in the vendor's guide.
    public func setLauncher(_ launcher: CPayLauncher?) { base.means.withLock { $0.launcher = launcher } }

    /// Sets the application's return addresses in addition to those that orders name, such as its bundle id for
    /// Braintree. Not in the vendor's guide.
    public func setReturnPlaces(_ places: CPayReturnPlaces) { change { $0.places = places } }

    /// Sets the delivery order of the results and the time limit for returning payers. Not in the vendor's guide.
    public func setResultOrder(_ order: CPayClientConfiguration.ResultOrder, returnTimeout: Duration? = nil) {
        change {
            $0.resultOrder = order
            $0.returnTimeout = returnTimeout
        }
    }

    private func change(_ change: (inout sending Setup) -> Void) { setup.withLock { change(&$0) } }

    /// Posts the vendor's notifications on the main thread, in the order of the events: the main queue keeps that
    /// order, also relative to the callbacks.
    private static func post(_ event: CPayEvent) {
        let (name, object): (String, any AnyObject & Sendable)
        switch event {
        case .orderConfirmed(let result): (name, object) = (CPayRuntimeInst.ORDER_CONFIRMED(), result)
        case .checked(let check): (name, object) = (CPayRuntimeInst.NTFY_ASYNC(), check)
        case .returnRefused: return
        }
        DispatchQueue.main.async { NotificationCenter.default.post(name: Notification.Name(name), object: object) }
    }

    // MARK: The vendor's calls

    /// Pays an order; see ``CPayClient/requestOrder(_:callback:)``.
    ///
    /// - Returns: always true, as the vendor's SDK does.
    @discardableResult
    public func requestOrder(_ order: CPayRequest, callback: @escaping CPayOrderCallback) -> Bool {
        client.requestOrder(order, callback: callback)
    }

    /// Pays an order and waits for its result; see ``CPayClient/requestOrder(_:)``.
    public nonisolated(nonsending) func requestOrder(_ order: CPayRequest) async -> CPayResult {
        await client.requestOrder(order)
    }

    /// Makes a charge of the order, once; see ``CPayClient/generateOrder(_:callback:)``.
    public func generateOrder(_ order: CPayRequest, callback: @escaping CPayOrderCallback) {
        client.generateOrder(order, callback: callback)
    }

    /// Makes a charge of the order, once; see ``CPayClient/generateOrder(_:callback:)``.
    ///
    /// - Returns: the charge, its token in `data.chargeToken`; or the reason for its absence.
    public nonisolated(nonsending) func generateOrder(_ order: CPayRequest) async -> CPayResult {
        await client.generateOrder(order)
    }

    /// Gets an access token for a merchant's private key, in demonstrations; see ``CPayClient/getAccessToken(_:)``.
    public func getAccessToken(_ vendor: String, onComplete: @escaping @MainActor @Sendable (String?) -> Void) {
        client.getAccessToken(vendor, onComplete: onComplete)
    }

    /// Inquires about a transaction by the service's id.
    ///
    /// - Returns: always true, as the vendor's SDK does.
    @discardableResult
    public func inquireOrder(_ transId: String, callback: @escaping CPayCheckCallback) -> Bool {
        client.inquireOrder(transId, callback: callback)
    }

    /// Inquires about a charge by the merchant's reference.
    ///
    /// - Returns: always true.
    @discardableResult
    public func inquireOrder(reference: String, callback: @escaping CPayCheckCallback) -> Bool {
        client.inquireOrder(reference: reference, callback: callback)
    }

    /// Inquires about a transaction by the service's id.
    ///
    /// - Returns: the result; code `-1` when the inquiry failed.
    public func inquireOrder(_ transId: String) async -> CPayCheck { await client.inquireOrder(transId) }

    /// Inquires about a charge by the merchant's reference.
    ///
    /// - Returns: the result; code `-1` when the inquiry failed.
    public func inquireOrder(reference: String) async -> CPayCheck { await client.inquireOrder(reference: reference) }

    /// Returns `2.0.6`, the release of the vendor's SDK whose guide this follows.
    public func getVersion() -> String { CitconService.version }

    /// Handles a URL that opened the application; see ``CPayClient/handleUrl(_:)``.
    ///
    /// - Returns: true if the URL is a return to this library.
    @discardableResult
    public func handleUrl(_ url: URL) -> Bool { client.handleUrl(url.absoluteString) }

    /// Handles the URLs that opened a scene.
    public func handleScene(_ urls: Set<URL>) {
        for url in urls { client.handleUrl(url.absoluteString) }
    }

    /// Handles the universal link that opened the application.
    public func handleUniversalLink(_ url: URL) { client.handleUrl(url.absoluteString) }

    /// Call it when the application becomes active; see ``CPayClient/applicationDidBecomeActive()``.
    public func applicationDidBecomeActive() { client.applicationDidBecomeActive() }

    /// Ends open orders; see ``CPayClient/cancelPending(reference:)``.
    ///
    /// - Returns: true if such an order was open.
    @discardableResult
    public func cancelPending(reference: String? = nil) -> Bool { client.cancelPending(reference: reference) }

    /// The events from now on, the content of the vendor's notifications; see ``CPayClient/events``.
    public var events: AsyncStream<CPayEvent> { client.events }
}

/// Names and tables of the vendor's SDK that belong to the whole process.
public enum CPayRuntimeInst {
    /// Returns the name of the notification that carries the asynchronous result of an order, a ``CPayCheck``.
    public static func NTFY_ASYNC() -> String { "CPayUPI.Notification.Async" }

    /// Returns the name of the notification that a charge is confirmed. Its object is a ``CPayResult``; the vendor does
    /// not document what its SDK sends with it.
    public static func ORDER_CONFIRMED() -> String { "CPayUPI.Notification.OrderConfirmed" }

    /// The gateway ids by handler name, for ``CPayManager/sharedInstance(transport:)`` and the orders that begin from
    /// now on; see ``CPayGateways``.
    public static var gateways: [String: [String]] {
        get { VendorState.shared.withLock { $0.gateways.ids } }
        set { VendorState.shared.withLock { $0.gateways = CPayGateways(newValue) } }
    }
}

/// The settings of the vendor's static members for the whole process: the only state of that kind in this module, and
/// only for code written after the vendor's guide.
struct VendorState: Sendable {
    static let shared = Mutex(VendorState())

    var gateways = CPayGateways.standard
    var manager: CPayManager?
}
