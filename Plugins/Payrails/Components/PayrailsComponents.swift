// The guide's one import covers the client and the components. An import of the components alone includes the types of
// their interface, and Foundation, as the vendor's does.
@_exported public import Foundation
@_exported public import PayrailsProvider
