package import PaymentTesting

/// An event of a sandbox's ledger by its kind, as people see it.
package enum LedgerStatus: String, Sendable {
    case created
    case confirmRequested = "confirm requested"
    case authorized, captured, settled, refunded, failed, cancelled, expired

    package init(_ event: SandboxLedger.Event) {
        self =
            switch event {
            case .created: .created
            case .confirmRequested: .confirmRequested
            case .authorized: .authorized
            case .captured: .captured
            case .settled: .settled
            case .refunded: .refunded
            case .failed: .failed
            case .cancelled: .cancelled
            case .expired: .expired
            }
    }
}

/// A payment's state in one word, for people.
package enum LedgerState: String, Sendable {
    case open = "Open"
    case inProgress = "In progress"
    case authorized = "Authorized"
    case paid = "Paid"
    case refunded = "Refunded"
    case failed = "Failed"
    case cancelled = "Cancelled"
    case expired = "Expired"

    /// Creates the state of a payment with these statuses, oldest first. Money that was taken stays taken until it is
    /// refunded, whatever happens afterwards.
    package init(_ statuses: [LedgerStatus]) {
        if statuses.contains(.refunded) {
            self = .refunded
        } else if statuses.contains(.captured) || statuses.contains(.settled) {
            self = .paid
        } else {
            self =
                switch statuses.last {
                case .created, nil: .open
                case .confirmRequested: .inProgress
                case .authorized: .authorized
                case .captured, .settled: .paid
                case .refunded: .refunded
                case .failed: .failed
                case .cancelled: .cancelled
                case .expired: .expired
                }
        }
    }
}

extension SandboxLedger {
    /// Returns the statuses of a payment: `created, confirm requested, captured, settled`. Money taken twice would show
    /// as two captures.
    package func words(for payment: String) -> String {
        events(of: payment).map { LedgerStatus($0).rawValue }.joined(separator: ", ")
    }
}

extension SandboxLedger.Event {
    /// The rest of the event: the amount, and the account that it came from.
    package var detail: String {
        switch self {
        case .authorized(let option, let amount): "\(amount) by \(option)"
        case .captured(let option, let amount, let account): "\(amount) by \(option) from \(account)"
        case .refunded(let amount): amount
        case .created, .confirmRequested, .settled, .failed, .cancelled, .expired: ""
        }
    }
}
