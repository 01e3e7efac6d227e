package import PaymentCore

/// The reading of a strictly scanned link, and the decision if it certainly leads to WalletConnect Pay.
///
/// The id is always the one that the vendor's client would send. A link is verified only when a strict reading finds
/// the same id in a well-formed place. Any doubt makes it unverified, with the reason.
package enum LinkReading {
    static func match(_ link: PaymentLink) -> LinkMatch? {
        switch link.form {
        case .web: link.isHTTP ? webLink(link) : nil
        case .opaque: pairingURI(link)
        case .text: bareID(link)
        }
    }

    /// Returns ``match(_:)``, and for links of the application itself the match of their content.
    static func match(_ link: PaymentLink, in appLinks: AppLinks) -> LinkMatch? {
        appLinks.contains(link) ? appLinks.wrapped(in: link).flatMap(routed) : match(link)
    }

    /// Returns ``match(_:)`` for a link inside another one, which was not compared with the provider's claims: only for
    /// links that those cover, and as unverified for plain http.
    package static func routed(_ link: PaymentLink) -> LinkMatch? {
        switch link.form {
        case .text: return match(link)
        case .opaque: return link.scheme == "wc" ? match(link) : nil
        case .web: break
        }
        guard link.isHTTP, link.port == nil, link.hostKind == .name, let host = link.host, isOurs(host),
            let match = match(link)
        else { return nil }
        guard link.isPlainHTTP, let id = match.reference else { return match }
        return self.match(id, doubt: "the link uses plain http; anyone on the way can change it")
    }

    // MARK: Web links

    private static func webLink(_ link: PaymentLink) -> LinkMatch? {
        // The patterns request only these hosts, but trust must not depend on that.
        guard link.port == nil, let host = link.host, isOurs(host) else { return nil }
        if let id = plainID(link) { return LinkMatch(.payment(String(id))) }
        // Without percent signs and dot segments the vendor's reading cannot differ from the strict one.
        let isPlain = !link.text.utf8.contains(UInt8(ascii: "%")) && !link.path.contains("/.")
        let strict = strictID(link)
        guard let id = isPlain ? strict.id : PaymentID.extract(from: link.text) else {
            // Reports the reason instead of ignoring the link: the payer has scanned a real code.
            return isCapitalized(link) ? LinkMatch(nil, trust: .unverified(reason: capitals)) : nil
        }
        return match(id, doubt: strict.doubt ?? (id == strict.id ? nil : "programs read different ids from it"))
    }

    /// Returns the id of a link in one of the two plain forms, `/?pid=pay_…` and `/pay_…`, which nearly all links have.
    private static func plainID(_ link: PaymentLink) -> Substring? {
        let path = link.path
        guard link.isHTTPS, link.fragment == nil, link.host != PaymentID.shortLinkHost[...] else { return nil }
        guard let query = link.query else {
            let id = path.dropFirst()
            return PaymentID.isWellFormed(id) ? id : nil
        }
        guard path.utf8.count <= 1, query.utf8.starts(with: "pid=".utf8) else { return nil }
        let id = Substring(query.utf8.dropFirst(4))
        return PaymentID.isWellFormed(id) ? id : nil
    }

    /// Returns the id at its proper place in a web link on one of the service's hosts, and the doubt about it, if any.
    private static func strictID(_ link: PaymentLink) -> (id: String?, doubt: String?) {
        if link.host == PaymentID.shortLinkHost[...] { return shortLinkID(link) }
        var ids: [Substring] = []
        var hasOddName = false
        for item in link.queryItems {
            if item.name == "pid" {
                ids.append(item.value)
            } else if isSpelling(of: "pid", item.name) {
                hasOddName = true
            }
        }
        let path = link.path.drop { $0 == "/" }
        let id = ids.first.flatMap { $0.isEmpty ? nil : $0 } ?? path
        guard !id.isEmpty else { return (nil, nil) }
        let doubt: String? =
            if link.fragment != nil {
                "it has a fragment, which payment links never have"
            } else if ids.count > 1 || hasOddName {
                "it names the payment id more than once"
            } else if !PaymentID.isWellFormed(id) {
                isCapitalized(link) ? capitals : "its payment id is malformed"
            } else if !ids.isEmpty, path != id, path.contains("pay_") || path.contains("%") {
                // Programs decode an escape in a path once, twice or not at all.
                "its path and its query name different payments"
            } else {
                nil
            }
        return (String(id), doubt)
    }

    /// Reads a short link. The service resolves these itself: the whole link, encoded, is the id.
    private static func shortLinkID(_ link: PaymentLink) -> (id: String?, doubt: String?) {
        let code = link.path.dropFirst()
        let isCode = code.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || $0 == 0x5F || $0 == 0x2D }
        guard !code.isEmpty else { return (nil, nil) }
        let isPlain = isCode && link.query == nil && link.fragment == nil
        return (PercentCoding.encode(link.text), isPlain ? nil : "it is not a plain short link")
    }

    // MARK: Pairing URIs

    private static func pairingURI(_ link: PaymentLink) -> LinkMatch? {
        var values: [QueryItems.Item] = []
        var hasOddName = false
        for item in link.queryItems {
            if item.name == "pay" {
                values.append(item)
            } else if isSpelling(of: "pay", item.name) {
                hasOddName = true
            }
        }
        // A pairing URI without a payment belongs to others.
        guard !values.isEmpty, let id = PaymentID.extract(from: link.text), id != link.text else { return nil }
        if values.count > 1 || hasOddName { return match(id, doubt: "it names the payment link more than once") }
        // A link that is still encoded after one decoding is another link to other programs.
        guard let text = values[0].decodedValue, text.contains("://"), let inner = try? PaymentLink(text) else {
            return match(id, doubt: "its payment link is malformed")
        }
        guard inner.isHTTPS, inner.port == nil, inner.hostKind == .name, let host = inner.host, isOurs(host) else {
            return match(id, doubt: "its payment link does not lead to a WalletConnect Pay host over https")
        }
        let strict = strictID(inner)
        return match(id, doubt: strict.doubt ?? (id == strict.id ? nil : "programs read different ids from it"))
    }

    /// Returns true if `host`, in lower case, is one of the service's.
    static func isOurs(_ host: Substring) -> Bool {
        host == PaymentID.linkHost[...] || host == PaymentID.shortLinkHost[...]
            || host.hasSuffix("." + PaymentID.linkHost)
    }

    // MARK: Bare ids

    private static func bareID(_ link: PaymentLink) -> LinkMatch? {
        guard PaymentID.isWellFormed(link.text) else { return nil }
        return match(link.text, doubt: "a bare id does not say which service it belongs to")
    }

    // MARK: Capitals

    /// The reason for links in capitals. QR codes hold capitals in less space, and some generators write everything in
    /// them. Scheme and host survive that, but an id does not: its lower-case letters cannot be restored with
    /// certainty, and a guess may be another payment.
    private static let capitals =
        "it was written in capitals throughout, which spoils the payment id; ask the merchant for the original link"

    /// Returns true if path and query name an id and are in capitals throughout.
    private static func isCapitalized(_ link: PaymentLink) -> Bool {
        let rest = "\(link.path)?\(link.query ?? "")"
        return rest.contains("PAY_") && !rest.utf8.contains { 0x61...0x7A ~= $0 }
    }

    // MARK: Helpers

    /// Returns a match, without the id if it does not name a single payment, even if the payer consents to the link, or
    /// if it is a pairing URI with its key.
    private static func match(_ id: String, doubt: String?) -> LinkMatch {
        guard let doubt else { return LinkMatch(.payment(id)) }
        let isID = PaymentID.isOnePayment(id) && !LinkPrivacy.namesKey(id)
        return LinkMatch(isID ? .payment(id) : nil, trust: .unverified(reason: doubt))
    }

    /// Returns true if some program could read `name` as `expected`: in another letter case, or percent-encoded.
    private static func isSpelling(of expected: String, _ name: Substring) -> Bool {
        // Without an escape, a name of another length is another name. Nearly all names are.
        let isEscaped = name.utf8.contains(UInt8(ascii: "%")) || name.utf8.contains(UInt8(ascii: "+"))
        guard isEscaped || name.utf8.count == expected.utf8.count else { return false }
        return PercentCoding.decodeLeniently(name, plusIsSpace: true).equalsIgnoringASCIICase(expected)
    }
}

