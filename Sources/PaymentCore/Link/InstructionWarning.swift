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
    /// The amount has a comma that its standard ignores, where a decimal point may be meant.
    public static let ignoredComma = Self(rawValue: "ignored-comma")
    /// An address in the text is not encrypted, and what is sent there could be changed.
    public static let unencryptedURL = Self(rawValue: "unencrypted-url")
    /// Part of the text is written in a way that the standard does not allow but that is common.
    public static let irregular = Self(rawValue: "irregular")
}
