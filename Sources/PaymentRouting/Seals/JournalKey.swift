public import PaymentCore
import PaymentCrypto

/// An application's key by which a router recognises its own journal.
///
/// With it, the router seals every attempt and every entry that it writes (HMAC-SHA-256), each over everything before
/// it in its attempt, and acts on nothing whose seals are missing or wrong. Keep the key where a writer of the
/// journal's file cannot read it, such as the system's keychain, and keep the same one as long as payments are open:
/// attempts that were made without it, or with another, are refused.
///
/// It protects against changes to the journal behind the application's back: options and prepared calls that are
/// swapped, put in from other attempts, set back to older ones, added, reordered or taken out of the middle. It does
/// not hide anything, and it cannot show that the *end* of a record is missing, or the whole of it: a journal set back
/// to an earlier state, or deleted, looks like one that has not progressed yet. The only remedies are a journal that no
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

    /// The seal of an attempt as it is opened.
    func seal(_ attempt: PaymentAttempt) throws -> String {
        authenticate(
            ["attempt", attempt.id.rawValue] + attempt.reference.parts + [
                try SealEncoding.option(attempt.option), attempt.idempotencyKey, SealEncoding.date(attempt.startedAt),
                attempt.expiresAt.map(SealEncoding.date) ?? "",
            ])
    }

    /// The seal of the entry that comes after `position` others, the last of which has the seal `previous`: with no
    /// entry before it, the attempt's.
    func seal(
        _ entry: JournalEntry, of attempt: AttemptID, at position: Int, after previous: String
    ) throws -> String {
        authenticate(
            ["entry", attempt.rawValue, "\(position)", previous, SealEncoding.date(entry.date)]
                + (try SealEncoding.event(entry.event)))
    }

    /// The seal of a person's decision, over a record as it stands, sound or not.
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

    /// True if every seal of `history` is there and right, or a person's decision ended it as it is.
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

    /// True if every seal of `history` is there and right.
    private func hasSoundChain(_ history: AttemptHistory) -> Bool {
        guard isSound(history.attempt), var previous = history.attempt.seal else { return false }
        // The answers of wallets and forms are erased at the end; their seal stays, and later entries were sealed over
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

    /// True if the attempt itself is as it was opened.
    func isSound(_ attempt: PaymentAttempt) -> Bool {
        guard let seal = attempt.seal, let right = try? self.seal(attempt) else { return false }
        return ConstantTime.equal(right.utf8, seal.utf8)
    }

    /// Authenticates the fields, each with its length before it, so that no byte can move from one to the next.
    private func authenticate(_ fields: [String]) -> String {
        var message: [UInt8] = []
        for field in fields {
            message += "\(field.utf8.count):".utf8
            message += field.utf8
        }
        return Hex.encode(Digest.sha256.authenticate(message, key: bytes.reveal()))
    }
}
