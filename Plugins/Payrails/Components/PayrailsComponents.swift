// The guide's one import stands for the client and the components. Who takes the components alone gets with them what
// they speak of, and Foundation, as from the vendor's.
@_exported public import Foundation
@_exported public import PayrailsTypes
