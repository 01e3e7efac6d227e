package import PaymentCore
import PaymentCrypto

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The values of a session link that are not secret, for people who check it before they pay. They decide nothing.
package struct SessionSummary: Sendable {
    /// The amount to pay; nil if it is not a valid amount.
    package let amount: Money?
    /// The merchant's own name of the order.
    package let order: String?
    /// The hosts of the session's addresses.
    package let hosts: [String]
    /// The expiry in the session's token, which is not checked; nil if the token states none.
    package let expiresAt: Date?

    /// Creates the summary of a link or text with init data; nil if it has none that can be read.
    package init?(_ link: PaymentLink) {
        guard let data = try? SessionLink.initData(of: link), let payload = try? SessionPayload(data) else {
            return nil
        }
        amount = try? payload.amount.money()
        order = payload.execution?.merchantReference
        var hosts: [String] = []
        for url in payload.serviceAddresses.compactMap({ $0.flatMap { try? HTTPURL($0) } })
        where !hosts.contains(url.authority) {
            hosts.append(url.authority)
        }
        self.hosts = hosts
        expiresAt = Self.expiry(of: payload.token.reveal())
    }

    /// Returns the claim `exp` (RFC 7519, 4.1.4).
    private static func expiry(of token: String) -> Date? {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let claims = Base64URL.decode(parts[1]), let json = try? JSONValue(parsing: claims),
            let seconds = json["exp"]?.int64, (0...4_102_444_800).contains(seconds)
        else { return nil }
        return Date(timeIntervalSince1970: Double(seconds))
    }
}
