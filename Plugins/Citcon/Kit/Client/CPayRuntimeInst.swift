import CitconProvider
import Synchronization

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
