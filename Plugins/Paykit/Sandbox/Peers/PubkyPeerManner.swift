extension PubkySandbox {
    /// The behaviour of a user with a private channel.
    @nonexhaustive
    public enum PeerManner: String, Sendable, Hashable, CaseIterable {
        /// Provides the terms, and confirms the payment.
        case ready
        /// Understands payers of the older generation only.
        case olderGeneration = "older-generation"
        /// Understands payers of the newer generation only.
        case newerGeneration = "newer-generation"
        /// Uses the mobile library's dialect.
        case mobileDialect = "mobile-dialect"
        /// Uses the dialect of some apps: flat, with the endpoint in a separate message.
        case flatDialect = "flat-dialect"
        /// Pings the payer before every answer.
        case pings
        /// Sends everything twice.
        case repeats
        /// Delays every answer.
        case slow
        /// Never confirms a payment.
        case unconfirming
        /// Refuses the terms of the payment.
        case refuses
        /// Claims to be another user.
        case wrongPayee = "wrong-payee"
        /// Confirms another amount than was asked for.
        case anotherAmount = "another-amount"
        /// Confirms the amount, with an invoice for ten times as much.
        case anotherInvoice = "another-invoice"
        /// Confirms a receipt that was not asked for.
        case anotherReceipt = "another-receipt"
        /// Confirms the payment of another user.
        case anotherPayer = "another-payer"
        /// Confirms without an endpoint.
        case noInvoice = "no-invoice"
        /// Has another key than it has published.
        case identityMismatch = "identity-mismatch"
        /// Accepts the connection and never sends anything.
        case silent
        /// Agrees on the channel, and answers after the payer has stopped waiting.
        case late
        /// Closes the connection at once.
        case closesAtOnce = "closes-at-once"
        /// Closes the connection in the middle of an answer.
        case closesInTheMiddle = "closes-in-the-middle"
        /// Announces a message of four gigabytes.
        case oversizedFrame = "oversized-frame"
        /// Sends random bytes in place of the handshake.
        case garbage
        /// Sends an old message of the channel again.
        case replays
        /// Sends bytes that are no message.
        case notJSON = "not-json"
        /// Sends an endless series of messages that are no answer.
        case chatters
        /// Has published a key, but does not listen yet.
        case placeholder
        /// Has published an address without a listener.
        case notListening = "nobody-listens"
    }
}

extension PubkySandbox.PeerManner {
    /// The outcome for a payer who asks.
    @nonexhaustive
    public enum Outcome: String, Sendable, Hashable, CaseIterable {
        /// They get the terms, pay, and get a confirmation of the arrival.
        case confirmed
        /// They get the terms and pay, without a confirmation.
        case paid
        /// They get a refusal, or do not trust the answer. Nothing is paid.
        case refused
        /// There is no channel, or no answer. Nothing is paid.
        case failed
    }

    /// A few words for people.
    public var summary: String { plan.summary }

    /// The outcome for a payer who asks.
    public var expectedOutcome: Outcome { plan.outcome }

    private var plan: (summary: String, outcome: Outcome) {
        switch self {
        case .ready: ("says how to be paid, and confirms it", .confirmed)
        case .olderGeneration: ("understands the older generation only", .confirmed)
        case .newerGeneration: ("understands the newer generation only", .confirmed)
        case .mobileDialect: ("speaks as the mobile library does", .confirmed)
        case .flatDialect: ("speaks flat, as some apps do", .confirmed)
        case .pings: ("asks whether the payer is there", .confirmed)
        case .repeats: ("says everything twice", .confirmed)
        case .slow: ("takes a while for every answer", .confirmed)
        case .unconfirming: ("never confirms what was paid", .paid)
        case .refuses: ("does not want to be paid like this", .refused)
        case .wrongPayee: ("claims another identity", .refused)
        case .anotherAmount: ("confirms another amount", .refused)
        case .anotherInvoice: ("has an invoice for ten times as much", .refused)
        case .anotherReceipt: ("confirms another receipt", .refused)
        case .anotherPayer: ("confirms another payer's payment", .refused)
        case .noInvoice: ("does not say where to pay", .refused)
        case .identityMismatch: ("has another key than published", .failed)
        case .silent: ("never says anything", .failed)
        case .late: ("answers after the payer has stopped waiting", .failed)
        case .closesAtOnce: ("closes the connection at once", .failed)
        case .closesInTheMiddle: ("closes in the middle of an answer", .failed)
        case .oversizedFrame: ("announces a message of four gigabytes", .failed)
        case .garbage: ("sends random bytes as its handshake", .failed)
        case .replays: ("sends an old message once more", .failed)
        case .notJSON: ("sends what is no message", .failed)
        case .chatters: ("sends message after message, none an answer", .failed)
        case .placeholder: ("has a key, but listens nowhere yet", .failed)
        case .notListening: ("has published an address without a listener", .failed)
        }
    }
}
