public import PaymentCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// An access token as a merchant's server hands it to an app.
public struct CitconAppToken: Sendable, Hashable {
    /// The token; opaque.
    public let token: Redacted<String>
    /// When it ends, a day after it was made unless the service says otherwise; nil when the service does not say.
    public let expiry: Date?
}
