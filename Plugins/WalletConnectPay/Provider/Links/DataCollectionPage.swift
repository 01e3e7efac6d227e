public import PaymentCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The service's own form: a page to be shown in a web view, which submits the data itself.
///
/// Only pages on the service's hosts are accepted, by exact comparison: names that merely contain one belong to others.
/// The address contains the payer's accounts and may carry personal data, so it prints as nothing.
public struct DataCollectionPage: Sendable {
    /// The hosts of the form, in production, staging and development.
    public static let hosts: Set<String> = [
        PaymentID.linkHost, "staging." + PaymentID.linkHost, "dev." + PaymentID.linkHost,
    ]
    /// The fields that a wallet may pre-fill. Consents are excluded: only the payer can give them.
    public static let prefillableIDs: Set<String> = [
        "fullName", "dob", "pobAddress", "pobCountry", "porAddress", "porCountry",
    ]

    /// The page's appearance.
    @nonexhaustive
    public enum Theme: String, Sendable, Hashable, CaseIterable {
        /// Light text on a dark ground.
        case dark
        /// Dark text on a light ground.
        case light
    }

    /// The page's address.
    public let url: Redacted<HTTPURL>
    /// The page's origin: messages of any other origin are not accepted.
    public let origin: WebOrigin

    /// Creates a page by checking the address that an option's `collectData` names. A fragment is dropped.
    ///
    /// - Parameters:
    ///   - text: the address.
    ///   - allowsLoopback: true to also accept pages on this machine, encrypted or not, on any port: for a sandbox
    ///     only.
    /// - Throws: ``DataCollectionPageError``.
    public init(_ text: String, allowsLoopback: Bool = false) throws(DataCollectionPageError) {
        let url = try Self.read(text)
        if !(allowsLoopback && url.isLoopback) {
            guard url.isSecure else { throw .notSecure }
            guard Self.hosts.contains(url.host), url.port == 443 else { throw .foreignPage(origin: url.origin) }
        }
        self.init(url: url)
    }

    private init(url: HTTPURL) {
        self.url = Redacted(url)
        origin = WebOrigin(url)
    }

    /// Returns the page pre-filled with the wallet's known values.
    ///
    /// The page receives the values that `form` requests, that are among ``prefillableIDs`` and that pass the form's
    /// own checks. The payer fills in the rest. Without any such value the page is returned unchanged.
    ///
    /// - Throws: ``DataCollectionPageError/tooLong``.
    public func prefilled(
        with known: [String: Redacted<String>], for form: DataForm
    ) throws(DataCollectionPageError) -> DataCollectionPage {
        let ids = form.askedIDs.intersection(Self.prefillableIDs)
        var values: [String: JSONValue] = [:]
        for (id, value) in known where ids.contains(id) {
            let value = value.reveal()
            if !value.allSatisfy(\.isWhitespace), (try? form.check(value, for: id)) != nil {
                values[id] = .string(value)
            }
        }
        guard !values.isEmpty else { return self }
        return try setting("prefill", to: Data(JSONValue.object(values).serialized()).base64EncodedString())
    }

    /// Returns the page in the appearance `theme`.
    ///
    /// - Throws: ``DataCollectionPageError/tooLong``.
    public func themed(_ theme: Theme) throws(DataCollectionPageError) -> DataCollectionPage {
        try setting("theme", to: theme.rawValue)
    }

    /// Returns the page with one query item replaced, or added at the end. All others stay byte for byte.
    private func setting(_ name: String, to value: String) throws(DataCollectionPageError) -> DataCollectionPage {
        let url = url.reveal()
        // Form decoders read a plain `+` as a space, and base64 has many of them.
        var item: String? = name + "=" + PercentCoding.encode(value)
        var items: [String] = []
        for part in (url.query ?? "").split(separator: "&", omittingEmptySubsequences: false) {
            let itsName = part.prefix { $0 != "=" }
            if PercentCoding.decodeLeniently(itsName, plusIsSpace: true) != name {
                items.append(String(part))
            } else if let replacement = item {
                items.append(replacement)
                item = nil
            }
        }
        if url.query?.isEmpty ?? true { items = [] }
        if let item { items.append(item) }
        return DataCollectionPage(url: try Self.read(url.origin + url.path + "?" + items.joined(separator: "&")))
    }

    private static func read(_ text: String) throws(DataCollectionPageError) -> HTTPURL {
        do { return try HTTPURL(text) } catch .tooLong { throw .tooLong } catch { throw .malformed(error) }
    }
}

/// Why a page is not opened. It contains no more of the address than the origin.
@nonexhaustive
public enum DataCollectionPageError: Error, Sendable, Hashable {
    /// The address is not a web address.
    case malformed(LinkDefect)
    /// The address is longer than ``PaymentCore/PaymentLink/maximumLength``.
    case tooLong
    /// The page would be loaded without encryption.
    case notSecure
    /// The page is not on one of the service's hosts.
    case foreignPage(origin: String)
}

extension DataCollectionPageError: CustomStringConvertible {
    /// One human-readable sentence.
    public var description: String {
        switch self {
        case .malformed(let defect): "the form's address is malformed: \(defect)"
        case .tooLong: "the form's address would be longer than \(PaymentLink.maximumLength) bytes; fill in less of it"
        case .notSecure: "the form's address is not encrypted (https); it is not opened"
        case .foreignPage(let origin):
            "the form is on \(origin), which is not a WalletConnect Pay page; it is not opened"
        }
    }
}

/// Scheme, host and port of a page: the boundary between pages in browsers. Compared exactly, never by parts.
public struct WebOrigin: Sendable, Hashable {
    /// The scheme, in lower case.
    public let scheme: String
    /// The host, in lower case; an IPv6 address keeps its brackets.
    public let host: String
    /// The port, the scheme's default included; 0 for schemes without one.
    public let port: Int

    /// Creates an origin as web views report it: a port of 0 stands for the scheme's default.
    public init(scheme: String, host: String, port: Int) {
        let scheme = String(decoding: scheme.utf8.map(\.lowercasedASCII), as: UTF8.self)
        let standard = scheme == "https" ? 443 : scheme == "http" ? 80 : 0
        self.scheme = scheme
        self.host = String(decoding: host.utf8.map(\.lowercasedASCII), as: UTF8.self)
        self.port = port == 0 ? standard : port
    }

    /// Creates the origin of `url`.
    public init(_ url: HTTPURL) {
        self.init(scheme: url.isSecure ? "https" : "http", host: url.host, port: Int(url.port))
    }
}
