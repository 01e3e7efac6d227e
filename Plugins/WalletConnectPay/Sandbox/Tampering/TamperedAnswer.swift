import PaymentCore

extension WalletConnectPaySandbox {
    /// A dishonest gateway's request to a wallet: one honest option, changed so that its signature would do something
    /// other than the payer was shown.
    ///
    /// A wallet must sign none of it. If it does, and confirms, the sandbox accepts any results.
    public struct TamperedAnswer: Sendable {
        /// The option before it is changed.
        enum Base: Sendable {
            /// A Permit2 permit for USDT on Ethereum.
            case permit
            /// The same, behind an approval.
            case approval
            /// An authorisation (EIP-3009) for USDC on Base.
            case authorization
            /// Ether on Optimism through the settlement contract.
            case coin
            /// SOL.
            case solana
        }

        /// The name on the command line.
        public let name: String
        /// A short human-readable description of the change.
        public let summary: String
        /// The text that the rejection has to contain: the code of the rule that stops it, or a part of the message if
        /// no rule of the review is needed.
        public let rejection: String

        let base: Base
        let edits: [Edit]
        /// True if the calls arrive only when the wallet fetches them.
        var isFetched = false

        init(
            _ name: String, _ base: Base, _ summary: String, rejection: String, isFetched: Bool = false,
            _ edits: Edit...
        ) {
            self.init(name, base, summary, rejection: rejection, isFetched: isFetched, all: edits)
        }

        init(
            _ name: String, _ base: Base, _ summary: String, rejection: String, isFetched: Bool = false,
            all edits: [Edit]
        ) {
            self.name = name
            self.base = base
            self.summary = summary
            self.rejection = rejection
            self.isFetched = isFetched
            self.edits = edits
        }

        /// Every tampered answer, by the changed part.
        public static let all =
            options + lists + messages + authorizations + transactions + approvals + settlements
            + solana
    }

    /// Creates a payment whose only options are tampered.
    public func createPayment(tampered answer: TamperedAnswer, cents: UInt128 = 1250) -> Payment {
        let payment = createPayment(.paidAtOnce, cents: cents)
        payments[payment.id]?.tampered = answer
        return payment
    }
}

extension WalletConnectPaySandbox.TamperedAnswer: Hashable, CustomStringConvertible {
    /// Compares the names.
    public static func == (left: Self, right: Self) -> Bool { left.name == right.name }
    /// Hashes the name.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
    /// The name.
    public var description: String { name }
}

extension WalletConnectPaySandbox.TamperedAnswer {
    var asset: Asset {
        switch base {
        case .permit: .tether
        case .approval: .tetherWithApproval
        case .authorization: .usdCoin
        case .coin: .readyEther
        case .solana: .solana
        }
    }

    /// Returns the options, as the dishonest gateway states them.
    func applied(to options: [JSONValue], payer: String, now: Int64) -> [JSONValue] {
        // One option is enough; the others would be honest.
        var changed = JSONValue.array(Array(options.prefix(1)))
        for edit in edits { edit.apply(to: &changed, payer: payer.lowercased(), now: now) }
        return changed.array ?? []
    }
}
