public import PaymentCore
import PaymentCrypto

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A key of the application that lets a router recognise its own journal.
///
/// With it, the router seals every attempt and every entry that it writes (HMAC-SHA-256), each over everything before
/// it in its attempt. It does not act on a record whose seals are missing or wrong. Keep the key where a writer of the
/// journal's file cannot read it, such as the system's keychain. Keep the same key as long as payments are open:
/// attempts that were made without it, or with another, are refused.
///
/// It protects against changes to the journal behind the application's back: options and prepared calls that are
/// swapped, put in from other attempts, set back to older ones, added, reordered or taken out of the middle. It does
/// not hide anything. It cannot show that the *end* of a record is missing, or the whole record: a journal set back to
/// an earlier state, or deleted, looks like one that has not progressed yet. The only remedies are a journal that no
/// other party can write, and services that recognise repetitions.
public struct JournalKey: Sendable {
    /// The fewest bytes of a key.
    public static let minimumLength = 32

    private let bytes: Redacted<[UInt8]>

    /// Creates a key of random bytes, ``minimumLength`` at least.
    ///
    /// - Throws: ``PaymentError``, `journal`, when there are fewer.
    public init(_ bytes: Redacted<[UInt8]>) throws(PaymentError) {
        guard bytes.reveal().count >= Self.minimumLength else {
            throw PaymentError(.journal, "a journal's key needs at least \(Self.minimumLength) random bytes")
        }
        self.bytes = bytes
    }

    // MARK: Sealing

    /// Returns the seal of an attempt as it is opened.
    func seal(_ attempt: PaymentAttempt) throws -> String {
        authenticate(
            ["attempt", attempt.id.rawValue] + attempt.reference.parts + [
                try SealEncoding.option(attempt.option), attempt.idempotencyKey, SealEncoding.date(attempt.startedAt),
                attempt.expiresAt.map(SealEncoding.date) ?? "",
            ])
    }

    /// Returns the seal of the entry that comes after `position` others. The last of them has the seal `previous`; if
    /// there is none, that is the attempt's seal.
    func seal(
        _ entry: JournalEntry, of attempt: AttemptID, at position: Int, after previous: String
    ) throws -> String {
        authenticate(
            ["entry", attempt.rawValue, "\(position)", previous, SealEncoding.date(entry.date)]
                + (try SealEncoding.event(entry.event)))
    }

    /// Returns the seal of a person's decision, over a record as it stands, sound or not.
    func seal(_ decision: JournalEntry, over history: AttemptHistory) throws -> String {
        var history = history
        // Erased at the end.
        history.eraseInteractions()
        var fields = ["decision", try seal(history.attempt), history.attempt.seal ?? ""]
        for entry in history.entries + [decision] {
            fields += [entry.seal ?? "", SealEncoding.date(entry.date)]
            fields.append(authenticate(try SealEncoding.event(entry.event)))
        }
        return authenticate(fields)
    }

    /// Returns true if every seal of `history` is there and right, or a person's decision ended it as it is.
    package func isSound(_ history: AttemptHistory) -> Bool {
        if let decision = history.entries.last, let seal = decision.seal, decision.isEnding {
            var before = history
            before.entries.removeLast()
            var unsealed = decision
            unsealed.seal = nil
            let right = try? self.seal(unsealed, over: before)
            if let right, ConstantTime.equal(right.utf8, seal.utf8) { return true }
        }
        return hasSoundChain(history)
    }

    /// Returns true if every seal of `history` is there and right.
    private func hasSoundChain(_ history: AttemptHistory) -> Bool {
        guard isSound(history.attempt), var previous = history.attempt.seal else { return false }
        // The answers of wallets and forms are erased at the end. Their seal stays, and later entries were sealed over
        // it.
        let erased = history.isFinished ? history.erasedNames : []
        for (position, entry) in history.entries.enumerated() {
            guard let seal = entry.seal else { return false }
            var isErased = false
            if case .stepFinished(let name, .null) = entry.event { isErased = erased.contains(name) }
            if !isErased {
                let right = try? self.seal(entry, of: history.attempt.id, at: position, after: previous)
                guard let right, ConstantTime.equal(right.utf8, seal.utf8) else { return false }
            }
            previous = seal
        }
        return true
    }

