public import PaymentCore

/// The provider and the pattern that a link leads to.
public struct Route: Sendable {
    let claim: Claim
    /// The link, in canonical form.
    public let link: PaymentLink
    /// The provider's reading of the link.
    public let match: LinkMatch

    /// The provider.
    public var provider: ProviderID { claim.id }
    /// The pattern that matched.
    public var pattern: LinkPattern { claim.pattern }
    /// True if the link's text must not be shown or logged, as its provider says.
    public var holdsSecret: Bool { match.holdsSecret ?? link.mayHoldSecret }
}

extension Route: Hashable {
    /// Routes are equal when provider, pattern, link and match are.
    public static func == (left: Self, right: Self) -> Bool {
        left.provider == right.provider && left.pattern == right.pattern && left.link == right.link
            && left.match == right.match
    }

    /// Hashes provider and link.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(provider)
        hasher.combine(link)
    }
}

/// The router's answer about one text.
@nonexhaustive
public enum RouteDecision: Sendable, Hashable {
    /// Exactly one provider takes it.
    case matched(Route)
    /// Several providers take it with equal right.
    case ambiguous([Route])
    /// No provider takes it, but it is a known payment standard.
    indirect case recognized(PaymentInstruction)
    /// No provider takes it. It was meant for the payment standard named `standard`, but is not sound.
    case defective(standard: String, StandardDefect, PaymentLink)
    /// No provider takes it, and the text is sound by several payment standards, two or more.
    case unclear([PaymentInstruction])
    /// The text is not acceptable as a link.
    case rejected(LinkDefect)
    /// It is a link, but no registered provider claims it. Its host may resemble one that a provider claims.
    case unroutable(PaymentLink, resembles: LookAlike?)

    /// Returns `input`, the text that was routed, as it may be shown and logged: whole, or without its secret part and
    /// with the payment that it names.
    public func shown(_ input: String) -> String {
        switch self {
        case .matched(let route) where route.holdsSecret:
            "\(route.link) (\(route.provider)\(route.match.reference.map { "/" + $0 } ?? ""))"
        case .ambiguous(let routes) where holdsSecret: routes.first?.link.publicText ?? ""
        case .unroutable(let link, _) where holdsSecret: link.publicText
        case .recognized(let instruction) where instruction.holdsSecret: "(\(instruction.standard), not shown)"
        case .unclear where holdsSecret: "(text of \(input.utf8.count) bytes)"
        case .defective(_, _, let link) where holdsSecret: link.publicText
        case .rejected: LinkPrivacy.shown(input)
        case .matched, .ambiguous, .recognized, .unclear, .defective, .unroutable: input
        }
    }

    /// The one route, if there is exactly one.
    public var route: Route? { if case .matched(let route) = self { route } else { nil } }

    /// True if the link holds a secret according to its provider, or may hold one if no provider claims it.
    public var holdsSecret: Bool {
        switch self {
        case .matched(let route): route.holdsSecret
        case .ambiguous(let routes): routes.contains(where: \.holdsSecret)
        case .unroutable(let link, _): link.mayHoldSecret
        case .recognized(let instruction): instruction.holdsSecret
        case .unclear(let instructions): instructions.contains(where: \.holdsSecret)
        // A defective instruction may be half a key.
        case .defective(_, let defect, let link): defect.holdsSecret || link.mayHoldSecret
        case .rejected: false
        }
    }

    /// The reason for people, one sentence.
    public var explanation: String {
        switch self {
        case .matched(let route):
            switch route.match.trust {
            case .verified: "claimed by \(route.provider) (\(route.pattern))"
            case .unverified(let reason): "claimed by \(route.provider) (\(route.pattern)), but unverified: \(reason)"
            case .unclear(let reason): "claimed by \(route.provider) (\(route.pattern)), but unclear: \(reason)"
            }
        case .ambiguous(let routes):
            "claimed equally by \(routes.map(\.provider.rawValue).joined(separator: ", "))"
        case .recognized(let instruction):
            switch (instruction.role, instruction.purpose) {
            case (.callback, _): "\(instruction.name.phrase): an answer to an app, which proves nothing; not a payment"
            case (.authorization, _): "\(instruction.name.phrase): a question to a key manager, not a payment"
            case (_, .payment): "\(instruction.name.phrase); no registered provider can pay it"
            default: "\(instruction.name.phrase); there is nothing to pay"
            }
        case .defective(let standard, let defect, _):
            "invalid \(defect.intended?.noun ?? standard): \(defect)"
        case .unclear(let instructions):
            "it may be \(instructions.map(\.name.phrase).joined(separator: " or ")); choose which is meant"
        case .rejected(let defect): defect.description
        case .unroutable(let link, let real):
            switch link.form {
            // In other links any word may stand in place of the host.
            case .web where link.isHTTP:
                real?.explanation
                    ?? "no registered provider claims links to \(link.host ?? "")\(link.port.map { " on port \($0)" } ?? "")"
            case .web, .opaque: "no registered provider claims \(link.scheme ?? ""): links"
            case .text: "no registered provider claims this text"
            }
        }
    }
}
