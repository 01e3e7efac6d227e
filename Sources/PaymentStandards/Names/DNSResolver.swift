public import PaymentCore
import PaymentCrypto
public import PaymentSettlement

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Looks up names of BIP-353 at a DNS resolver over HTTPS (RFC 8484), and checks the proof of their links from the
/// root's keys down.
///
/// ```swift
/// let resolver = DNSResolver(try HTTPURL(service: "https://dns.example/dns-query"))
/// let provider = BitcoinProvider(reader: StandardsReader(), names: resolver)
/// ```
///
/// The resolver is trusted with nothing but the name that is asked for: it can answer nothing that the owner of the
/// name's domain has not signed. It can stay silent, or deny that there is such a name.
public struct DNSResolver: PayeeNameResolver {
    /// The time for which a link is offered to a payer at least, in seconds. Records that are to change often live for
    /// half a minute, in which a payer could not decide.
    private static let leastOffer: UInt32 = 600

    private let url: HTTPURL
    private let anchors: [[UInt8]]

    /// Creates a resolver.
    ///
    /// - Parameter url: The address of a resolver's DNS over HTTPS, with its path, such as
    ///   `https://dns.example/dns-query`.
    public init(_ url: HTTPURL) { self.init(url, anchors: DNSSECChain.rootAnchors) }

    /// Creates a resolver of names below another root, whose keys `anchors` gives as DS records.
    init(_ url: HTTPURL, anchors: [[UInt8]]) { (self.url, self.anchors) = (url, anchors) }

    /// The host of the resolver.
    public var host: String { url.authority }

    /// Asks the resolver for the root's keys, and checks them as of now: whether names can be looked up there.
    ///
    /// - Throws: ``PaymentError`` when it does not answer as it should, `integrity` when it has other keys.
    package func check(over transport: any HTTPTransport, clock: any PaymentClock) async throws(PaymentError) {
        var lookup = NameLookup(at: url, over: transport, clock: clock)
        let keys = try await lookup.rootKeys()
        let time = UInt32(clamping: Int64(clock.now.timeIntervalSince1970))
        var chain = DNSSECChain(keys, at: time, anchors: anchors)
        guard chain.proved(.root, DNSRecord.Kind.dnskey) != nil else {
            throw PaymentError(
                .integrity,
                "the DNS resolver at \(url.origin) does not prove the root's keys; give one that passes on signatures "
                    + "(DNSSEC), and check this device's clock", phase: .answered)
        }
    }

    /// Looks up `name`, and returns the proof of its link, checked as of now.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - transport: The way to the resolver.
    ///   - clock: The time at which the signatures must be valid.
    /// - Throws: ``PaymentError``: `notFound` where the name has no record, `integrity` where nothing proves it,
    ///   `network` and others where the resolver does not answer as it should.
    public func proof(
        of name: BIP353, over transport: any HTTPTransport, clock: any PaymentClock
    ) async throws(PaymentError) -> BIP353Proof {
        var lookup = NameLookup(at: url, over: transport, clock: clock)
        let bytes = try await lookup.proof(of: name)
        do throws(StandardDefect) { return try BIP353Proof(bytes, at: clock.now, anchors: anchors) } catch {
            throw PaymentError(
                .integrity, "the name cannot be paid: its \(error.part) \(error.advice)", phase: .answered,
                cause: error)
        }
    }

    /// Returns the `bitcoin:` link that a name leads to, proved.
    ///
    /// - Parameters:
    ///   - name: The text of the name.
    ///   - transport: The way to the resolver.
    ///   - clock: The time at which the signatures must be valid.
    /// - Throws: ``PaymentError``, as ``proof(of:over:clock:)`` does, and where `name` is none.
    public func link(
        of name: PaymentLink, over transport: any HTTPTransport, clock: any PaymentClock
    ) async throws(PaymentError) -> ProvedLink {
        let parsed: BIP353
        do throws(StandardDefect) { parsed = try BIP353(name) } catch {
            throw PaymentError(.rejectedLink, "this is no name of a payee: \(error.part) \(error.advice)", cause: error)
        }
        let proof = try await proof(of: parsed, over: transport, clock: clock)
        let offered = Double(max(proof.timeToLive, Self.leastOffer))
        return ProvedLink(
            text: proof.link, expiresAt: min(proof.validity.upperBound, clock.now.addingTimeInterval(offered)))
    }
}
