public import PaymentCore
import PaymentCrypto

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The form of init data as a link or as a text.
///
/// Two forms:
/// - `payrails:session?version=<version>&data=<data>`, where `<data>` is the init data's `data` in the URL-safe
///   alphabet of base64 without padding (RFC 4648 section 5). Both items occur exactly once; others are not allowed.
/// - The service's answer to the merchant's server itself, as in a QR code: a JSON text that begins with `{"version":`
///   or `{"data":` and has these two members as strings.
///
/// Both hold the session's token: only the payer may see them. `PaymentLink` takes texts of up to 8 KiB. Pass longer
/// init data to `PayrailsSession`.
public enum SessionLink {
    /// The scheme of links.
    public static let scheme = "payrails"
    static let textPrefixes = [#"{"version":"#, #"{"data":"#]

    /// Returns the link to `data`.
    public static func link(to data: PayrailsInitData) -> Redacted<String> {
        let text = data.data.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }.filter { $0 != "=" }
        return Redacted("\(scheme):session?version=\(PercentCoding.encode(data.version))&data=\(String(text))")
    }

    /// The reason that a link holds no init data.
    enum Defect: Error {
        /// The link has neither of the two forms.
        case otherForm
        /// The link has one of the forms, with this defect.
        case malformed(String)
    }

    /// Returns the init data in `link`.
    static func initData(of link: PaymentLink) throws(Defect) -> PayrailsInitData {
        switch link.form {
        case .opaque where link.scheme.map(String.init) == scheme: try opaque(link)
        case .text: try text(link.text)
        default: throw .otherForm
        }
    }

    private static func opaque(_ link: PaymentLink) throws(Defect) -> PayrailsInitData {
        guard link.path == "session" else { throw .malformed("after 'payrails:' there has to be 'session'") }
        guard link.fragment == nil else { throw .malformed("it has a fragment") }
        var version: String?
        var data: String?
        for item in link.queryItems {
            switch item.name {
            case "version" where version == nil: version = item.decodedValue
            case "data" where data == nil: data = String(item.value)
            default: throw .malformed("its query has something besides one 'version' and one 'data'")
            }
        }
        guard let version, let data else { throw .malformed("it lacks 'version' or 'data'") }
        var standard: [UInt8] = []
        standard.reserveCapacity(data.utf8.count + 3)
        for byte in data.utf8 {
            switch byte {
            case UInt8(ascii: "-"): standard.append(UInt8(ascii: "+"))
            case UInt8(ascii: "_"): standard.append(UInt8(ascii: "/"))
            case _ where byte.isASCIILetter || byte.isASCIIDigit: standard.append(byte)
            default: throw .malformed("'data' is not base64url without padding")
            }
        }
        while standard.count % 4 != 0 { standard.append(UInt8(ascii: "=")) }
        return PayrailsInitData(version: version, data: String(decoding: standard, as: UTF8.self))
    }

    private static func text(_ text: String) throws(Defect) -> PayrailsInitData {
        guard textPrefixes.contains(where: text.hasPrefix), let json = try? JSONValue(parsing: text),
            let version = json["version"]?.string, let data = json["data"]?.string
        else { throw .otherForm }
        return PayrailsInitData(version: version, data: data)
    }
}

/// The content of the service's answer to the merchant's server for one payment, passed on unchanged.
///
/// It holds an access token: it is redacted when printed, and must not be written to a log or a journal.
public struct PayrailsInitData: Sendable, Hashable, Codable {
    /// The format's version; opaque.
    public let version: String
    private let content: Redacted<String>

    /// The standard base64 of a JSON object.
    public var data: String { content.reveal() }

    /// Creates a value from the two members of the server's answer.
    public init(version: String, data: String) {
        self.version = version
        content = Redacted(data)
    }

    private enum CodingKeys: String, CodingKey {
        case version, data
    }

    /// Creates a value by reading the server's answer.
    ///
    /// - Throws: `DecodingError` if a member is missing or is not a text.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            version: try container.decode(String.self, forKey: .version),
            data: try container.decode(String.self, forKey: .data))
    }

    /// Writes the values that ``init(from:)`` reads, the token included.
    ///
    /// - Throws: any error of `encoder`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(version, forKey: .version)
        try container.encode(data, forKey: .data)
    }
}

// The data holds an access token.
extension PayrailsInitData: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The version only.
    public var description: String { "InitData(version: \(version), data: <redacted>)" }
    /// The version only.
    public var debugDescription: String { description }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}

/// The meaning of links for Payrails.
enum LinkReading {
    /// Returns the match of `link`; nil if it does not belong to Payrails.
    static func match(_ link: PaymentLink, _ returnURLs: ReturnURLs) -> LinkMatch? {
        if returnURLs.kind(of: link) != nil { return LinkMatch(nil, role: .callback) }
        if link.isHTTP { return page(link) }
        do throws(SessionLink.Defect) {
            return session(try SessionLink.initData(of: link))
        } catch {
            switch error {
            case .otherForm: return nil
            case .malformed(let reason): return unusable(reason)
            }
        }
    }

    /// Returns the match of a page of the service where the payer proves their identity:
    /// `/public/redirect/merchant/{workflow}/{execution}/{token}`.
    private static func page(_ link: PaymentLink) -> LinkMatch? {
        let parts = link.path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        guard link.isHTTPS, link.port == nil,
            link.host.map(String.init).map({ AddressRule.host($0, isWithin: AddressRule.domain) }) == true,
            parts.count == 6, Array(parts.prefix(3)) == ["public", "redirect", "merchant"],
            let execution = WireText.id(String(parts.dropFirst(4).first ?? "")), parts.last?.isEmpty == false
        else { return nil }
        return LinkMatch(.payment(execution), role: .callback, holdsSecret: true)
    }

    private static func session(_ data: PayrailsInitData) -> LinkMatch {
        let payload: SessionPayload
        do { payload = try SessionPayload(data) } catch { return unusable(error.description) }
        guard let execution = payload.execution else { return unusable("it is for storing cards, and pays nothing") }
        guard let id = WireText.id(execution.id) else { return unusable("'execution.id' is not an id") }
        for address in payload.serviceAddresses.compactMap(\.self) {
            guard let url = try? HTTPURL(address) else { return unusable("it holds a malformed address") }
            guard AddressRule.isPayrails(url) else {
                return LinkMatch(
                    .payment(id), trust: .unverified(reason: "the session leads to \(url.origin), not to payrails.io"),
                    holdsSecret: true)
            }
        }
        return LinkMatch(.payment(id), holdsSecret: true)
    }

    private static func unusable(_ reason: String) -> LinkMatch {
        LinkMatch(
            nil, trust: .unverified(reason: "the session cannot be read: \(reason)"), holdsSecret: true)
    }
}

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
