// One import provides everything that the vendor's guides use, Foundation included, as the vendor's own import does.
@_exported public import Foundation
@_exported public import WalletConnectPayProvider
