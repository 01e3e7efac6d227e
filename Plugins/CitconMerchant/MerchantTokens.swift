import PaymentCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The access token of a merchant's server, kept until it expires: the service gives no other before. One that ends on
/// the way is refused, which ``MerchantService`` answers with a new one.
actor MerchantTokens {
    private var current: (token: Redacted<String>, expiry: Date)?

    /// The token, if there is one that is still good at `now`.
    func token(at now: Date) -> Redacted<String>? {
        guard let current, now < current.expiry else { return nil }
        return current.token
    }

    func keep(_ token: Redacted<String>, until expiry: Date) {
        current = (token, expiry)
    }

    /// Drops `token`, which the service refused; one that has taken its place meanwhile stays.
    func drop(_ token: Redacted<String>) {
        if current?.token == token { current = nil }
    }
}
