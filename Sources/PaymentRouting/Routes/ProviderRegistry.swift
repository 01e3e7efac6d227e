public import PaymentCore
import Synchronization

/// The providers and merchants' services that an application uses, as an immutable value. It is checked and compiled
/// when it is made.
///
/// Both are registered in one list, because ids name one or the other in the journal:
/// `[walletConnectPay, citcon, shop]`.
public struct ProviderRegistry: Sendable {
    /// The rule for two providers that claim exactly the same pattern.
    @nonexhaustive
    public enum EqualClaims: Sendable, Hashable {
        /// Refuse the registry.
        case reject
        /// Accept it; a link that both recognise is ``RouteDecision/ambiguous(_:)``.
        case reportAmbiguous
    }

    /// The rule for equal claims.
    public var equalClaims: EqualClaims { contents.equalClaims }
    /// All that is registered, in the order given. The order never changes a decision.
    public var services: [any PaymentService] { contents.services }
    /// The payers' providers, in the same order.
    public var providers: [any PaymentProvider] { services.compactMap { $0 as? any PaymentProvider } }
    /// The descriptors of ``services``, in the same order, asked for once.
    public var descriptors: [ProviderDescriptor] { contents.descriptors }

    /// Shared, because copying a registry must cost nothing.
    private final class Contents: Sendable {
        let services: [any PaymentService]
        let descriptors: [ProviderDescriptor]
        let equalClaims: EqualClaims
        let indices: [ProviderID: Int]
        let table: RouteTable
        /// Made for the first link without a route. Most registries never need it.
        private let lookAlikes = Mutex<LookAlikeIndex?>(nil)

        /// Returns the registered host that `host` resembles.
        func lookAlike(of host: Substring) -> LookAlike? {
            let index = lookAlikes.withLock { index in
                if let index { return index }
                let made = LookAlikeIndex(
                    descriptors.flatMap { descriptor in
                        descriptor.patterns.compactMap { pattern in
                            switch try? PatternRules.normalized(pattern, of: descriptor.id) {
                            case .host(let host, _): (host, descriptor.id, false)
                            case .hostSuffix(let host, _): (host, descriptor.id, true)
                            default: nil
                            }
                        }
                    })
                index = made
                return made
            }
            return index.find(host)
        }

        init(_ services: [any PaymentService], equalClaims: EqualClaims) throws(RegistryError) {
            self.services = services
            self.equalClaims = equalClaims
            descriptors = services.map(\.descriptor)
            var indices: [ProviderID: Int] = [:]
            var table = RouteTable()
            var claimed: [LinkPattern: ProviderID] = [:]
            for (index, descriptor) in descriptors.enumerated() {
                try PatternRules.check(descriptor.id)
                guard indices.updateValue(index, forKey: descriptor.id) == nil else {
                    throw .duplicateID(descriptor.id)
                }
                guard let provider = services[index] as? any PaymentProvider else {
                    guard let pattern = descriptor.patterns.first else { continue }
                    throw .invalidPattern(pattern, descriptor.id, reason: "a merchant's service takes no links")
                }
                for pattern in descriptor.patterns {
                    let pattern = try PatternRules.normalized(pattern, of: descriptor.id)
                    if let other = claimed.updateValue(descriptor.id, forKey: pattern) {
                        if equalClaims == .reject { throw .equalClaims(pattern, other, descriptor.id) }
                        // No provider is its own rival.
                        if other == descriptor.id { continue }
                    }
                    table.insert(Claim(id: descriptor.id, pattern: pattern, provider: provider))
                }
            }
            self.indices = indices
            self.table = table
        }
    }

    private let contents: Contents

    /// Creates a registry.
    ///
    /// - Parameters:
    ///   - services: payers' providers and merchants' services, each with its own id.
    ///   - equalClaims: the rule for two claims on the same links.
    /// - Throws: ``RegistryError`` when two ids or two claims are equal, an id or pattern is malformed, or a merchant's
    ///   service claims links.
    public init(_ services: [any PaymentService], equalClaims: EqualClaims = .reject) throws(RegistryError) {
        contents = try Contents(services, equalClaims: equalClaims)
    }

    /// Visits the claims on `link`, the most specific first, until a provider recognises it.
    func find(_ link: PaymentLink, _ finding: inout Finding) { contents.table.find(link, &finding) }

