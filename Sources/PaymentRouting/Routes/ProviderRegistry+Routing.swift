public import PaymentCore

/// Routing alone: it needs no network, no journal and no router.
extension ProviderRegistry {
    /// Returns the kind and the route of `text`. Never fails: a text that is no link is ``RouteDecision/rejected(_:)``.
    ///
    /// - Parameters:
    ///   - text: a link, or any other text that was scanned or typed.
    ///   - readers: readers of payment standards, asked in order about links that no provider claims.
    public func route(_ text: String, readers: [any InstructionReader] = []) -> RouteDecision {
        do { return route(try PaymentLink(text), readers: readers) } catch { return .rejected(error) }
    }

    /// Returns the route of `link`. Pure: no I/O, no effects, the same answer whatever the order of registration.
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

    /// Returns the decision on `link` by the claims that were taken; nil when none was.
    mutating func decision(_ link: PaymentLink) -> RouteDecision? {
        if let match = match.take(), let claim = claim.take() {
            return .matched(Route(claim: claim, link: link, match: match))
        }
        guard let first = equals.first else { return nil }
        return equals.count == 1 ? .matched(first) : .ambiguous(equals)
    }

    /// Asks the provider of `claim` and its rivals.
    ///
    /// - Returns: true if one of them recognises `link`, so that no other claim is asked.
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
