package import PaymentCore

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The access token of a merchant's server, kept until it expires. The service refuses a token that expires on the way.
/// The caller then sends a new one.
package actor AccessTokenCache {
    private var current: (token: Redacted<String>, expiry: Date)?

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

    /// Drops `token`, which the service refused. A token that has replaced it in the meantime stays.
    package func drop(_ token: Redacted<String>) {
        if current?.token == token { current = nil }
    }
}