/// Links on near-field tags.
public enum TagRecord {
    /// Returns the link in the payload of an NDEF URI record (type name format 1, type `U`): one byte for the beginning
    /// of the URI, then the rest of it. (NFC Forum URI Record Type Definition 1.0, table 3.)
    ///
    /// The result is as trustworthy as any scanned text: route it.
    ///
    /// - Returns: the link; nil when the payload is empty, the byte is a reserved one (0x24 and up), the rest is not
    ///   UTF-8, or the link would be longer than ``PaymentCore/PaymentLink/maximumLength``.
    public static func link(uriPayload payload: some Collection<UInt8>) -> String? {
        guard let code = payload.first, Int(code) < beginnings.count else { return nil }
        let rest = payload.dropFirst()
        let beginning = beginnings[Int(code)]
        guard rest.count + beginning.utf8.count <= PaymentLink.maximumLength,
            let text = String(validating: rest, as: UTF8.self)
        else { return nil }
        return beginning + text
    }

    /// The beginnings of URIs, by identifier code.
    static let beginnings = [
        "", "http://www.", "https://www.", "http://", "https://", "tel:", "mailto:", "ftp://anonymous:anonymous@",
        "ftp://ftp.", "ftps://", "sftp://", "smb://", "nfs://", "ftp://", "dav://", "news:", "telnet://", "imap:",
        "rtsp://", "urn:", "pop:", "sip:", "sips:", "tftp:", "btspp://", "btl2cap://", "btgoep://", "tcpobex://",
        "irdaobex://", "file://", "urn:epc:id:", "urn:epc:tag:", "urn:epc:pat:", "urn:epc:raw:", "urn:epc:",
        "urn:nfc:",
    ]
}