    /// Visits the claims on the payment standard `id`, of which `link` is a sound text.
    func find(standard id: String, _ link: PaymentLink, _ finding: inout Finding) {
        contents.table.find(standard: id, link, &finding)
    }

    /// Returns the registered host that the host of `link` resembles; nil for all links except web links to names.
    func lookAlike(of link: PaymentLink) -> LookAlike? {
        guard link.isHTTP, let host = link.host, link.hostKind == .name || link.hostKind == .internationalName else {
            return nil
        }
        return contents.lookAlike(of: host)
    }

    /// Returns the place of the service with this `id` in ``services``, or nil.
    func index(of id: ProviderID) -> Int? { contents.indices[id] }

    /// Returns the provider with this `id`; nil if there is none, or it is a merchant's service.
    public func provider(_ id: ProviderID) -> (any PaymentProvider)? {
        service(id) as? any PaymentProvider
    }

    /// Returns the provider or merchant's service with this `id`, or nil.
    public func service(_ id: ProviderID) -> (any PaymentService)? {
        index(of: id).map { services[$0] }
    }

    /// Returns this registry with another provider or merchant's service.
    ///
    /// - Throws: ``RegistryError``.
    public func adding(_ service: any PaymentService) throws(RegistryError) -> ProviderRegistry {
        try ProviderRegistry(services + [service], equalClaims: equalClaims)
    }

    /// Returns this registry without the service with this `id`.
    public func removing(_ id: ProviderID) -> ProviderRegistry {
        let remaining = zip(services, descriptors).filter { $0.1.id != id }.map(\.0)
        // A part of a valid registry is valid.
        return (try? ProviderRegistry(remaining, equalClaims: equalClaims)) ?? self
    }

    /// Returns this registry with `service` in the place of the one with the same id, or added.
    ///
    /// - Throws: ``RegistryError``.
    public func replacing(_ service: any PaymentService) throws(RegistryError) -> ProviderRegistry {
        try removing(service.descriptor.id).adding(service)
    }
}

/// Routing, which needs no network, no journal and no router.
extension ProviderRegistry {
    /// Returns the kind and the route of `text`. Never fails: a text that is no link is ``RouteDecision/rejected(_:)``.
    ///
    /// - Parameters:
    ///   - text: a link, or any other text that was scanned or typed.
    ///   - readers: readers of payment standards, asked in order about links that no provider claims.
    public func route(_ text: String, readers: [any InstructionReader] = []) -> RouteDecision {
        do { return route(try PaymentLink(text), readers: readers) } catch { return .rejected(error) }
    }

    /// Returns the route of `link`. Pure: no I/O and no effects. The order of registration does not change the answer.
    ///
    /// - Parameters:
    ///   - link: the link.
    ///   - readers: readers of payment standards, asked in order about links that no provider claims.
    public func route(_ link: PaymentLink, readers: [any InstructionReader] = []) -> RouteDecision {
        var finding = Finding()
        find(link, &finding)
        if let decision = finding.decision(link) { return decision }
        for reader in readers {
            switch reader.read(link) {
            case .none: continue
            case .instruction(let instruction):
                find(standard: instruction.standard, link, &finding)
                return finding.decision(link) ?? .recognized(instruction)
            case .defective(let standard, let defect): return .defective(standard: standard, defect, link)
            case .ambiguous(let instructions): return .unclear(instructions)
            }
        }
        return .unroutable(link, resembles: lookAlike(of: link))
    }
}

/// The result of the claims on a link.
struct Finding {
    /// The claim that won, when it has no rivals.
    fileprivate var claim: Claim?
    /// Its provider's reading of the link.
    fileprivate var match: LinkMatch?
    /// The routes by claims of equal right.
    private(set) var equals: [Route] = []

    /// Returns the decision on `link` by the claims that were taken; nil if none was.
    mutating func decision(_ link: PaymentLink) -> RouteDecision? {
        if let match = match.take(), let claim = claim.take() {
            return .matched(Route(claim: claim, link: link, match: match))
        }
        guard let first = equals.first else { return nil }
        return equals.count == 1 ? .matched(first) : .ambiguous(equals)
    }

    /// Asks the provider of `claim` and its rivals.
    ///
    /// - Returns: true if one of them recognises `link`. Then no other claim is asked.
    mutating func take(_ claim: Claim, _ link: PaymentLink) -> Bool {
        guard !claim.hasRivals else {
            equals = claim.routes(link)
            return !equals.isEmpty
        }
        guard let match = claim.match(link) else { return false }
        self.match = match
        self.claim = claim
        return true
    }
}

