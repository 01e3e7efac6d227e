package import PaymentCore
import PaymentCrypto

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// What a session link says that is no secret, for people who look at it before they pay. Nothing is decided by it.
package struct SessionSummary: Sendable {
    /// What is to be paid; nil where it is no amount.
    package let amount: Money?
    /// The merchant's own name of the order.
    package let order: String?
    /// Where the session leads.
    package let hosts: [String]
    /// When its token ends, by the token's own word, which is not checked; nil where it does not say.
    package let expiresAt: Date?

    /// Reads a link or text with init data; nil when it holds none that can be read.
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

    /// The claim `exp` (RFC 7519, 4.1.4).
    private static func expiry(of token: String) -> Date? {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let claims = Base64URL.decode(parts[1]), let json = try? JSONValue(parsing: claims),
            let seconds = json["exp"]?.int64, (0...4_102_444_800).contains(seconds)
        else { return nil }
        return Date(timeIntervalSince1970: Double(seconds))
    }
}
