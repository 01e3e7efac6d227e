import PaymentCore

extension WalletConnectPaySandbox {
    /// A request of a dishonest gateway to a wallet: one honest option, changed so that signing it would do something
    /// else than the payer was shown.
    ///
    /// A wallet must sign nothing of it. If it does, and confirms, the sandbox takes whatever it was given.
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

        /// Its name, as the command line lists it.
        public let name: String
        /// The change, in a few words for people.
        public let summary: String
        /// The text that the refusal has to contain: the code of the rule that stops it, or a part of the message where
        /// no rule of the review is needed.
        public let rejection: String

        let base: Base
        let edits: [Edit]
        /// Whether the calls come only when the wallet asks for them.
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

        /// Every tampered answer, by the part that is changed.
        public static let all =
            options + lists + messages + authorizations + transactions + approvals + settlements
            + solana
    }

    /// Creates a payment whose only options are tampered with.
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

    /// The options as the dishonest gateway states them.
    func applied(to options: [JSONValue], payer: String, now: Int64) -> [JSONValue] {
        // One option is enough; the others would be honest.
        var changed = JSONValue.array(Array(options.prefix(1)))
        for edit in edits { edit.apply(to: &changed, payer: payer.lowercased(), now: now) }
        return changed.array ?? []
    }
}
