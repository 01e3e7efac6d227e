import BitcoinSandbox
import CitconSandbox
import PaykitSandbox
import PayrailsSandbox
package import SandboxSupport
import WalletConnectPaySandbox

extension SandboxVendors {
    /// All vendors: the one place outside their folders that names them. A new vendor adds its line here.
    package static let all = SandboxVendors([
        WalletConnectPayVendor(), CitconVendor(), PayrailsVendor(),
        // Its homeserver answers for every path that is no other vendor's.
        PaykitVendor(), BitcoinVendor(),
    ])
}
