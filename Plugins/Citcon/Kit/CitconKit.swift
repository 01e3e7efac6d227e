// One import gives followers of the vendor's guide everything it uses, as the vendor's own does: Foundation too.
@_exported public import CitconProvider
@_exported public import Foundation
import PaymentTransport

extension CPayManager {
    private static let standardTransport = StandardTransport()

    /// Returns the manager, exactly as the vendor's guide has it, over `StandardTransport`.
    public static func sharedInstance() -> CPayManager { sharedInstance(transport: standardTransport) }

    /// Returns ``sharedInstance()``; its name in the vendor's SDK.
    public static func sharedInst() -> CPayManager { sharedInstance() }
}
