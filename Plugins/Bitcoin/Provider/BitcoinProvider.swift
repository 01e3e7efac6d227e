public import PaymentCore
public import PaymentSettlement

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Pays texts of Bitcoin and Lightning that belong to no service, with the payer's own settler: `lightning:` and
/// `bitcoin:` links, bare invoices, offers, addresses and Lightning addresses.
///
/// ```swift
/// let router = PaymentRouter(
///     registry: try ProviderRegistry([BitcoinProvider(reader: StandardsReader())]), transport: transport,
///     journal: journal, readers: [StandardsReader()])
/// let outcome = try await router.pay("lightning:lnbc…", as: Payer(policy: .first(upTo: [limit]), settler: node))
/// ```
///
/// Routers need a `StandardsReader` (`PaymentStandards`) among their readers, which finds such texts. An invoice is
/// paid once, and so is a link with an amount: the same text again is the same payment. A text without an amount names
/// the owner of the address, and each payment to it is a new payment.
///
/// With a resolver of names it also pays `₿user@domain` (BIP-353): a quote looks the name up, and offers what the
/// proved link holds. Each payment to a name is a new payment.
public struct BitcoinProvider: SettlingProvider, PayeeProvider, ReusableReferenceProvider {
    /// `bitcoin`.
    public static let id: ProviderID = "bitcoin"

    private let id: ProviderID
    private let reader: any InstructionReader
    private let names: (any PayeeNameResolver)?

    /// Creates a provider.
    ///
    /// - Parameters:
    ///   - id: distinct for each provider in one registry or journal, and permanent.
    ///   - reader: reads the texts, with their checksums and signatures: `StandardsReader()`.
    ///   - names: looks up names of BIP-353, and proves their links: a `DNSResolver`. It sees the names that are paid.
    ///     Nil pays none.
    public init(
        id: ProviderID = BitcoinProvider.id, reader: any InstructionReader, names: (any PayeeNameResolver)? = nil
    ) {
        self.id = id
        self.reader = reader
        self.names = names
    }

    /// The provider's id, name and claims. It sends requests to the resolver of names alone.
    public var descriptor: ProviderDescriptor {
        let standards =
            ["bolt11", "bip321", "bitcoin-address", "lnurl", "bolt12-offer"] + (names == nil ? [] : [Self.nameStandard])
        return ProviderDescriptor(
            id: id, name: "Bitcoin", patterns: standards.map { .standard($0) },
            outboundHosts: names.map { [$0.host] } ?? [])
    }

    /// Recognises texts that a settler can pay. Each has one name in every spelling: an invoice its payment hash,
    /// whatever surrounds it, a link with an amount its destination, amount, label and message, another text its payee.
    public func recognize(_ link: PaymentLink) -> LinkMatch? {
        // DNS does not distinguish upper and lower case.
        if let name = name(in: link) {
            return LinkMatch(.payee(name.lowercased()), holdsSecret: false)
        }
        return LinkMatch(settling: SettlementOffer.offers(in: link, reader))
    }

    /// Returns the payee of an option: the name that was looked up, or the address of a text without an amount.
    public func payee(of option: PaymentMethodOption) -> String? { SettlementFlow.payee(of: option) }

    /// Returns a quote for the text. Only a name is looked up for it, and only an open amount is asked of the payer.
    ///
    /// - Throws: ``PaymentError``; nothing has been paid then.
    public func quote(_ request: QuoteRequest, in context: ProviderContext) async throws -> ProviderQuote {
        let (offers, payee) = try await offers(of: request, in: context)
        let named = offers.map { (id: $0.endpoint.kind.rawValue, title: Self.title($0.endpoint), offer: $0) }
        return try await SettlementFlow.quote(
            named, of: request.reference, payee: payee,
            payeeID: request.match.payee, in: context)
    }

    /// Returns the ways to pay the text, and the payee as shown.
    private func offers(
        of request: QuoteRequest, in context: ProviderContext
    ) async throws(PaymentError) -> ([SettlementOffer], Payee) {
        guard let names, let name = name(in: request.link) else {
            let offers = SettlementOffer.offers(in: request.link, reader)
            return (offers, payee(of: request.link, offers))
        }
        let link = try await names.link(of: request.link, over: context.http, clock: context.clock)
        let offers = SettlementOffer.offers(in: link.text, reader).map { offer in
            SettlementOffer(
                endpoint: offer.endpoint, amount: offer.amount,
                expiresAt: min(offer.expiresAt ?? link.expiresAt, link.expiresAt))
        }
        guard !offers.isEmpty else {
            throw PaymentError(
                .unusableOption,
                "the name is proved, but its link has no way to pay that is known here; nothing is paid",
                phase: .answered)
        }
        context.log("the link of \(name) is proved by DNSSEC")
        // The proof says that the link is the name's, and nothing of the person behind it: no label is shown.
        return (offers, Payee(name: name, id: request.match.reference))
    }

    /// Reads the text of the endpoint again, compares it with the payer's choice, and has the payer's settler pay it,
    /// once.
    ///
    /// - Throws: ``PaymentError``; with phase `maybeSent` the settler may have paid.
    public func pay(_ attempt: PaymentAttempt, in context: ProviderContext) async throws -> ServiceReport {
        try await SettlementFlow.pay(attempt, reader, in: context)
    }

    /// Refuses an attempt that was made for something other than the payment that `link` asks for.
    ///
    /// - Throws: ``PaymentError/Code/integrity``.
    public func distinguish(_ link: PaymentLink, from attempt: PaymentAttempt) throws(PaymentError) {
        try SettlementFlow.distinguish(SettlementOffer.offers(in: link, reader), from: attempt)
    }

    /// The standard of names that are looked up.
    private static let nameStandard = "bip353"

    /// Returns the name that `link` is, where names are looked up: `₿user@domain`.
    private func name(in link: PaymentLink) -> String? {
        guard names != nil, case .instruction(let instruction) = reader.read(link),
            instruction.standard == Self.nameStandard
        else { return nil }
        return instruction.payee?.account
    }

    private static func title(_ endpoint: SettlementEndpoint) -> String {
        endpoint.kind == .bitcoinAddress ? "Bitcoin, on the chain" : "Bitcoin, over Lightning"
    }

    /// The payee that the text claims; the name is not verified.
    private func payee(of link: PaymentLink, _ offers: [SettlementOffer]) -> Payee {
        guard case .instruction(let instruction) = reader.read(link) else { return Payee(name: "unknown payee") }
        let account = offers.first?.endpoint.text ?? instruction.payee?.account ?? ""
        let short = account.utf8.count > 24 ? "\(account.prefix(12))…\(account.suffix(8))" : account
        return Payee(claiming: instruction.payee?.name, knownAs: short)
    }
}