    /// Returns true if the attempt itself is as it was opened.
    func isSound(_ attempt: PaymentAttempt) -> Bool {
        guard let seal = attempt.seal, let right = try? self.seal(attempt) else { return false }
        return ConstantTime.equal(right.utf8, seal.utf8)
    }

    /// Authenticates the fields. Each has its length before it, so no byte can move from one to the next.
    private func authenticate(_ fields: [String]) -> String {
        var message: [UInt8] = []
        for field in fields {
            message += "\(field.utf8.count):".utf8
            message += field.utf8
        }
        return Hex.encode(Digest.sha256.authenticate(message, key: bytes.reveal()))
    }
}

/// Writes sealed attempts and entries about one payment. Each seal is over the one before, so entries must be written
/// one after the other, as ``LeasedJournal`` does.
actor SealedWriter {
    /// An attempt's record was changed by another writer. Nothing is added to it.
    struct SealFormatError: Error {}

    private struct Tip {
        var count: Int
        var seal: String
    }

    private let base: any PaymentJournal
    private let key: JournalKey
    private var tips: [AttemptID: Tip] = [:]

    init(_ base: any PaymentJournal, _ key: JournalKey) {
        self.base = base
        self.key = key
    }

    func open(_ attempt: PaymentAttempt, under lease: PaymentLease) async throws {
        var sealed = attempt
        sealed.seal = try key.seal(attempt)
        try await base.open(sealed, under: lease)
    }

    func append(_ entry: JournalEntry, to attempt: AttemptID, under lease: PaymentLease) async throws {
        let tip = try await tip(of: attempt)
        var sealed = entry
        let seal = try key.seal(entry, of: attempt, at: tip.count, after: tip.seal)
        sealed.seal = seal
        // A journal that fails may have stored the entry anyway. The next write reads it.
        tips[attempt] = nil
        try await base.append(sealed, to: attempt, under: lease)
        tips[attempt] = Tip(count: tip.count + 1, seal: seal)
    }

    /// Returns a person's decision with its seal, over the record as it stands.
    nonisolated func sealed(_ decision: JournalEntry, on history: AttemptHistory) throws -> JournalEntry {
        var sealed = decision
        sealed.seal = try key.seal(decision, over: history)
        return sealed
    }

    private func tip(of attempt: AttemptID) async throws -> Tip {
        if let tip = tips[attempt] { return tip }
        guard let history = try await base.history(of: attempt) else { throw JournalError.unknownAttempt(attempt) }
        guard key.isSound(history), let seal = history.entries.last?.seal ?? history.attempt.seal else {
            throw SealFormatError()
        }
        return Tip(count: history.entries.count, seal: seal)
    }
}

/// The texts that are sealed. They never change: a seal is compared years later with one that is made again. They
/// depend neither on names in code nor on the stored form, so both may change. References and kinds of steps are the
/// exception: their texts are fixed (``PaymentReference/parts``, ``StepKind/rawValue``).
enum SealEncoding {
    static func option(_ option: PaymentMethodOption) throws -> String {
        var value: JSONValue = [
            "id": .string(option.id), "title": .string(option.title), "amount": money(option.amount),
            "needs": .array(option.needs.map(need)), "unmet": .array(option.unmet.map(need)),
        ]
        if option.isEstimate { value["estimate"] = true }
        value["account"] = option.account.map { .string($0.text) }
        value["expiresAt"] = try option.expiresAt.map { try JSONValue.encode($0.timeIntervalSinceReferenceDate) }
        value["providerData"] = option.providerData
        // Throws for a value that nests too deep.
        return try JSONValue.encode(value).text
    }

