public import PaymentCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One list of calls with the data that it is reviewed against, as a JSON object: `option` and `calls` as the service
/// sends them, `payer` (the account that the wallet really has, CAIP-10) and `now` (Unix seconds); `allow` lists the
/// tokens (CAIP-19) that the application lets pass by name though no table has them, and may be absent.
public struct ReviewCase: Sendable {
    /// Why an object is not a case.
    public struct Defect: Error, Sendable, Hashable, CustomStringConvertible {
        /// One sentence for people.
        public let description: String
    }

    private let option: AgreedOption
    private let calls: [JSONValue]
    private let payer: AccountID
    private let now: Date
    private let allowed: [AssetID]

    /// Creates a case by reading it.
    ///
    /// - Throws: ``Defect``, naming the member that is missing or malformed.
    public init(_ json: JSONValue) throws(Defect) {
        guard let option = json["option"], option.object != nil else { throw Self.missing("option, an object") }
        guard let calls = json["calls"]?.array else { throw Self.missing("calls, a list") }
        guard let payer = json["payer"]?.string.flatMap({ try? AccountID($0) }) else {
            throw Self.missing("payer, a CAIP-10 account")
        }
        guard let now = json["now"]?.int64, now >= 0 else { throw Self.missing("now, a time in Unix seconds") }
        let allow = json["allow"] ?? .null
        let allowed = (allow.array ?? []).compactMap { token in token.string.flatMap { try? AssetID($0) } }
        guard allow.isNull || allow.array?.count == allowed.count else {
            throw Self.missing("allow, where it is there, to be a list of CAIP-19 ids")
        }
        self.allowed = allowed
        self.option = AgreedOption(reading: option)
        self.calls = calls
        self.payer = payer
        self.now = Date(timeIntervalSince1970: Double(now))
    }

    private static func missing(_ what: String) -> Defect {
        Defect(description: "a case to review needs \(what)")
    }

    /// Returns the verdict of `reviewer` on the case. The tokens that the case allows are allowed in addition to the
    /// reviewer's.
    public func verdict(of reviewer: SigningReviewer = SigningReviewer()) -> ReviewVerdict {
        var reviewer = reviewer
        reviewer.allowedTokens += allowed
        do {
            return .approved(try reviewer.review(option, calls: calls, payer: [payer], now: now))
        } catch {
            return .refused(error)
        }
    }
}

/// The end of a review.
public enum ReviewVerdict: Sendable {
    /// The list does what was agreed, perhaps with warnings.
    case approved(SigningReview)
    /// Nothing of the list may be signed.
    case refused(SigningError)

    /// `approve`, `approve-with-warning` or `refuse`.
    public var name: String {
        switch self {
        case .approved(let review): review.warnings.isEmpty ? "approve" : "approve-with-warning"
        case .refused: "refuse"
        }
    }

    /// The verdict for scripts: `verdict`, `reason-code` (the refusal's, the first warning's, or null), `warnings`,
    /// `effects`, `digest` (or null), `member` (of a refusal, or null) and `text`.
    public var json: JSONValue {
        switch self {
        case .approved(let review):
            let warnings = review.warnings.map { JSONValue.string($0.rawValue) }
            return [
                "verdict": .string(name), "reason-code": warnings.first ?? .null, "warnings": .array(warnings),
                "effects": .array(review.effects.map(\.json)),
                "digest": review.digest.map { .string("0x" + Hex.encode($0)) } ?? .null, "member": .null,
                "text": .string(review.description),
            ]
        case .refused(let refusal):
            return [
                "verdict": .string(name), "reason-code": .string(refusal.code.rawValue), "warnings": [], "effects": [],
                "digest": .null, "member": .string(refusal.member), "text": .string(refusal.description),
            ]
        }
    }
}

extension SigningReview.Effect {
    /// `kind`, `asset`, `amount` (decimal digits, `unlimited` or null), `to`, `spender`, `deadline` (Unix seconds or
    /// null).
    fileprivate var json: JSONValue {
        func text(_ text: String?) -> JSONValue { text.map(JSONValue.string) ?? .null }
        let amount: String? =
            switch quantity {
            case .minorUnits(let digits): digits
            case .unlimited: "unlimited"
            case nil: nil
            }
        return [
            "kind": .string(kind.rawValue), "asset": text(asset?.text), "amount": text(amount), "to": text(recipient),
            "spender": text(spender),
            "deadline": deadline.map { .number(JSONNumber(Int64($0.timeIntervalSince1970))) } ?? .null,
        ]
    }
}
