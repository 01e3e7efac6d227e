// One import provides everything that the vendor's guide uses, Foundation included, as the vendor's own import does.
@_exported public import CitconProvider
@_exported public import Foundation
import PaymentTransport

extension CPayManager {
    private static let standardTransport = StandardTransport()

    /// Returns the manager, with the guide's signature, over `StandardTransport`.
    public static func sharedInstance() -> CPayManager { sharedInstance(transport: standardTransport) }

    /// Returns ``sharedInstance()``, under its other name in the vendor's SDK.
    public static func sharedInst() -> CPayManager { sharedInstance() }
}
