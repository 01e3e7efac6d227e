package import PaymentCore

/// Slow, plain second implementations that share no code with the ones under test.
package enum Oracle {
    // MARK: Patterns

    /// The specificity of a pattern, implemented anew: by kind, then by the length of its host, then of its path.
    package static func order(_ pattern: LinkPattern) -> (kind: Int, host: Int, path: Int) {
        switch pattern {
        case .returnURL(let url): (5, url.utf8.count, 0)
        case .host(let host, let path): (4, host.utf8.count, path?.utf8.count ?? 0)
        case .hostSuffix(let host, let path): (3, host.utf8.count, path?.utf8.count ?? 0)
        case .scheme(let scheme): (2, scheme.utf8.count, 0)
        case .textPrefix(let prefix): (1, prefix.utf8.count, 0)
        case .standard: (0, 0, 0)
        }
    }

    // MARK: Trust

    /// `input` as a plain text: decoded if it is a URI that was encoded as a whole.
    package static func plain(_ input: [UInt8]) -> String {
        let isEncoded = input.firstIndex(of: UInt8(ascii: "%")).map { !input[..<$0].contains(UInt8(ascii: ":")) }
        return String(decoding: isEncoded == true ? decoded(input[...]) : input, as: UTF8.self)
    }

    /// Scheme, authority and path of a URI with an authority, by nothing but its delimiters; scheme and authority in
    /// lower case.
    package static func places(of text: String) -> (scheme: String, authority: String, path: String)? {
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")), text[colon...].hasPrefix("://") else {
            return nil
        }
        let rest = text[colon...].dropFirst(3)
        let authority = rest.utf8.prefix { !"/?#".utf8.contains($0) }
        let path = rest.utf8.dropFirst(authority.count).prefix { !"?#".utf8.contains($0) }
        return (
            text[..<colon].lowercased(), String(Substring(authority)).lowercased(), String(Substring(path))
        )
    }

    package static func starts(_ text: [UInt8], _ prefix: String) -> Bool {
        String(decoding: text.prefix(prefix.utf8.count), as: UTF8.self).lowercased() == prefix
    }

    package static func decoded(_ text: ArraySlice<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            if byte == UInt8(ascii: "%"), rest.count >= 2, let value = UInt8(digits, radix: 16), !digits.hasPrefix("+")
            {
                result.append(value)
                rest = rest.dropFirst(2)
            } else {
                result.append(byte)
            }
        }
        return result
    }

    // MARK: Routing

    /// True if `pattern` claims `link`, by the pattern's documentation.
    package static func claims(_ pattern: LinkPattern, _ link: PaymentLink) -> Bool {
        switch pattern {
        case .scheme(let scheme): return link.scheme.map(String.init) == scheme
        // Only a reader finds these, and none is used here.
        case .standard: return false
        case .textPrefix(let prefix): return link.form == .text && link.text.utf8.starts(with: prefix.utf8)
        case .returnURL(let url): return link.form != .text && link.text.prefix { $0 != "?" && $0 != "#" } == url
        case .host(let host, let path):
            return isWeb(link) && authority(link) == host && contains(path, link)
        case .hostSuffix(let host, let path):
            guard isWeb(link), link.hostKind == .name, let name = link.host, link.port == nil else { return false }
            return (name == host || name.hasSuffix("." + host)) && contains(path, link)
        }
    }

    private static func isWeb(_ link: PaymentLink) -> Bool { link.scheme == "https" || link.scheme == "http" }

    private static func authority(_ link: PaymentLink) -> String {
        String(link.host ?? "") + (link.port.map { ":\($0)" } ?? "")
    }

    private static func contains(_ path: String?, _ link: PaymentLink) -> Bool {
        guard let path else { return true }
        let whole = path.hasSuffix("/") ? path : path + "/"
        return link.path == path || link.path.hasPrefix(whole)
    }
}
