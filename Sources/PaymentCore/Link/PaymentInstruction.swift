#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The content of a payment text in one form for every standard: payee, amount, network and expiry.
///
/// Everything in it comes from the text alone. Names and messages are claims of the text's author; ``Payee/check`` says
/// what backs the account. What the text leaves open is nil or ``Amount/open``.
public struct PaymentInstruction: Sendable, Hashable {
    /// The standard's short name, such as `bip321`.
    public let standard: String
    /// All fields of the text, by the standard's own names.
    public var fields: InstructionFields
    /// The kind of text, for people.
    public var name: Name
    /// The effect of following it. Only a ``Purpose/payment`` may be shown as something to pay.
    public var purpose: Purpose = .payment
    /// The purpose of a link that applications may be opened by, where its standard states one. Only a `payment` is to
    /// be paid.
    public var role: LinkMatch.Role?
    /// The payee, as far as the text names one.
    public var payee: Payee?
    /// The amount.
    public var amount: Amount = .open
    /// The network on which the money moves: a chain (CAIP-2 where there is an id), `lightning`, `sepa`, `upi` …
    public var network: String?
    /// The purpose of the payment, as the text claims.
    public var memo: String?
    /// The payee's identifier of the payment: an invoice's number, a structured reference, a destination tag.
    public var reference: String?
    /// The end of the text's validity.
    public var expiresAt: Date?
    /// The payments, where the text asks for several together: all of them are to be made. Empty where it asks for one.
    /// ``payee`` is nil then, and ``amount`` their sum, or ``Amount/several`` where they have no common unit.
    public var payments: [Payment] = []
    /// The repetition of the payment, where it is more than one by the text: a standing order, a mandate.
    public var repeats: Repetition?
    /// Other ways to make this same payment, one of which suffices: the invoice inside a `bitcoin:` link.
    public var alternatives: [PaymentInstruction] = []
    /// Ids of other standards or chains that the same text could be of. The person must choose which is meant.
    public var otherReadings: [String] = []
    /// The parts of the text that its standard does not know, and that nothing else here is made of.
    public var unread: [UnreadPart] = []
    /// The facts that the person should know before paying.
    public var warnings: [InstructionWarning] = []
    /// True if the text is worth money or opens an account to any reader, and must not be shown or logged. Such an
    /// instruction prints as its standard and purpose alone.
    public var holdsSecret = false
    /// The names of the ``fields`` that may be shown although the instruction ``holdsSecret``.
    public var publicFields: Set<String> = []

    /// Creates an instruction with nothing but its fields.
    ///
    /// - Parameters:
    ///   - standard: The standard's id.
    ///   - fields: All fields, by the standard's own names.
    ///   - name: The kind of text for people; nil names the standard's short name.
    public init(standard: String, fields: InstructionFields, name: Name? = nil) {
        self.standard = standard
        self.name = name ?? Name("a payment text (\(standard))")
        self.fields = fields
    }
}

extension PaymentInstruction {
    /// The ``unread`` parts that could change the payment. A text with one is not clear: it is paid only with the
    /// payer's consent to exactly this text.
    public var unclear: [UnreadPart] { unread.filter(\.couldChangePayment) }

    /// The effect of following an instruction.
    @nonexhaustive
    public enum Purpose: String, Sendable, Hashable {
        /// The reader pays.
        case payment
        /// Another party may take money from the reader: a direct debit, a mandate, a token approval.
        case pull
        /// It brings money to the reader: a withdrawal, a token to redeem.
        case receipt
        /// A code that the reader shows to be charged; paying it is impossible.
        case presentation
        /// No payment at all: a login, a contact, a receipt to look at.
        case information
    }

    /// The recipient of a payment.
    public struct Payee: Sendable, Hashable {
        /// The evidence for the account's spelling. None of it proves whose account it is.
        @nonexhaustive
        public enum Check: String, Sendable, Hashable {
            /// No evidence: a typing mistake would go unnoticed.
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
        /// The evidence for the spelling of ``account``.
        public var check: Check

        /// Creates a payee.
        public init(account: String?, name: String? = nil, check: Check = .none) {
            self.account = account
            self.name = name
            self.check = check
        }
    }

    /// One of several payments that a text asks for together.
    public struct Payment: Sendable, Hashable {
        /// The payee.
        public var payee: Payee?
        /// The amount.
        public var amount: Amount
        /// The purpose, as the text claims.
        public var memo: String?

        /// Creates a payment.
        public init(payee: Payee?, amount: Amount, memo: String? = nil) {
            self.payee = payee
            self.amount = amount
            self.memo = memo
        }
    }

    /// The rhythm of payments that a text asks for once.
    public struct Repetition: Sendable, Hashable {
        /// A span of time.
        @nonexhaustive
        public enum Unit: String, Sendable, Hashable {
            /// A day of the calendar.
            case day
            /// Seven days.
            case week
            /// A month of the calendar.
            case month
            /// A year of the calendar.
            case year
        }

        /// The number of ``unit``s between two payments; nil where the payee asks when it wants.
        public var every: Int?
        /// The span that is counted.
        public var unit: Unit
        /// The day of the first payment, where the text states it.
        public var first: Date?
        /// The last day on which it is paid; nil for no end.
        public var last: Date?

        /// Creates a repetition.
        public init(every: Int?, _ unit: Unit, first: Date? = nil, last: Date? = nil) {
            self.every = every
            self.unit = unit
            self.first = first
            self.last = last
        }
    }

    /// The amount to be paid.
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
        /// A number of units that ``Money`` cannot count: of a token whose decimals the text does not state.
        case uncounted(digits: String, unit: String)
        /// An amount that only the service named by the text knows.
        case onService
        /// The amounts of several payments, in several units or open in part; see ``PaymentInstruction/payments``.
        case several
    }
}

extension PaymentInstruction: CustomReflectable {
    /// All its content; of one that ``holdsSecret`` its standard and purpose.
    public var customMirror: Mirror {
        var children: [(String, Any)] = [("standard", standard), ("purpose", purpose), ("role", role as Any)]
        if !holdsSecret {
            children += [
                ("fields", fields), ("payee", payee as Any), ("amount", amount), ("network", network as Any),
                ("memo", memo as Any), ("reference", reference as Any), ("expiresAt", expiresAt as Any),
                ("payments", payments), ("repeats", repeats as Any), ("alternatives", alternatives),
                ("otherReadings", otherReadings), ("unread", unread),
                ("warnings", warnings),
            ]
        }
        return Mirror(self, children: children.map { (label: $0.0, value: $0.1) }, displayStyle: .struct)
    }
}
