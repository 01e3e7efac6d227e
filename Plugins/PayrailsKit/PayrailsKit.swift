// One import gives followers of the vendor's guide everything it uses.
@_exported public import PayrailsComponents
@_exported public import PayrailsProvider
@_exported public import PayrailsTypes
