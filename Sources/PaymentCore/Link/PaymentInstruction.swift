#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// What a payment text says, read the same way whatever its standard: who is paid, how much, where, until when.
///
/// Everything in it comes from the text alone. Names and messages are claims of whoever made the text; ``Payee/check``
/// says what backs the account. What the text leaves open is nil or ``Amount/open``.
public struct PaymentInstruction: Sendable, Hashable {
    /// The standard's short name, such as `bip321`.
    public let standard: String
    /// All that the text says, by the standard's own field names.
    public let fields: InstructionFields
    /// What following it does. Only a ``Purpose/payment`` may be shown as something to pay.
    public var purpose: Purpose = .payment
    /// What a link that applications may be opened by is for, where its standard tells. Only a `payment` is to be paid.
    public var role: LinkMatch.Role?
    /// Who is paid, as far as the text says.
    public var payee: Payee?
    /// How much.
    public var amount: Amount = .open
    /// Where the money moves: a chain (CAIP-2 where there is an id), `lightning`, `sepa`, `upi` …
    public var network: String?
    /// What the payment is for, as the text claims.
    public var memo: String?
    /// By which the payee knows the payment again: an invoice's number, a structured reference, a destination tag.
    public var reference: String?
    /// When the text ceases to be good.
    public var expiresAt: Date?
    /// Other ways to make this same payment, one of which suffices: the invoice inside a `bitcoin:` link.
    public var alternatives: [PaymentInstruction] = []
    /// Ids of other standards or chains that the same text could be of. The person must say which is meant.
    public var otherReadings: [String] = []
    /// What the person should know before paying.
    public var warnings: [InstructionWarning] = []
    /// Whether the text is worth money or opens an account to whoever sees it, and must not be shown or logged. Such an
    /// instruction prints as its standard and purpose alone.
    public var holdsSecret = false
    /// The names of the ``fields`` that may be shown although the instruction ``holdsSecret``.
    public var publicFields: Set<String> = []

    /// Creates an instruction that says nothing yet but its fields.
    public init(standard: String, fields: InstructionFields) {
        self.standard = standard
        self.fields = fields
    }
}

extension PaymentInstruction {
    /// What following an instruction does.
    @nonexhaustive
    public enum Purpose: String, Sendable, Hashable {
        /// The reader pays.
        case payment
        /// It lets somebody take money from the reader: a direct debit, a mandate, a token approval.
        case pull
        /// It brings money to the reader: a withdrawal, a token to redeem.
        case receipt
        /// A code that the reader shows to be charged; paying it is impossible.
        case presentation
        /// No payment at all: a login, a contact, a receipt to look at.
        case information
    }

    /// Who is paid.
    public struct Payee: Sendable, Hashable {
        /// What backs the account's spelling. None of these says whose it is.
        @nonexhaustive
        public enum Check: String, Sendable, Hashable {
            /// Nothing: a typing mistake would go unnoticed.
            case none
            /// A checksum within the account.
            case checksum
            /// A checksum over the whole text.
            case textChecksum
            /// A signature of the account itself over the text.
            case signature
        }

        /// The account, address, handle or service, as the standard spells it; nil when only the service knows.
        public var account: String?
        /// The name that the text claims.
        public var name: String?
        /// What backs ``account``.
        public var check: Check

        /// Creates a payee.
        public init(account: String?, name: String? = nil, check: Check = .none) {
            self.account = account
            self.name = name
            self.check = check
        }
    }

    /// How much is to be paid.
    @nonexhaustive
    public enum Amount: Sendable, Hashable {
        /// The payer decides.
        case open
        /// Exactly this.
        case fixed(Money)
        /// At least this.
        case minimum(Money)
        /// This, unless the payer changes it.
        case suggested(Money)
        /// So many of a unit that ``Money`` cannot count: a token whose decimals the text does not tell.
        case uncounted(digits: String, unit: String)
        /// Only the service that the text leads to knows.
        case onService
    }
}

extension PaymentInstruction: CustomReflectable {
    /// All that it says; of one that ``holdsSecret`` its standard and purpose.
    public var customMirror: Mirror {
        var children: [(String, Any)] = [("standard", standard), ("purpose", purpose), ("role", role as Any)]
        if !holdsSecret {
            children += [
                ("fields", fields), ("payee", payee as Any), ("amount", amount), ("network", network as Any),
                ("memo", memo as Any), ("reference", reference as Any), ("expiresAt", expiresAt as Any),
                ("alternatives", alternatives), ("otherReadings", otherReadings), ("warnings", warnings),
            ]
        }
        return Mirror(self, children: children.map { (label: $0.0, value: $0.1) }, displayStyle: .struct)
    }
}
