#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The effect of a step on the world; decides its treatment after an interruption.
///
/// The raw value is the kind's name in journals and in sealed data; it never changes.
@nonexhaustive
public enum StepKind: Sendable, Hashable, Codable, RawRepresentable {
    /// It only asks: it may run again.
    case query
    /// It asks the payer something: it may run again.
    case interaction
    /// It asks the payer's wallet for a signature that moves money once a request hands it in: it may run again. From
    /// that request until `until`, money may be taken by the signature, whatever the service answers. Counts in whole
    /// seconds.
    case signature(until: Date)
    /// A request of ours that may move money.
    case mutation(replay: MutationReplay)
    /// It has the payer's own wallet move money without the service, such as by a transaction that the wallet
    /// broadcasts. Its result is a string, the transaction's id. It never runs again once it may have begun, and after
    /// it no refusal is final, not even one in the service's status, because the money has left.
    case walletTransfer
    /// The payer's settler of this permanent name (``PaymentSettler/name``) pays, by `settle(_:to:)`; no other code may
    /// run such a step. No service sees it: once it may have begun, only this settler's own report that nothing was
    /// sent lets it run again, or makes a refusal final. Another settler knows nothing of it.
    case settlement(by: String)

    /// The raw values. A kind and its name lead to each other by two switches that the compiler keeps complete: no kind
    /// can be written and not be read, and ``all`` lacks none.
    private enum Name: String, CaseIterable {
        case query, interaction, mutation
        /// Followed by the seconds since 1970, after a hyphen.
        case signature = "signature-until"
        case mutationWithSameKey = "mutation-same-key"
        case mutationAtAnyTime = "mutation-any-time"
        case walletTransfer = "wallet-transfer"
        /// Followed by the settler's name, after a hyphen.
        case settlement = "settlement-by"

        /// The kind of this name: of signatures the one until `end`, of settlements that of `settler`.
        func kind(until end: Date, by settler: String) -> StepKind {
            switch self {
            case .query: .query
            case .interaction: .interaction
            case .signature: .signature(until: end)
            case .mutation: .mutation(replay: .never)
            case .mutationWithSameKey: .mutation(replay: .sameKey)
            case .mutationAtAnyTime: .mutation(replay: .atAnyTime)
            case .walletTransfer: .walletTransfer
            case .settlement: .settlement(by: settler)
            }
        }
    }

    /// The visibility of money that may move in a step.
    private enum Movement {
        /// None moves.
        case none
        /// A service sees it.
        case seen
        /// No service sees it.
        case unseen
    }

    /// When a step that was interrupted runs again.
    package enum Repetition {
        /// At any time.
        case always
        /// While the service recognises the repetition by its key.
        case withSameKey
        /// Once the settler has reported that it sent nothing.
        case ifSettlerSentNothing
        /// Never.
        case never
    }

    private struct Row {
        let name: Name
        let money: Movement
        let repetition: Repetition
        /// True if its result is the payer's own answer, which journals erase when the attempt ends.
        var isErased = false
        /// A few words for people.
        let note: String
    }

    /// The one table of the kinds: everything that is fixed for each of them.
    private var row: Row {
        switch self {
        case .query: Row(name: .query, money: .none, repetition: .always, note: "asks")
        case .interaction:
            Row(name: .interaction, money: .none, repetition: .always, isErased: true, note: "asks the payer")
        case .signature:
            Row(name: .signature, money: .none, repetition: .always, isErased: true, note: "asks the payer to sign")
        case .mutation(.never):
            Row(name: .mutation, money: .seen, repetition: .never, note: "can move money, never repeated")
        case .mutation(.sameKey):
            Row(
                name: .mutationWithSameKey, money: .seen, repetition: .withSameKey,
                note: "can move money, repeatable with the same key")
        case .mutation(.atAnyTime):
            Row(
                name: .mutationAtAnyTime, money: .seen, repetition: .always,
                note: "can move money once, repeatable at any time")
        case .walletTransfer:
            Row(
                name: .walletTransfer, money: .unseen, repetition: .never,
                note: "the wallet sends money, never repeated")
        case .settlement:
            Row(
                name: .settlement, money: .unseen, repetition: .ifSettlerSentNothing,
                note: "the settler sends money, repeated only if it sent none")
        }
    }

    /// Every kind; of signatures and settlements one.
    package static let all = Name.allCases.map {
        $0.kind(until: Date(timeIntervalSince1970: 1_800_000_000), by: "orders-7")
    }

    /// The kind's name in journals, such as `mutation-same-key` or `signature-until-1800000000`.
    public var rawValue: String {
        switch self {
        case .signature(let end): "\(row.name.rawValue)-\(Int64(end.timeIntervalSince1970))"
        case .settlement(let settler): "\(row.name.rawValue)-\(settler)"
        default: row.name.rawValue
        }
    }

    /// The pattern of SQL's GLOB that is met by the names of this kind and by no other.
    package var namePattern: String {
        switch self {
        case .signature, .settlement: "\(row.name.rawValue)-*"
        default: rawValue
        }
    }

    /// Creates the kind of this name; nil when there is none.
    public init?(rawValue: String) {
        func rest(behind name: Name) -> String? {
            let prefix = Array((name.rawValue + "-").utf8)
            guard rawValue.utf8.starts(with: prefix) else { return nil }
            return String(decoding: rawValue.utf8.dropFirst(prefix.count), as: UTF8.self)
        }
        if let text = rest(behind: .signature) {
            guard let seconds = Int64(text), seconds.magnitude < 1 << 53 else { return nil }
            self = .signature(until: Date(timeIntervalSince1970: Double(seconds)))
        } else if let settler = rest(behind: .settlement) {
            self = .settlement(by: settler)
        } else {
            guard let name = Name(rawValue: rawValue), name != .signature, name != .settlement else { return nil }
            self = name.kind(until: .distantPast, by: "")
        }
    }

    /// True if money may move in it.
    package var movesMoney: Bool { row.money != .none }

    /// True if money may move in it that no service sees.
    package var movesMoneyUnseen: Bool { row.money == .unseen }

    /// When it runs again after it was interrupted.
    package var repetition: Repetition { row.repetition }

    /// True if its result is the payer's own answer: journals erase it when the attempt ends.
    package var isErased: Bool { row.isErased }

    /// A few words for people: `can move money, never repeated`.
    package var note: String { row.note }
}

/// The rule for sending a mutation again whose fate is unknown.
@nonexhaustive
public enum MutationReplay: String, Sendable, Hashable, Codable {
    /// The service recognises the repetition by the attempt's key: ``PaymentAttempt/idempotencyKey``, or one that
    /// follows from it (``PaymentAttempt/key(for:)``).
    case sameKey
    /// The service makes it once for its subject, for all callers together, and recognises a repetition at any time:
    /// such as a mark that a payment can have only once.
    case atAnyTime
    /// It is never sent again; only ``PaymentService/status(of:in:)`` resolves it.
    case never
}

extension StepKind {
    /// The name of every attempt's one settlement: an on-disk contract, and part of its key.
    package static let settlementName = "settle"
}
