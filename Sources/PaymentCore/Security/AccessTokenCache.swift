#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The access token of a merchant's server, kept until it ends. One that ends on the way is refused by the service,
/// which is answered with a new one.
package actor AccessTokenCache {
    private var current: (token: Redacted<String>, expiry: Date)?

    /// Creates an empty cache.
    package init() {}

    /// The token, if there is one that is still good at `now`.
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