    static func event(_ event: JournalEntry.Event) throws -> [String] {
        switch event {
        case .stepStarted(let name, let kind): ["started", name, kind.rawValue]
        case .stepFinished(let name, let result): ["finished", name, result.text]
        case .stepFailed(let name, let reason, let wasSent): [wasSent ? "failed" : "unsent", name, reason]
        case .outcome(let outcome): ["outcome", "", try Self.outcome(outcome).text]
        case .abandoned(let reason): ["abandoned", "", reason]
        }
    }

    static func date(_ date: Date) -> String { String(date.timeIntervalSinceReferenceDate.bitPattern, radix: 16) }

    // MARK: Parts

    private static func outcome(_ outcome: PaymentOutcome) throws -> JSONValue {
        switch outcome {
        case .succeeded(let receipt):
            var value: JSONValue = ["reference": reference(receipt.reference)]
            value["amount"] = receipt.amount.map(money)
            value["transactionID"] = receipt.transactionID.map { .string($0) }
            value["decision"] = receipt.decision.map { .string($0) }
            value["unproven"] = receipt.unproven.map { .string($0) }
            if receipt.isEarlier { value["earlier"] = true }
            return ["succeeded": ["_0": value]]
        case .declined(let reason):
            return ["declined": ["_0": ["code": .string(reason.code.rawValue), "message": .string(reason.message)]]]
        case .cancelled: return ["cancelled": [:]]
        case .expired: return ["expired": [:]]
        case .pending(let retryAfter):
            var value: JSONValue = [:]
            if let retryAfter { value["retryAfter"] = .number(JSONNumber(seconds: retryAfter)) }
            return ["pending": value]
        case .unknown(let unknown):
            var value: JSONValue = ["reference": reference(unknown.reference), "message": .string(unknown.message)]
            value["rawStatus"] = unknown.rawStatus.map { .string($0) }
            return ["unknown": ["_0": value]]
        }
    }

    private static func reference(_ reference: PaymentReference) -> JSONValue {
        .array(reference.parts.map { .string($0) })
    }

    private static func money(_ money: Money) -> JSONValue {
        [
            "minorUnits": .string(money.minorUnitText), "currency": .string(money.currency.unit),
            "exponent": .number(JSONNumber(money.exponent)),
        ]
    }

    private static func need(_ need: PayerNeed) -> JSONValue {
        switch need {
        case .signing(let method): ["signing": ["method": .string(method)]]
        case .data: ["data": [:]]
        case .page: ["page": [:]]
        case .app(let name): ["app": ["name": .string(name)]]
        case .code: ["code": [:]]
        case .settlement(let kind, let network):
            [
                "settlement": [
                    "kind": .string(kind.rawValue), "network": network.map { .string($0) } ?? .null,
                ]
            ]
        }
    }
}

/// The handling of attempts whose record in the journal was changed by another writer.
extension AttemptEngine {
    /// Ends work on a payment because of such a record; one that may have moved money comes first. Nothing is signed,
    /// paid or written for it. The service is asked, and only its status is believed. Nil if there is no such record
    /// among `histories`.
    ///
    /// - Parameter isNamed: true if the caller named the payment. Otherwise it is known from the record alone, which
    ///   may name another payment.
    /// - Throws: ``PaymentError``, `integrity`, if even the record does not say that anything was sent.
    func statusOfUnsealedAttempt(
        among histories: [AttemptHistory], isNamed: Bool
    ) async throws -> PaymentOutcome? {
        let unsealed = histories.filter { !effects.isSound($0) }
        guard let first = unsealed.first else { return nil }
        guard let history = unsealed.first(where: { $0.hasBegunMutation || $0.outcome != nil }) else {
            throw error(.integrity, Ledger.distrust(of: first.attempt.id))
        }
        let attempt = history.attempt
        if isNamed || effects.journalKey?.isSound(attempt) != false {
            if let report = try? await serviceClient.status(of: attempt), report.isFinal {
                return Ledger([history], effects).verdict(on: report, at: .question)
            }
        }
        return .unknown(UnknownOutcome(reference: attempt.reference, message: Ledger.distrust(of: attempt.id)))
    }
}
