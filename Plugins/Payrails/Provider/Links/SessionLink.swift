public import PaymentCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The form of init data as a link or as a text.
///
/// Two forms:
/// - `payrails:session?version=<version>&data=<data>`, where `<data>` is the init data's `data` in the URL-safe
///   alphabet of base64 without padding (RFC 4648 section 5). Both items occur exactly once; others are not allowed.
/// - The service's answer to the merchant's server itself, as in a QR code: a JSON text that begins with `{"version":`
///   or `{"data":` and has these two members as strings.
///
/// Both hold the session's token: only the payer may see them. `PaymentLink` takes texts of up to 8 KiB; pass longer
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
