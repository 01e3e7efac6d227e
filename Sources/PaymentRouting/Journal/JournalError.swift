public import PaymentCore

/// The reason for which a journal refused to open, read or write. The journal is no worse than before in each case.
@nonexhaustive
public enum JournalError: Error, Sendable, Hashable {
    /// An attempt of this id exists.
    case duplicateAttempt(AttemptID)
    /// There is no attempt of this id.
    case unknownAttempt(AttemptID)
    /// An earlier attempt at the payment has not ended.
    case unfinishedAttempt(AttemptID)
    /// The attempt has ended; nothing can be added.
    case finishedAttempt(AttemptID)
    /// Another worker holds the lease of the payment now, or has released what was reserved for the attempt.
    case leaseLost(PaymentReference)
    /// The file is not a journal.
    case notAJournal(path: String)
    /// The file was written by a newer version of this software.
    case newerVersion(path: String, found: Int, supported: Int)
    /// The file is damaged; the text names the place.
    case damaged(path: String, detail: String)
    /// The file cannot be opened, read or written; the text gives the reason.
    case inaccessible(path: String, detail: String)
    /// The disk is full, or the file may not grow.
    case full(path: String)
    /// Other processes kept the file locked for longer than the journal waits.
    case locked(path: String, waited: Duration = .zero)
    /// The file has tables, columns, views or triggers that no version of this software makes; the text names one.
    case unexpectedSchema(path: String, detail: String)
    /// The file was deleted, moved or replaced while it was in use: other processes would not see what is written to
    /// it.
    case replaced(path: String)
    /// A value is larger than any value of a payment.
    case tooLarge(path: String, bytes: Int, limit: Int)
    /// As many notifications of one service wait as are kept.
    case tooManyNotifications(path: String, limit: Int)
}

extension JournalError: CustomStringConvertible {
    /// The event and the remedy, for people.
    public var description: String {
        switch self {
        case .duplicateAttempt(let id): "the journal already holds an attempt \(id)"
        case .unknownAttempt(let id): "the journal holds no attempt \(id)"
        case .unfinishedAttempt(let id): "the attempt \(id) at this payment has not ended; resume it first"
        case .finishedAttempt(let id): "the attempt \(id) has ended; nothing can be added to it"
        case .leaseLost: "another process has taken this payment over; ask the journal for its outcome"
        case .notAJournal(let path): "'\(path)' is not a payment journal; it was left as it is, name another file"
        case .newerVersion(let path, let found, let supported):
            "the journal '\(path)' has version \(found), this program knows up to \(supported); "
                + "it was left as it is, use a newer program"
        case .damaged(let path, let detail):
            "the journal '\(path)' is damaged (\(detail)); keep it, restore a copy or name another file"
        case .inaccessible(let path, let detail): "the journal '\(path)' cannot be used: \(detail)"
        case .full(let path): "there is no room to write the journal '\(path)'; free some and try again"
        case .locked(let path, let waited):
            "another process keeps the journal '\(path)' locked"
                + (waited > .zero ? " and did not let go of it for \(waited.formatted) s" : "")
                + "; nothing was written. Look for a stopped program that uses it, and try again"
        case .unexpectedSchema(let path, let detail):
            "the journal '\(path)' was changed by something else: \(detail); do not pay with it, restore a copy or name "
                + "another file"
        case .replaced(let path):
            "the journal '\(path)' was deleted or replaced while a program uses it; put it back, or end every program "
                + "that uses it, before anything is paid"
        case .tooLarge(let path, let bytes, let limit):
            "the journal '\(path)' takes no value of \(bytes > 0 ? "\(bytes)" : "more than \(limit)") bytes; at most "
                + "\(limit) are accepted"
        case .tooManyNotifications(let path, let limit):
            "\(limit) notifications of this service wait in the journal '\(path)', and no more are kept; answer with "
                + "status 503, so that the service sends this one again, and look at what the workers report"
        }
    }
}

extension Duration {
    /// Seconds, with as many decimals as are not zero, at most three.
    fileprivate var formatted: String {
        let milliseconds = Int(self / .milliseconds(1))
        var text = "\(milliseconds / 1000).\(String(milliseconds % 1000 + 1000).dropFirst())"
        while text.hasSuffix("0") { text.removeLast() }
        return text.hasSuffix(".") ? String(text.dropLast()) : text
    }
}
