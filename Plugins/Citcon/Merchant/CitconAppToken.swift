public import PaymentCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// An access token that a merchant's server passes to an app.
public struct CitconAppToken: Sendable, Hashable {
    /// The token; opaque.
    public let token: Redacted<String>
    /// The time of its expiry, a day after its creation unless the service says otherwise; nil when the service states
    /// none.
    public let expiry: Date?
}
