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
    /// The purpose of a link that applications may be opened by, if its standard states one. Only a `payment` is to
    /// be paid.
    public var role: LinkMatch.Role?
    /// The payee, as far as the text names one.
    public var payee: Payee?
    /// The amount.
    public var amount: Amount = .open
    /// The network on which the money moves: a chain (its CAIP-2 id, if it has one), `lightning`, `sepa`, `upi` …
    public var network: String?
    /// The purpose of the payment, as the text claims.
    public var memo: String?
    /// The payee's identifier of the payment: an invoice's number, a structured reference, a destination tag.
    public var reference: String?
    /// The end of the text's validity.
    public var expiresAt: Date?
    /// The payments, if the text asks for several together: all of them are to be made. ``payee`` is nil then, and
    /// ``amount`` is their sum, or ``Amount/several`` if they have no common unit. Empty if the text asks for one
    /// payment.
    public var payments: [Payment] = []
    /// The repetition of the payment, if it is more than one by the text: a standing order, a mandate.
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

        /// The number of ``unit``s between two payments; nil if the payee asks when it wants.
        public var every: Int?
        /// The span that is counted.
        public var unit: Unit
        /// The day of the first payment, if the text states it.
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

extension PaymentInstruction {
    /// The name of a kind of payment text, for people.
    public struct Name: Sendable, Hashable {
        /// A noun phrase with its article: `a Lightning invoice (BOLT 11)`.
        public let phrase: String
        /// The application that follows such texts, with its article: `a Lightning wallet`; nil if none does.
        public let application: String?

        /// Creates a name.
        ///
        /// - Parameters:
        ///   - phrase: A noun phrase that begins with its article.
        ///   - application: The kind of application that follows such a text.
        public init(_ phrase: String, opensIn application: String? = nil) {
            self.phrase = phrase
            self.application = application
        }

        /// The phrase without its article: `Lightning invoice (BOLT 11)`, `payee's key (Pubky)`.
        public var noun: String {
            let article = ["a ", "an ", "the "].first { phrase.hasPrefix($0) } ?? ""
            return String(phrase.dropFirst(article.count))
        }

        /// The phrase as a title: without its article, in a capital.
        public var title: String { noun.prefix(1).uppercased() + noun.dropFirst() }
    }
}

// MARK: - Parts

/// The content of a payment text by its standard's own names: an ordered list of unique names and JSON values.
///
/// A list instead of a dictionary, since there are few fields and each text that is read makes a list.
public struct InstructionFields: Sendable {
    /// One field.
    public typealias Field = (name: String, value: JSONValue)

    /// A stored field. Copies of a tuple take several times as long.
    private struct Item: Sendable, Hashable {
        let name: String
        var value: JSONValue
    }

    private var list: [Item] = []

    /// Creates an empty list.
    public init() {}

    /// The value named `name`. Setting replaces, or adds at the end; setting nil removes.
    public subscript(_ name: String) -> JSONValue? {
        get { place(of: name).map { list[$0].value } }
        set {
            switch (place(of: name), newValue) {
            case (let index?, let value?): list[index].value = value
            case (let index?, nil): list.remove(at: index)
            case (nil, let value?):
                // Most lists have a handful.
                if list.isEmpty { list.reserveCapacity(6) }
                list.append(Item(name: name, value: value))
            case (nil, nil): break
            }
        }
    }

    private func place(of name: String) -> Int? {
        // Names of other lengths differ at a glance.
        let count = name.utf8.count
        return list.firstIndex { $0.name.utf8.count == count && $0.name == name }
    }

    /// All fields as one JSON object.
    public var object: JSONValue { .object(Dictionary(list.map { ($0.name, $0.value) }) { _, last in last }) }
}

extension InstructionFields: RandomAccessCollection {
    /// The position of the first field.
    public var startIndex: Int { 0 }
    /// The position behind the last field.
    public var endIndex: Int { list.count }
    /// The field at `position`.
    public subscript(_ position: Int) -> Field { (list[position].name, list[position].value) }
}

/// Lists are equal when they hold the same fields in the same order.
extension InstructionFields: Hashable {}

extension InstructionFields: ExpressibleByDictionaryLiteral {
    /// Creates a list; the last of two values of one name stays.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        for (name, value) in elements { self[name] = value }
    }
}

/// A part of a payment text that its standard does not know and that nothing in its reading is made of.
public struct UnreadPart: Sendable, Hashable {
    /// The part's name, decoded: a parameter's name, `#` for what follows a link's `#`.
    public let name: String
    /// Its value, decoded if possible; nil if it has none.
    public let value: String?
    /// True if a part of this name could change the coin, the amount, the payee, the tag or the time of the payment:
    /// `token`, `currency`, `contractAddress`, `expires` …
    public let couldChangePayment: Bool

    /// Creates a part.
    public init(name: String, value: String?, couldChangePayment: Bool) {
        self.name = name
        self.value = value
        self.couldChangePayment = couldChangePayment
    }
}

/// A fact that a person should know before following a payment instruction. Open: standards may add their own.
public struct InstructionWarning: RawRepresentable, Sendable, Hashable {
    /// A short stable name for programs.
    public let rawValue: String

