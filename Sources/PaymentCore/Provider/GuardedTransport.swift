/// The network as one provider may use it: only declared hosts, no private network if others choose the host, mutations
/// only within their step, and no answer that repeats the credentials of its request.
package struct GuardedTransport: HTTPTransport {
    private let base: any HTTPTransport
    private let hosts: OutboundHosts
    private static let replacement = Array("<redacted>".utf8)

    /// Limits `base` to `hosts`.
    package init(base: any HTTPTransport, hosts: OutboundHosts) {
        self.base = base
        self.hosts = hosts
    }

    package func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        let url = request.url
        guard hosts.permits(url) else {
            throw TransportError(.notSent, .hostNotDeclared(url.authority), origin: url.origin)
        }
        guard request.replay == .safe || StepScope.current?.isMutation == true else {
            throw TransportError(
                .notSent, .invalidRequest("a request that must not be repeated belongs in a mutation step"),
                origin: url.origin)
        }
        var request = request
        if hosts.isChosenByOthers(url) { request.reachesPrivateNetworks = false }
        guard let scope = StepScope.current else { return try await exchange(request) }
        scope.noteSending()
        guard !request.changesNothing else { return try await exchange(request) }
        do {
            let response = try await exchange(request)
            scope.note(response)
            return response
        } catch {
            if error.phase == .maybeSent { scope.noteLostAnswer() }
            throw error
        }
    }

    /// Sends a request. Credentials that the service repeats, in an error's text or anywhere else, are removed: such a
    /// text reaches errors, logs and the journal.
    private func exchange(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        var response = try await base.send(request)
        for credential in request.headers.credentials {
            var start = 0
            // The replacement may be a credential, too: a service may have handed it out.
            while let found = ByteSearch.range(of: credential, in: response.body, from: start, orEscaped: true) {
                response.body.replaceSubrange(found, with: Self.replacement)
                start = found.lowerBound + Self.replacement.count
            }
        }
        return response
    }
}

extension HTTPHeaders {
    /// The shortest one; a shorter text would occur by chance.
    private static let shortestCredential = 8
    /// What the names of their fields contain.
    private static let credentialNames = ["authorization", "cookie", "api-key", "apikey", "token", "secret"]
        .map { Array($0.utf8) }

    /// The words that prove who sends, without the name of their scheme; each value of a cookie.
    fileprivate var credentials: [[UInt8]] {
        fields.flatMap { field -> [[UInt8]] in
            let name = Array(field.name.lowercased().utf8)
            guard Self.credentialNames.contains(where: { ByteSearch.range(of: $0, in: name, from: 0) != nil }) else {
                return []
            }
            let isCookie = name == Array("cookie".utf8)
            let parts = field.value.utf8.split(separator: UInt8(ascii: isCookie ? ";" : " "))
            let values =
                isCookie
                ? parts.map { $0.split(separator: UInt8(ascii: "="), maxSplits: 1).last ?? $0 }
                : parts.count > 1 ? Array(parts.dropFirst()) : parts
            return values.filter { $0.count >= Self.shortestCredential }.map(Array.init)
        }
    }
}

// MARK: - Hosts

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

    /// True if `url` is permitted as any other name is: neither the application nor the vendor chose its host.
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

// MARK: - Pages and apps

extension Payer {
    /// Returns this payer as a service at `hosts` may use it: it opens pages that are encrypted, and pages on this
    /// machine only for a service on this machine. A service elsewhere that sends the payer to an address of the
    /// payer's own machine targets the programs that listen there.
    package func guarded(for hosts: OutboundHosts) -> Payer {
        var payer = self
        let check = { @Sendable (url: HTTPURL) throws(PaymentError) in
            guard !url.leadsToThisMachine || hosts.includeThisMachine else {
                throw PaymentError(.integrity, "the service leads to a page on this machine; it is not opened")
            }
            guard url.isConfidential else {
                throw PaymentError(.integrity, "the page at \(url.origin) is not encrypted; it is not opened")
            }
        }
        if let browser {
            payer.browser = { page in
                try check(page.url)
                return try await browser(page)
            }
        }
        if let appLauncher {
            payer.appLauncher = { app in
                // Apps are opened by their own schemes, or by web links.
                if let url = app.url, let link = try? PaymentLink(url.reveal()), link.isHTTP,
                    let page = try? HTTPURL(link.text)
                {
                    try check(page)
                }
                return try await appLauncher(app)
            }
        }
        if let dataCollector {
            payer.dataCollector = { request in
                if let form = request.formURL { try check(form) }
                return try await dataCollector(request)
            }
        }
        return payer
    }
}
