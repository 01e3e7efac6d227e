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
