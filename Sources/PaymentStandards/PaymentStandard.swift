public import PaymentCore

/// A way to write a payment as a text: a URI, a QR code's content, an address, a hosted link.
///
/// A conforming type is a value that holds the content of one such text. Its doc comment names the specification and
/// the sections it follows. A new standard takes a type under `Standards/` and a line in ``KnownStandards/all``.
public protocol PaymentStandard: Sendable, Hashable {
    /// The standard's short name, such as `epc-qr`. For a family of standards that one type reads, the family's.
    static var id: String { get }

    /// All short names that ``standard`` can have. The default is ``id`` alone.
    static var ids: [String] { get }

    /// The specification, for people: `EPC069-12 v2.1`.
    static var specification: String { get }

    /// True if its texts are worth money to everyone who sees them. Not even broken ones are shown. The default is
    /// false. A standard with only some such texts sets ``PaymentInstruction/holdsSecret``.
    static var isSecret: Bool { get }

    /// The patterns of this standard's texts in the recognition table. The standard never reads a text without one of
    /// them.
    static var patterns: [StandardPattern] { get }

    /// True if the specification says that readers ignore parts that they do not know. A text with a part that could
    /// change the payment is otherwise defective. The default is false.
    static var ignoresUnknownParts: Bool { get }

    /// Creates a value by reading `text`, which matched one of the patterns.
    ///
    /// - Parameter text: The scanned text. Each part that is not taken becomes
    ///   ``PaymentCore/PaymentInstruction/unread``.
    /// - Throws: ``StandardDefect``, of kind `foreign` if the text was not meant to be of this standard.
    init(_ text: inout PaymentText) throws(StandardDefect)

    /// The short name of the standard this text is of: one of ``ids``. The default is ``id``.
    var standard: String { get }

    /// The content of the text, by the standard's own names.
    var fields: InstructionFields { get }

    /// The content of the text, in the reading common to all standards.
    var instruction: PaymentInstruction { get }
}

extension PaymentStandard {
    /// ``id`` alone.
    public static var ids: [String] { [id] }

    /// False.
    public static var isSecret: Bool { false }

    /// False.
    public static var ignoresUnknownParts: Bool { false }

    /// ``id``.
    public var standard: String { Self.id }

    /// Creates a value by reading `link`. Unknown parts are dropped unless they could change the payment.
    /// ``StandardsReader`` returns them.
    ///
    /// - Throws: ``StandardDefect``, also for an unknown part that could change the payment.
    public init(_ link: PaymentLink) throws(StandardDefect) {
        var text = PaymentText(link)
        try self.init(&text)
        if let part = try text.rest().first(where: \.couldChangePayment) { throw part.defect(in: link) }
    }

    /// Creates a value by reading `text`. Unknown parts are dropped unless they could change the payment.
    ///
    /// - Throws: ``StandardDefect``, also of kind `foreign` if `text` is not acceptable as a link.
    public init(text: String) throws(StandardDefect) {
        let link: PaymentLink
        do { link = try PaymentLink(text) } catch { throw StandardDefect(.foreign, "link", at: 0, error.description) }
        try self.init(link)
    }

    /// Returns the common reading of `link` by this standard.
    static func reading(of link: PaymentLink) throws(StandardDefect) -> PaymentInstruction {
        try PaymentText(link).read(by: Self.self).instruction
    }

    /// Returns the instruction of this standard with ``fields``, filled in by `fill`.
    @inline(__always)
    func makeInstruction(_ fill: (inout PaymentInstruction) -> Void) -> PaymentInstruction {
        PaymentInstruction(standard: standard, fields: fields, name: KnownStandards.name(of: standard), fill)
    }
}

extension PaymentInstruction {
    /// Creates an instruction and fills it in where it stays. To return a variable, the optimizer copies all of it.
    @inline(__always)
    fileprivate init(
        standard: String, fields: InstructionFields, name: Name?, _ fill: (inout PaymentInstruction) -> Void
    ) {
        self.init(standard: standard, fields: fields, name: name)
        fill(&self)
    }
}

/// A standard whose texts people also make, not only read.
///
/// Reading the printed ``text`` returns an equal value. Printing is canonical: equal values print equal texts.
public protocol WritablePaymentStandard: PaymentStandard {
    /// The canonical text.
    var text: String { get }
}