    /// Creates a warning by name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The network is a test network, and its money worth nothing.
    public static let testNetwork = Self(rawValue: "test-network")
    /// No part of the account would reveal a typing mistake.
    public static let missingChecksum = Self(rawValue: "missing-checksum")
    /// The text names a time that may have passed; compare ``PaymentInstruction/expiresAt`` with the clock.
    public static let expires = Self(rawValue: "expires")
    /// The payer may change the amount.
    public static let amountEditable = Self(rawValue: "amount-editable")
    /// The payee may demand another amount than the one printed when it is paid.
    public static let amountMayDiffer = Self(rawValue: "amount-may-differ")
    /// The text and something inside it name different amounts.
    public static let amountsDiffer = Self(rawValue: "amounts-differ")
    /// Only one way to pay states the amount; it is used for the others, which would take any.
    public static let amountInside = Self(rawValue: "amount-inside")
    /// A memo or tag that decides whose money it becomes is missing.
    public static let missingTag = Self(rawValue: "missing-tag")
    /// Fields that the standard demands are missing, as some generators leave them out.
    public static let missingField = Self(rawValue: "missing-field")
    /// The text calls a contract, and does not show what that does.
    public static let contractCall = Self(rawValue: "contract-call")
    /// The text leads to an address on the network that decides about the payment.
    public static let followsURL = Self(rawValue: "follows-url")
    /// The text asks to open another app or page afterwards; that is not done.
    public static let opensNothing = Self(rawValue: "opens-nothing")
    /// The payee is named, but without a signature.
    public static let unsignedOrigin = Self(rawValue: "unsigned-origin")
    /// A name in the text has letters that may be taken for others: of two scripts in one word, or of an
    /// internationalised host.
    public static let homographName = Self(rawValue: "homograph-name")
    /// The same text can be read in several ways; see ``PaymentInstruction/otherReadings``.
    public static let otherReadings = Self(rawValue: "other-readings")
    /// Several payments are asked for together; see ``PaymentInstruction/payments``.
    public static let severalPayments = Self(rawValue: "several-payments")
    /// More than the amount is taken: a fee or a tip that the text adds.
    public static let amountAdded = Self(rawValue: "amount-added")
    /// Several accounts are offered; the one shown is the one that is used.
    public static let severalPayees = Self(rawValue: "several-payees")
    /// Parts of the text are not known; see ``PaymentInstruction/unread``.
    public static let unread = Self(rawValue: "unread")
    /// Parts of the text are not known and could change the payment; see ``PaymentInstruction/unclear``.
    public static let unclear = Self(rawValue: "unclear")
    /// The text does not say the unit of its amount, and makers of such texts mean different ones.
    public static let unitNotSure = Self(rawValue: "unit-not-sure")
    /// The amount has a comma that its standard ignores. A decimal point may be meant.
    public static let ignoredComma = Self(rawValue: "ignored-comma")
    /// An address in the text is not encrypted, and what is sent there could be changed.
    public static let unencryptedURL = Self(rawValue: "unencrypted-url")
    /// Part of the text is written in a way that the standard does not allow but that is common.
    public static let irregular = Self(rawValue: "irregular")
}

// MARK: - Reading

/// Reads links of payment standards that need no provider to be understood.
public protocol InstructionReader: Sendable {
    /// Identifies `link` by the standards that this reader knows. Pure: no I/O, the same answer every time.
    ///
    /// - Parameter link: any text that was scanned.
    /// - Returns: an instruction, a defect, or nothing if no standard knows it.
    func read(_ link: PaymentLink) -> InstructionReading
}

/// A reader's answer about one link.
@nonexhaustive
public enum InstructionReading: Sendable, Hashable {
    /// It is of no known standard.
    case none
    /// A sound instruction.
    indirect case instruction(PaymentInstruction)
    /// The text is clearly meant for the standard named `standard`, but is not sound.
    case defective(standard: String, StandardDefect)
    /// Sound by several standards, two or more, and nothing in the text says which is meant.
    case ambiguous([PaymentInstruction])
}

/// Why a text is not a sound instruction of its standard: the wrong part, its place, and the remedy.
///
/// Holds nothing of the text itself, so it can be shown and logged.
public struct StandardDefect: Error, Sendable, Hashable {
    /// Kinds of defects, for programs.
    @nonexhaustive
    public enum Kind: String, Sendable, Hashable {
        /// The text is of another standard, or of none. Nothing in it shows that it was meant to be of this one.
        case foreign
        /// A required part is missing.
        case missing
        /// A part is not written as the standard demands.
        case malformed
        /// A part is shorter or longer than allowed.
        case length
        /// A checksum is wrong: at least one character is.
        case checksum
        /// A signature is wrong.
        case signature
        /// A number or date is outside the possible values.
        case range
        /// A part that may stand only once stands twice.
        case duplicate
        /// Broken percent-encoding or text that is not UTF-8.
        case encoding
        /// Two parts contradict each other.
        case mismatch
        /// The text demands something unknown, and says that it must not be ignored.
        case unsupported
        /// The text holds a private key or a seed. It must not be shown, logged or sent anywhere.
        case secret
    }

    /// The kind of defect.
    public let kind: Kind
    /// The offending part, as the standard calls it: `amount`, `IBAN`, `line 7 (IBAN)`.
    public let part: String
    /// The start of the part, in UTF-8 bytes from the start of the link's text, or of the text as written if the
    /// standard allows no escapes. The text's length for a missing part.
    public package(set) var offset: Int
    /// The defect and the remedy, to follow the part's name: `has more than 8 digits behind the point; …`.
    public let advice: String
    /// True if the text must not be shown or logged anyway: it holds a key, or the rest of it is worth money.
    public var holdsSecret: Bool
    /// The kind of text that was intended, for people, if the reader knows it.
    public var intended: PaymentInstruction.Name?

    /// Creates a defect.
    public init(_ kind: Kind, _ part: String, at offset: Int, _ advice: String) {
        self.kind = kind
        self.part = part
        self.offset = offset
        self.advice = advice
        holdsSecret = kind == .secret
    }
}

extension StandardDefect: CustomStringConvertible {
    /// One sentence for people.
    public var description: String { "\(part) (byte \(offset)): \(advice)" }
}
