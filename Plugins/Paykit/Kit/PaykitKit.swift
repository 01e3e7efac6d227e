// One import gives followers of the guide everything it uses, Foundation too.
@_exported public import Foundation
@_exported public import PaykitProvider
