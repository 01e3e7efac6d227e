// One import provides everything that the vendor's guide uses, Foundation included, as the vendor's own module does.
@_exported public import Foundation
@_exported public import PayrailsProvider
