/// The hosts that a provider may call, from ``ProviderDescriptor/outboundHosts``.
///
/// `host` and `host:port` stand for exactly that, encrypted unless it is this machine. `.example.com` stands for every
/// host below `example.com`, at a boundary between labels, encrypted and on the usual port: for services whose
/// addresses come from their own answers. `*` stands for every host with a public domain name, encrypted: for networks
/// whose users keep their data at servers of their choice. Names that never are public (RFC 6761, RFC 6762, RFC 7686,
/// RFC 8375, ICANN's `internal`) are not among them. Such a provider must have a reason for each host that it calls.
package struct OutboundHosts: Sendable, Hashable {
    private let exact: Set<String>
    private let suffixes: [String]
    private let takesAnyName: Bool

    /// The entry that stands for every named host.
    package static let anyNamedHost = "*"

    /// Creates a rule from a descriptor's list.
    package init(_ entries: [String]) {
        takesAnyName = entries.contains(Self.anyNamedHost)
        exact = Set(entries.filter { !$0.hasPrefix(".") && $0 != Self.anyNamedHost })
        suffixes = entries.filter { $0.hasPrefix(".") }
    }

    /// Returns true if `url` may be called.
    ///
    /// - Parameter url: the address of a request.
    package func permits(_ url: HTTPURL) -> Bool {
        guard url.isConfidential else { return false }
        if exact.contains(url.authority) { return true }
        guard url.isSecure else { return false }
        if takesAnyName, !url.leadsToThisMachine, !Self.isPrivate(url.host),
            let kind = (try? PaymentLink(url.origin + "/"))?.hostKind
        {
            return kind == .name || kind == .internationalName
        }
        guard url.port == 443 else { return false }
        return suffixes.contains { url.host.utf8.count > $0.utf8.count && url.host.hasSuffix($0) }
    }

    /// True if `url` is permitted as any other name is: its host is none that the application or the vendor chose.
    package func isChosenByOthers(_ url: HTTPURL) -> Bool { takesAnyName && !exact.contains(url.authority) }

    private static let privateEndings = [
        "localhost", "local", "localdomain", "lan", "internal", "intranet", "home", "corp", "private", "home.arpa",
        "onion",
    ]

    /// Returns true for the name of another machine in each network, whatever it resolves to.
    package static func isPrivate(_ host: String) -> Bool {
        let name = String(host.lowercased().reversed().drop { $0 == "." }.reversed())
        return privateEndings.contains { name == $0 || name.hasSuffix("." + $0) }
    }

    /// True if a host of this machine is among them: the service is a local sandbox.
    package var includeThisMachine: Bool {
        exact.contains { (try? HTTPURL("http://\($0)"))?.isLoopback ?? false }
    }

    /// Returns true if `entry` is well-formed: lower case, no scheme, and a domain of two labels after a dot.
    package static func isWellFormed(_ entry: String) -> Bool {
        guard entry != anyNamedHost else { return true }
        let isSuffix = entry.hasPrefix(".")
        let host = isSuffix ? String(entry.dropFirst()) : entry
        guard (try? HTTPURL("https://\(host)"))?.authority == host else { return false }
        return !isSuffix || (try? PaymentLink("https://\(host)/"))?.hostKind == .name && !host.contains(":")
    }
}
