// One import gives followers of the vendor's guides everything those guides use, as the vendor's own does: Foundation
// too.
@_exported public import Foundation
@_exported public import WalletConnectPayProvider
