/// An application that pays needs the values of the core: one import brings both.
@_exported public import PaymentCore
