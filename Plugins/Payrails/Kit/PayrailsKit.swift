// One import gives followers of the vendor's guide everything it uses, as the vendor's own does: Foundation too.
@_exported public import Foundation
@_exported public import PayrailsComponents
@_exported public import PayrailsProvider
@_exported public import PayrailsTypes