// MARK: - Rules

/// Why a registry cannot be made.
@nonexhaustive
public enum RegistryError: Error, Sendable, Hashable {
    /// Two providers or services have the same id.
    case duplicateID(ProviderID)
    /// Two providers claim exactly the same links.
    case equalClaims(LinkPattern, ProviderID, ProviderID)
    /// An id is not made of lower-case letters, digits and hyphens.
    case invalidID(ProviderID)
    /// A pattern can never match the links it is meant for.
    case invalidPattern(LinkPattern, ProviderID, reason: String)
}

extension RegistryError: CustomStringConvertible {
    /// One sentence for people.
    public var description: String {
        switch self {
        case .duplicateID(let id): "two services are called \(id); give one of them another id"
        case .equalClaims(let pattern, let first, let second):
            "\(first) and \(second) both claim \(pattern); remove one, narrow one, or allow ambiguity"
        case .invalidID(let id): "'\(id)' is not a provider id: use lower-case letters, digits and hyphens"
        case .invalidPattern(let pattern, let id, let reason): "\(id) cannot claim \(pattern): \(reason)"
        }
    }
}

/// The rules for patterns and ids.
enum PatternRules {
    static func check(_ id: ProviderID) throws(RegistryError) {
        let isWellFormed = id.rawValue.utf8.allSatisfy {
            $0 == UInt8(ascii: "-") || ($0 >= UInt8(ascii: "a") && $0 <= UInt8(ascii: "z"))
                || ($0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9"))
        }
        guard isWellFormed, !id.rawValue.isEmpty else { throw .invalidID(id) }
    }

    /// Returns the pattern in the form that canonical links have.
    static func normalized(_ pattern: LinkPattern, of id: ProviderID) throws(RegistryError) -> LinkPattern {
        func invalid(_ reason: String) -> RegistryError { .invalidPattern(pattern, id, reason: reason) }
        switch pattern {
        case .scheme(let scheme):
            guard let link = try? PaymentLink(scheme + ":"), let name = link.scheme,
                name.utf8.count == scheme.utf8.count
            else { throw invalid("it is not a URI scheme") }
            guard name != "https", name != "http" else { throw invalid("it would claim every web link; name hosts") }
            return .scheme(String(name))
        case .host(let host, let path):
            guard let name = canonicalHost(host) else { throw invalid("it is not a host name") }
            guard isCanonicalPath(path) else { throw invalid("a path begins with / and has no ? or #") }
            return .host(name, path: path)
        case .hostSuffix(let host, let path):
            guard let link = try? PaymentLink("https://\(host)/"), link.hostKind == .name, link.port == nil,
                let name = link.host, name.utf8.count == host.utf8.count
            else { throw invalid("it is not a domain name of two labels or more") }
            guard isCanonicalPath(path) else { throw invalid("a path begins with / and has no ? or #") }
            return .hostSuffix(String(name), path: path)
        case .textPrefix(let prefix):
            // White space before a text is not part of it, so no text begins with white space.
            guard let link = try? PaymentLink(prefix), link.form == .text, prefix.utf8.count >= 3,
                prefix.utf8.starts(with: link.text.utf8)
            else {
                throw invalid("it needs at least three characters that do not begin a URI")
            }
            return pattern
        case .returnURL(let url):
            guard let link = try? PaymentLink(url), link.form != .text, link.query == nil, link.fragment == nil else {
                throw invalid("it is not a URL without query and fragment")
            }
            return .returnURL(link.text)
        case .standard(let id):
            let isID = id.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0.isASCIIDigit || $0 == UInt8(ascii: "-") }
            guard !id.isEmpty, isID else { throw invalid("a standard's id has lower-case letters, digits and hyphens") }
            return pattern
        }
    }

    /// Returns `host` or `host:port` in lower case.
    private static func canonicalHost(_ host: String) -> String? {
        guard let link = try? PaymentLink("https://\(host)/"), let name = link.host, link.path == "/" else {
            return nil
        }
        return link.port.map { "\(name):\($0)" } ?? String(name)
    }

    private static func isCanonicalPath(_ path: String?) -> Bool {
        guard let path else { return true }
        return path.utf8.first == UInt8(ascii: "/") && path.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x5C }
            && !path.contains("?") && !path.contains("#")
    }
}
