import PaymentCore
import PaymentRouting

/// Probes of a provider's or a service's statements about itself and about links.
extension ProbeSuite {
    func descriptor() -> [String] {
        let descriptor = subject.service.descriptor
        var findings: [String] = []
        if subject.service.descriptor != descriptor { findings.append("two looks at the descriptor differ") }
        if descriptor.name.isEmpty { findings.append("it has no name") }
        switch (subject.provider == nil, descriptor.patterns.isEmpty) {
        case (false, true): findings.append("it claims no links")
        case (true, false): findings.append("it claims links, but a merchant's service takes no payers")
        default: break
        }
        for host in descriptor.outboundHosts where !OutboundHosts.isWellFormed(host) {
            findings.append("'\(host)' is not a host as requests name it; write it in lower case, without a scheme")
        }
        if descriptor.replayWindow < .zero { findings.append("the replay window is negative") }
        return findings
    }

    func capabilities() -> [String] {
        ProviderDescriptor.Capability.allCases.compactMap { capability -> String? in
            let count = subject.capabilities.real.count { $0 == capability }
            return switch (subject.capabilities.meant.contains(capability), count > 0) {
            case _ where count > 1: "'\(capability.rawValue)' is a conformance of several of its services"
            case (true, false): "'\(capability.rawValue)' is meant, but no service conforms to its protocol"
            case (false, true): "'\(capability.rawValue)' is not meant, but a service conforms to its protocol"
            default: nil
            }
        }
    }

    func patterns() -> [String] {
        do { _ = try ProviderRegistry([subject.service]) } catch { return ["\(error)"] }
        return []
    }

    func links() throws -> [String] {
        guard let provider = subject.provider else { return [] }
        guard let link = try inBackend({ $0.link }) else { throw SkipError(reason: "the payment has no link") }
        var findings: [String] = []
        for text in HostileLinks.around(link) {
            guard let link = try? PaymentLink(text) else { continue }
            let match = provider.recognize(link)
            if match != provider.recognize(link) { findings.append("two looks at one link differ") }
            if match?.reference?.isEmpty == true { findings.append("a link names a payment without an id") }
        }
        for text in HostileLinks.impostors(of: link) {
            guard let route = route(text) else { continue }
            if route.match.trust == .verified { findings.append("a link to a foreign host is trusted") }
        }
        return findings
    }

    func spellings() throws -> [String] {
        guard let link = try inBackend({ $0.link }) else { throw SkipError(reason: "the payment has no link") }
        guard let match = route(link)?.match, let name = match.reference else {
            return ["its link names no payment"]
        }
        return SecondSpellings.all(of: link).compactMap { difference, text in
            guard let other = route(text)?.match, let reference = other.reference else { return nil }
            // Names are compared as they are stored, byte by byte.
            let isSame = reference.utf8.elementsEqual(name.utf8) && (other.payee == nil) == (match.payee == nil)
            return isSame ? nil : "written with \(difference), its link names another payment"
        }
    }

    /// Returns the route of `text` in a router that knows only the subject.
    func route(_ text: String) -> Route? {
        let world = SimulatedWorld(seed: 1)
        defer { world.end() }
        guard let registry = try? ProviderRegistry([subject.service]) else { return nil }
        let router = PaymentRouter(
            registry: registry, transport: ScriptedTransport([]), journal: world.start().journal)
        guard case .matched(let route) = router.route(text) else { return nil }
        return route
    }
}

// MARK: - Texts

/// Texts that a provider must be able to read, whatever its verdict.
enum HostileLinks {
    static func around(_ link: String) -> [String] {
        let long = String(repeating: "a", count: 4000)
        return [
            link, link + "/", link + "?", link + "&", link + "#", link + "%00", link + "%", link + "%zz", link + "/..",
            link + "/" + long, link + "?" + long, link + "&pid=" + long, link + "?a=1&a=2&a=3", link + "%2F%2e%2e",
            link + "?x=%F0%9F%92%B8", link + "?x=%C0%80", link + "?=&=&==", link + "@evil.example",
            link.uppercased(), String(link.dropLast()), String(link.prefix(link.count / 2)),
            link.replacing("://", with: ":"), link.replacing("https://", with: "http://"),
            link.replacing("https://", with: "https://evil.example/"), "wc:", "wc:@2", "pay_", "a:", "https://h",
            "https://h/%2F?%3D", String(repeating: "%25", count: 2000),
        ]
    }

