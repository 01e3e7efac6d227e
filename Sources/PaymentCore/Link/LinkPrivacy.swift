// Links can hold secrets: tokens of charges and sessions, keys of wallet connections. So a link prints only parts that
// cannot hide one; code that needs the whole link reads its text.

extension PaymentLink {
    /// True if the link may hold a secret, as far as can be determined without its provider: it names a key
    /// (`symKey`), has ecash in it (`cashuB…`), is a URI of another scheme than `http` and `https`, or a text that
    /// has one in it or is JSON. A provider that claims it may know better: ``LinkMatch/holdsSecret``.
    public var mayHoldSecret: Bool {
        switch form {
        case .web, .opaque: !isHTTP || LinkPrivacy.holdsSecret(text)
        case .text: LinkPrivacy.mayHoldSecret(text)
        }
    }

    /// The part of any link that may be shown: the origin of a web link, otherwise the scheme, or the length of a text.
    public var publicText: String {
        guard let scheme else { return "(text of \(text.utf8.count) bytes)" }
        guard isHTTP, let host else { return "\(scheme):…" }
        let isMore = path.utf8.count > 1 || query != nil || fragment != nil
        return "\(scheme)://\(host)\(port.map { ":\($0)" } ?? "")\(isMore ? "/…" : "")"
    }
}

extension PaymentLink: CustomStringConvertible, CustomReflectable {
    /// ``publicText``.
    public var description: String { publicText }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}

/// The rules that detect a secret, and that choose the part that may be shown of texts that are no links.
package enum LinkPrivacy {
    /// The part that may be shown of a text that was refused as a link, or stands where no link should: nothing behind
    /// a scheme, but for `http` and `https`, where only the part before an `@` is left out.
    package static func shown(_ text: String) -> String {
        guard let (scheme, rest) = scheme(of: text[...]) else {
            return mayHoldSecret(text) ? "(text of \(text.utf8.count) bytes)" : text
        }
        guard let rest, isWeb(scheme), !holdsSecret(text) else { return "\(scheme):…" }
        guard let at = rest.prefix(while: { $0 != "?" && $0 != "#" }).lastIndex(of: "@") else { return text }
        return "\(scheme)://…\(rest[at...])"
    }

    /// True if a text that is no URI may hold a secret: it is JSON, which is for programs, or has a URI in it.
    static func mayHoldSecret(_ text: String) -> Bool {
        let words = text.split(whereSeparator: \.isWhitespace)
        return words.first?.hasPrefix("{") ?? false || holdsSecret(text)
            || words.contains { scheme(of: $0).map { !isWeb($0.name) } ?? false }
    }

    /// True if `text` names a key, or has money in it.
    fileprivate static func holdsSecret(_ text: String) -> Bool { namesKey(text) || holdsToken(text) }

    /// True if `text` has ecash in it at any depth: a token of Cashu (`cashuA…`, `cashuB…`), which its first reader can
    /// spend.
    private static func holdsToken(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { utf8 in
            guard utf8.count >= 16 else { return false }
            for index in 0...(utf8.count - 16) where utf8[index] == UInt8(ascii: "c") {
                guard utf8[index..<index + 5].elementsEqual("cashu".utf8), utf8[index + 5] &- 0x41 < 26 else {
                    continue
                }
                let isData = { (byte: UInt8) in byte.isASCIILetter || byte.isASCIIDigit || "-_+/=%".utf8.contains(byte)
                }
                if utf8[(index + 6)..<(index + 16)].allSatisfy(isData) { return true }
            }
            return false
        }
    }

    /// True if `text` names the symmetric key of a wallet connection (`symKey`, WalletConnect's pairing URIs), in any
    /// letter case and at any depth: links may contain links.
    package static func namesKey(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { utf8 in
            guard utf8.count >= 6 else { return false }
            for index in 0...(utf8.count - 6) where utf8[index] | 0x20 == UInt8(ascii: "s") {
                if utf8[index..<index + 6].lazy.map({ $0 | 0x20 }).elementsEqual("symkey".utf8) { return true }
            }
            return false
        }
    }

    /// The scheme that `text` begins with, in lower case, and the text behind its colon: nil where the colon is
    /// percent-encoded. Invisible characters before it, and a quotation mark, do not hide it.
    private static func scheme(of text: Substring) -> (name: String, rest: Substring?)? {
        let unseen = { (scalar: Unicode.Scalar) in
            scalar.properties.isDefaultIgnorableCodePoint || scalar.properties.isWhitespace || scalar.value < 0x20
                || scalar == "\""
        }
        let utf8 = Substring(text.unicodeScalars.drop(while: unseen)).utf8
        guard let first = utf8.first, first.isASCIILetter else { return nil }
        let name = utf8.prefix { $0.isASCIILetter || $0.isASCIIDigit || "+-.".utf8.contains($0) }
        let scheme = String(decoding: name.map(\.lowercasedASCII), as: UTF8.self)
        let rest = utf8[name.endIndex...]
        if rest.first == UInt8(ascii: ":") { return (scheme, Substring(rest.dropFirst())) }
        let isEncoded = rest.prefix(3).elementsEqual("%3A".utf8) || rest.prefix(3).elementsEqual("%3a".utf8)
        return isEncoded ? (scheme, nil) : nil
    }

    private static func isWeb(_ scheme: String) -> Bool { scheme == "https" || scheme == "http" }
}
