#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The effects of a list of wallet calls, in terms that a person can check against what they agreed to.
///
/// A value of this type exists only for a list that was found to pay exactly what was agreed, and nothing else: a
/// wallet shows it before it signs. The provider that asks for the signatures makes it.
public struct SigningReview: Sendable, Hashable {
    /// One event that will happen, or may happen once the signature is out.
    public struct Effect: Sendable, Hashable {
        /// The kinds of effects. Open: later versions may add kinds.
        public struct Kind: Sendable, Hashable, RawRepresentable {
            /// The kind's name, as scripts read it.
            public let rawValue: String

            /// Creates a kind.
            public init(rawValue: String) { self.rawValue = rawValue }

            /// A spender may take the amount once, through Permit2. The spender decides who receives it.
            public static let permit2Transfer = Kind(rawValue: "permit2-transfer")
            /// The recipient may collect the amount (EIP-3009); anyone may submit the signature.
            public static let transferAuthorization = Kind(rawValue: "transfer-authorization")
            /// The recipient itself may collect the amount (EIP-3009).
            public static let receiveAuthorization = Kind(rawValue: "receive-authorization")
            /// A contract is allowed to move tokens from now on, until that is revoked.
            public static let approve = Kind(rawValue: "approve")
            /// The chain's own coin is sent.
            public static let nativeTransfer = Kind(rawValue: "native-transfer")
            /// The chain's own coin is paid through a settlement contract.
            public static let nativeSettlement = Kind(rawValue: "native-settlement")
            /// Tokens are sent on Solana.
            public static let splTransfer = Kind(rawValue: "spl-transfer")
            /// SOL is sent.
            public static let solTransfer = Kind(rawValue: "sol-transfer")
            /// A token account is opened on Solana.
            public static let createTokenAccount = Kind(rawValue: "create-token-account")
            /// The effect was not reviewed: the application asked for calls of this method to pass.
            public static let unreviewed = Kind(rawValue: "unreviewed")
        }

        /// The amount of an effect.
        @nonexhaustive
        public enum Quantity: Sendable, Hashable {
            /// A number of the asset's minor units, in decimal digits: amounts of 256 bits occur.
            case minorUnits(String)
            /// Everything there is, now and later.
            case unlimited
        }

        /// The kind of effect.
        public let kind: Kind
        /// The position in the list of the call that has this effect, counted from 0.
        public let call: Int
        /// The asset concerned; nil if the call was not reviewed.
        public let asset: AssetID?
        /// The amount of the asset, if the effect has one.
        public let quantity: Quantity?
        /// The recipient, in the chain's own spelling, if it is signed for.
        public let recipient: String?
        /// The contract that may move it, in the chain's own spelling.
        public let spender: String?
        /// The last moment at which it can happen; nil when there is no end.
        public let deadline: Date?

        /// Creates an effect.
        public init(
            _ kind: Kind, call: Int, asset: AssetID?, quantity: Quantity? = nil, recipient: String? = nil,
            spender: String? = nil, deadline: Date? = nil
        ) {
            self.kind = kind
            self.call = call
            self.asset = asset
            self.quantity = quantity
            self.recipient = recipient
            self.spender = spender
            self.deadline = deadline
        }
    }

    /// A fact that is not wrong, but that the payer should know. The raw value is its name, as scripts read it.
    @nonexhaustive
    public enum Warning: String, Sendable, Hashable, CaseIterable {
        /// No table lists the token: its name and its decimals are the service's claim.
        case displayUnverified = "display-unverified"
        /// Neither this library nor the payer has seen the recipient or spender on this chain before.
        case recipientUnknown = "recipient-unknown"
        /// The allowance has no limit.
        case approvalUnlimited = "approval-unlimited"
        /// The allowance is larger than the payment.
        case approvalMoreThanNeeded = "approval-more-than-needed"
        /// The payer opens a token account for another party at the payer's cost.
        case solanaRent = "solana-rent"
        /// The effect of a call was not reviewed.
        case unreviewed
    }

    /// The effects, in the order of the calls.
    public let effects: [Effect]
    /// The warnings for the payer, gravest first.
    public let warnings: [Warning]
    /// The 32 bytes that a signature of typed data signs (EIP-712), as the reviewer computed them. A wallet that
    /// computes others would sign something else than was reviewed.
    public let digest: [UInt8]?
    /// The review for people, a sentence each: the effects and their warnings.
    public let lines: [String]

    /// Creates a review. Only reviewers call it.
    public init(effects: [Effect], warnings: [Warning], digest: [UInt8]?, lines: [String]) {
        self.effects = effects
        self.warnings = warnings
        self.digest = digest
        self.lines = lines
    }
}

extension SigningReview: CustomStringConvertible {
    /// The sentences for people, a line each.
    public var description: String { lines.joined(separator: "\n") }
}
