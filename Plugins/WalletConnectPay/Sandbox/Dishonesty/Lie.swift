import PaymentCore

extension WalletConnectPaySandbox {
    /// Something that a dishonest service asks of a wallet: one honest option, changed so that signing it would do
    /// something else than the payer was shown.
    ///
    /// A wallet must sign nothing of it. If it does, and confirms, the sandbox takes whatever it was given.
    public struct Lie: Sendable {
        /// What the option is before it is changed.
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
        /// What would happen, for people.
        public let summary: String
        /// What the refusal has to say: the code of the rule that stops it, or a part of the text where no rule of the
        /// review is needed.
        public let refusal: String

        let base: Base
        let edits: [Edit]
        /// Whether the calls come only when the wallet asks for them.
        var isFetched = false

        init(
            _ name: String, _ base: Base, _ summary: String, refusal: String, isFetched: Bool = false,
            _ edits: Edit...
        ) {
            self.init(name, base, summary, refusal: refusal, isFetched: isFetched, all: edits)
        }

        init(
            _ name: String, _ base: Base, _ summary: String, refusal: String, isFetched: Bool = false, all edits: [Edit]
        ) {
            self.name = name
            self.base = base
            self.summary = summary
            self.refusal = refusal
            self.isFetched = isFetched
            self.edits = edits
        }

        /// Every lie, by what is lied about.
        public static let all =
            options + lists + messages + authorizations + transactions + approvals + settlements
            + solana
    }

    /// Creates a payment whose only options are lies.
    public func createPayment(telling lie: Lie, cents: UInt128 = 1250) -> Payment {
        let payment = createPayment(.paidAtOnce, cents: cents)
        payments[payment.id]?.lie = lie
        return payment
    }
}

extension WalletConnectPaySandbox.Lie: Hashable, CustomStringConvertible {
    /// Lies are known by their names.
    public static func == (left: Self, right: Self) -> Bool { left.name == right.name }
    /// Hashes the name.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
    /// The name.
    public var description: String { name }
}

extension WalletConnectPaySandbox.Lie {
    var asset: Asset {
        switch base {
        case .permit: .tether
        case .approval: .tetherWithApproval
        case .authorization: .usdCoin
        case .coin: .readyEther
        case .solana: .solana
        }
    }

    /// The options as the liar states them.
    func told(_ options: [JSONValue], payer: String, now: Int64) -> [JSONValue] {
        // One option is enough; the others would be honest.
        var told = JSONValue.array(Array(options.prefix(1)))
        for edit in edits { edit.apply(to: &told, payer: payer.lowercased(), now: now) }
        return told.array ?? []
    }
}
