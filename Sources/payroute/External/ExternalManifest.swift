import PaymentCore

/// The description that an external provider sends of itself before the first question.
struct ExternalManifest: Sendable, Equatable {
    /// The version of the protocol that this program speaks.
    static let protocolVersion = 1

    let descriptor: ProviderDescriptor
    let links: [ExternalLink]
    /// The names of the secrets that it may receive.
    let secrets: Set<String>

    /// The reason why it cannot be used.
    struct Defect: Error, CustomStringConvertible {
        let description: String
    }

    /// Reads the answer to the handshake.
    ///
    /// - Parameter name: The end of the program's name, which must be the provider's id.
    init(_ message: JSONValue, name: String) throws(Defect) {
        func defect(_ text: String) -> Defect { Defect(description: "the external provider '\(name)' \(text)") }
        guard message["type"] == "provider" else {
            throw defect("did not answer 'hello' with an object of type 'provider'")
        }
        guard message["protocol"]?.int64 == Int64(Self.protocolVersion) else {
            throw defect(
                "does not speak version \(Self.protocolVersion) of the protocol; a newer or older payroute may suit it")
        }
        guard message["id"]?.string == name else {
            throw defect("calls itself otherwise: its 'id' has to be '\(name)'")
        }
        guard let title = message["name"]?.string, (1...80).contains(title.count) else {
            throw defect("has no 'name' of 1 to 80 characters")
        }
        guard let hosts = Self.texts(message["hosts"]), hosts.allSatisfy(Self.isHost) else {
            throw defect("has no 'hosts': a list of texts, each 'host' or 'host:port' in small letters")
        }
        guard let list = message["links"]?.array, (1...32).contains(list.count) else {
            throw defect("claims no 'links', or more than 32")
        }
        var links: [ExternalLink] = []
        for (index, link) in list.enumerated() {
            guard let link = ExternalLink(link) else {
                throw defect(
                    "has a malformed link (number \(index + 1)): say 'host' (and 'path') or 'scheme', and 'reference'")
            }
            links.append(link)
        }
        guard let secrets = Self.texts(message.present("secrets") ?? []),
            secrets.allSatisfy({ Self.isSecret($0, of: name) })
        else {
            throw defect(
                "asks for 'secrets' that do not begin with '\(name).', or are not small letters and digits with single "
                    + "hyphens and points between them")
        }
        let window = message.present("replayWindow") ?? .number(JSONNumber(0))
        guard let seconds = window.int64, (0...31_536_000).contains(seconds) else {
            throw defect("has a 'replayWindow' that is no number of seconds")
        }
        self.links = links
        self.secrets = Set(secrets)
        descriptor = ProviderDescriptor(
            id: ProviderID(rawValue: name), name: title, patterns: links.map(\.pattern), outboundHosts: hosts,
            replayWindow: .seconds(seconds))
    }

    private static func texts(_ json: JSONValue?) -> [String]? {
        guard let list = json?.array, list.count <= 64 else { return nil }
        let texts = list.compactMap(\.string).filter { (1...255).contains($0.utf8.count) }
        return texts.count == list.count ? texts : nil
    }

    /// Returns true if `text` stands for one host. Only built-in providers may call any host, or every host below a
    /// domain.
    private static func isHost(_ text: String) -> Bool {
        OutboundHosts.isWellFormed(text) && text != OutboundHosts.anyNamedHost && !text.hasPrefix(".")
    }

    /// Returns true if `text` can name a secret of `provider`. The form gives each name a variable that no other name
    /// has, see ``ExternalSecrets/variable(_:)``.
    private static func isSecret(_ text: String, of provider: String) -> Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count > 1 && parts[0] == provider
            && parts.flatMap { $0.split(separator: "-", omittingEmptySubsequences: false) }.allSatisfy { word in
                !word.isEmpty && word.utf8.allSatisfy { 0x61...0x7A ~= $0 || $0.isASCIIDigit }
            }
    }

    static func == (one: ExternalManifest, other: ExternalManifest) -> Bool {
        let (mine, others) = (one.descriptor, other.descriptor)
        return mine.id == others.id && mine.name == others.name && mine.patterns == others.patterns
            && mine.outboundHosts == others.outboundHosts && mine.replayWindow == others.replayWindow
            && one.links == other.links && one.secrets == other.secrets
    }
}

/// A kind of link of an external provider, declared once and read here: routing is pure, and calls no other program.
struct ExternalLink: Sendable, Equatable {
    /// The place of the payment's name in a link.
    enum Place: Sendable, Equatable {
        /// A segment of the path, counted from 0.
        case segment(Int)
        /// The value of a query item, which occurs there once.
        case query(String)
    }

    let pattern: LinkPattern
    let place: Place
    private let holdsSecret: Bool

    /// Reads one element of `links`.
    init?(_ json: JSONValue) {
        func text(_ name: String) -> String? {
            json[name]?.string.flatMap { (1...255).contains($0.utf8.count) ? $0 : nil }
        }
        switch (text("host"), text("scheme")) {
        case (let host?, nil): pattern = .host(host, path: text("path"))
        case (nil, let scheme?): pattern = .scheme(scheme)
        default: return nil
        }
        if let index = json["reference"]?["segment"]?.int64, (0..<16).contains(index) {
            place = .segment(Int(index))
        } else if let name = json["reference"]?["query"]?.string, !name.isEmpty {
            place = .query(name)
        } else {
            return nil
        }
        holdsSecret = json["secret"]?.bool ?? false
    }

    /// Returns the match of `link`, or nil if it is not of this kind.
    func match(_ link: PaymentLink) -> LinkMatch? {
        var isVerified = false
        switch pattern {
        case .host(let host, let path):
            guard link.isHTTP, link.host.map(String.init) == host.lowercased(), link.port == nil else { return nil }
            let claimed = (path ?? "/").split(separator: "/")
            guard link.path.split(separator: "/").starts(with: claimed) else { return nil }
            isVerified = link.isHTTPS && link.fragment == nil
        case .scheme(let scheme):
            guard link.scheme.map(String.init) == scheme.lowercased() else { return nil }
        default: return nil
        }
        guard let name = name(in: link), PathSegment.isSafe(name), (1...256).contains(name.utf8.count),
            name.utf8.allSatisfy({ (0x21..<0x7F).contains($0) })
        else { return nil }
        return LinkMatch(
            .payment(name),
            trust: isVerified
                ? .verified : .unverified(reason: "any page or app can make such a link; its text proves nothing"),
            holdsSecret: holdsSecret ? true : nil)
    }

    private func name(in link: PaymentLink) -> String? {
        switch place {
        case .segment(let index):
            let parts = link.path.split(separator: "/")
            guard parts.indices.contains(index), parts.count == index + 1 else { return nil }
            return PercentCoding.decode(parts[index])
        case .query(let name):
            let items = link.queryItems.filter { $0.name == name[...] }
            return items.count == 1 ? items.first?.decodedValue : nil
        }
    }
}