    /// Returns links that only look like `link`, at hosts of other owners.
    static func impostors(of link: String) -> [String] {
        guard link.hasPrefix("https://") else { return [] }
        let rest = link.dropFirst(8)
        guard let end = rest.firstIndex(where: { "/?#".contains($0) }) else { return [] }
        let (host, tail) = (rest[..<end], rest[end...])
        return [
            "https://\(host).evil.example\(tail)", "https://evil.example/\(host)\(tail)",
            "https://\(host)@evil.example\(tail)",
        ]
    }
}

/// Other texts that ask for exactly what a link asks for: by RFC 3986, by the order of a query's items, and by what
/// scanners and copying add.
package enum SecondSpellings {
    /// Returns other spellings of `link`, each with a few words on the difference.
    package static func all(of link: String) -> [(difference: String, text: String)] {
        guard let scanned = try? PaymentLink(link) else { return [] }
        guard scanned.form != .text else {
            return [("a line end", link + "\n"), ("a space and a line end", link + " \r\n")]
        }
        let start = Int(scanned.layout.pathStart)
        let text = scanned.text
        let (head, tail) = (String(text.utf8.prefix(start)) ?? "", String(text.utf8.dropFirst(start)) ?? "")
        var spellings = [
            ("the scheme in capitals", capitalized(text, upTo: Int(scanned.layout.schemeEnd))),
            ("every letter and digit escaped", head + escaped(tail, each: 1)),
            ("every second letter and digit escaped", head + escaped(tail, each: 2)),
            ("escapes in small digits", head + escaped(tail, each: 3).lowercasedEscapes),
            ("the whole link escaped", PercentCoding.encode(text)),
        ]
        if scanned.form == .web { spellings += inAuthority(scanned, head, tail) }
        return (spellings + inQuery(scanned)).filter { $0.1 != link }
    }

    private static func inAuthority(
        _ link: PaymentLink, _ head: String, _ tail: String
    ) -> [(String, String)] {
        guard link.isHTTP else { return [] }
        let path = tail.hasPrefix("/") ? tail : "/" + tail
        var spellings = [
            ("the host in capitals", head.uppercased() + tail), ("a step into the same folder", head + "/." + path),
            ("a step into a folder and back", head + "/x/.." + path),
        ]
        if link.port == nil { spellings.append(("the scheme's own port", "\(head):\(link.isHTTPS ? 443 : 80)\(tail)")) }
        return spellings
    }

    private static func inQuery(_ link: PaymentLink) -> [(String, String)] {
        guard let query = link.query else { return [] }
        let items = query.split(separator: "&").map(String.init)
        let names = items.map { $0.prefix { $0 != "=" } }
        guard Set(names).count == items.count, !items.isEmpty,
            let start = String(link.text.utf8.prefix(Int(link.layout.pathEnd)))
        else { return [] }
        let end = link.fragment.map { "#\($0)" } ?? ""
        func spelling(_ difference: String, _ items: [String], _ separator: String = "&") -> (String, String) {
            (difference, "\(start)?\(items.joined(separator: separator))\(end)")
        }
        return [
            spelling("the query's items in reverse order", items.reversed()),
            spelling("the query's first item at its end", Array(items.dropFirst() + items.prefix(1))),
            spelling("every item twice", items + items), spelling("an empty item", items + [""]),
            spelling("empty items", items, "&&"),
        ]
    }

    private static func capitalized(_ text: String, upTo end: Int) -> String {
        (String(text.utf8.prefix(end)) ?? "").uppercased() + (String(text.utf8.dropFirst(end)) ?? "")
    }

    /// Escapes each letter and digit whose place is a multiple of `step`. Escapes that are there stay.
    private static func escaped(_ text: String, each step: Int) -> String {
        var (escaped, rest, index) = ("", text[...], 0)
        while let character = rest.first {
            if character == "%" {
                escaped += rest.prefix(3)
                rest = rest.dropFirst(3)
                continue
            }
            let isWord = character.isASCII && (character.isLetter || character.isNumber)
            let isEscaped = isWord && index % step == 0
            escaped += PercentCoding.encode(String(character)) { _ in !isEscaped }
            rest = rest.dropFirst()
            index += 1
        }
        return escaped
    }
}

extension String {
    /// The text with the digits of its escapes in small letters.
    fileprivate var lowercasedEscapes: String {
        var (text, rest) = ("", self[...])
        while let percent = rest.firstIndex(of: "%") {
            text += rest[..<percent] + rest[percent...].prefix(3).lowercased()
            rest = rest[percent...].dropFirst(3)
        }
        return text + rest
    }
}
