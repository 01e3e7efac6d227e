package import PaymentCore

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The access token of a merchant's server, kept until it expires. The service refuses one that expires on the way; the
/// caller then sends a new one.
package actor AccessTokenCache {
    private var current: (token: Redacted<String>, expiry: Date)?

    /// Creates an empty cache.
    package init() {}

    /// Returns the token, if it is still valid at `now`.
    package func token(at now: Date) -> Redacted<String>? {
        guard let current, now < current.expiry else { return nil }
        return current.token
    }

    /// Keeps `token` in place of any other.
    package func keep(_ token: Redacted<String>, until expiry: Date) {
        current = (token, expiry)
    }

    /// Drops `token`, which the service refused; one that has taken its place meanwhile stays.
    package func drop(_ token: Redacted<String>) {
        if current?.token == token { current = nil }
    }
}
