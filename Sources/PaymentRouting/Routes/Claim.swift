import PaymentCore

/// One provider's claim to the links of one pattern. A class, so that routes share it instead of copying its parts.
final class Claim: Sendable {
    let id: ProviderID
    let pattern: LinkPattern
    private let provider: any PaymentProvider
    /// The next claim of equal right, and so on: nearly always none.
    private let rival: Claim?

    init(id: ProviderID, pattern: LinkPattern, provider: any PaymentProvider, rival: Claim? = nil) {
        self.id = id
        self.pattern = pattern
        self.provider = provider
        self.rival = rival
    }

    /// This claim with another of equal right.
    func with(_ rival: Claim?) -> Claim {
        Claim(id: id, pattern: pattern, provider: provider, rival: rival)
    }

    /// True if other claims have equal right.
    var hasRivals: Bool { rival != nil }

    /// Returns the routes of `link` by this claim and its rivals, as far as their providers recognise it, in the order
    /// of the providers' ids.
    func routes(_ link: PaymentLink) -> [Route] {
        var routes: [Route] = []
        var next: Claim? = self
        while let claim = next {
            if let match = claim.match(link) { routes.append(Route(claim: claim, link: link, match: match)) }
            next = claim.rival
        }
        return routes.sorted { $0.provider.rawValue < $1.provider.rawValue }
    }

    /// Returns the provider's reading of `link`, or nil when it is not the provider's after all.
    func match(_ link: PaymentLink) -> LinkMatch? {
        let match = provider.recognize(link)
        guard link.isPlainHTTP, let match, case .verified = match.trust else { return match }
        // Anyone on the path can change what plain HTTP says; no provider may vouch for it.
        return LinkMatch(
            reference: match.reference, role: match.role,
            trust: .unverified(reason: "the link uses plain http; anyone on the way can change it"),
            holdsSecret: match.holdsSecret)
    }
}
