// One import provides everything that code of the guide uses, including Foundation.
@_exported public import Foundation
@_exported public import PaykitProvider
