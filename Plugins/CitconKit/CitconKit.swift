// One import gives followers of the vendor's guide everything it uses.
@_exported public import CitconProvider
import PaymentTransport

extension CPayManager {
    private static let standardTransport = StandardTransport()

    /// The manager, exactly as the vendor's guide has it, over `StandardTransport`.
    public static func sharedInstance() -> CPayManager { sharedInstance(transport: standardTransport) }

    /// The name that the vendor's SDK has for ``sharedInstance()``.
    public static func sharedInst() -> CPayManager { sharedInstance() }
}
