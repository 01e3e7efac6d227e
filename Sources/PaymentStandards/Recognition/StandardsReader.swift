public import PaymentCore

/// Recognises the payment standard of a text, and reads the text.
///
/// One look-up in a table finds the standards that a text may be of, mostly one; only those read it. A bare text (an
/// address, an account number) is claimed only where its checksum or an equally strong structure is valid.
public struct StandardsReader: InstructionReader {
    private let table: RecognitionTable
    private static let known = RecognitionTable(KnownStandards.all)

    /// Creates a reader of all standards.
    public init() { table = Self.known }

    /// Creates a reader of `standards`.
    public init(_ standards: [any PaymentStandard.Type]) { table = RecognitionTable(standards) }

    /// Returns the recognition of `link`. An Android intent is read as the link for the app that it names.
    ///
    /// - Parameter link: The scanned text.
    public func recognize(_ link: PaymentLink) -> Recognition {
        var hearing = Hearing(link)
        hear(link, &hearing)
        return hearing.recognition()
    }

    /// Returns the nearest standard of a text of no standard: the standard that was asked about it, with the defect. It
    /// finds a wrong character in a bare address.
    ///
    /// - Parameter link: The scanned text.
    /// - Returns: Nil where no standard was asked, or one knows the text.
    public func nearMiss(_ link: PaymentLink) -> (standard: String, StandardDefect)? {
        var hearing = Hearing(link)
        hear(link, &hearing)
        return hearing.isOver ? nil : hearing.nearMiss
    }

    /// Asks about `link`, and about what may be meant by it.
    private func hear(_ link: PaymentLink, _ hearing: inout Hearing) {
        hearAsWritten(link, &hearing)
        // Invisible signs are common in pasted texts; without their name, they would not be found.
        if !hearing.isOver, let missing = MissingScheme(in: link) {
            var address = Hearing(missing.address)
            hearAsWritten(missing.address, &address)
            hearing.nameMissingScheme(of: address)
            if hearing.isOver { return }
        }
        if !hearing.isSound, let hidden = InvisibleSign(in: link), let visible = hidden.link {
            var seen = Hearing(visible)
            hearAsWritten(visible, &seen)
            hearing.name(hidden, without: seen)
        }
    }

    private func hearAsWritten(_ link: PaymentLink, _ hearing: inout Hearing) {
        guard let intent = AndroidIntent(link) else {
            table.look(up: link, &hearing)
            return
        }
        hearing = Hearing(intent.link)
        table.look(up: intent.link, &hearing)
        hearing.place(in: intent)
    }

    /// Returns the common reading of `link`.
    ///
    /// - Parameter link: The scanned text.
    public func read(_ link: PaymentLink) -> InstructionReading {
        switch recognize(link) {
        case .none: return .none
        case .sound(let value):
            var instruction = value.instruction
            // The app that it names is not opened.
            if AndroidIntent.isOne(link) { instruction.warnings.append(.opensNothing) }
            instruction.checkNames()
            return .instruction(instruction)
        case .defective(let standard, var defect):
            defect.intended = KnownStandards.name(of: standard)
            return .defective(standard: standard, defect)
        case .ambiguous(let values): return .ambiguous(values.map(\.instruction))
        }
    }
}

/// The result of recognising a text.
@nonexhaustive
public enum Recognition: Sendable {
    /// Of no known standard.
    case none
    /// A sound text of one standard.
    case sound(Sound)
    /// Surely meant for the standard called `standard`, but not sound.
    case defective(standard: String, StandardDefect)
    /// Sound by several standards; the text does not decide between them.
    case ambiguous([Sound])

    /// The content of a text, with the parts that its standard does not know.
    public struct Sound: Sendable {
        /// The content.
        public let value: any PaymentStandard
        /// The parts of the text that nothing in ``value`` is made of.
        public let unread: [UnreadPart]

        init(_ value: any PaymentStandard, _ unread: [UnreadPart]) {
            self.value = value
            self.unread = unread
        }

        /// The short name of the standard.
        public var standard: String { value.standard }

        /// The content by the standard's own names, with the ``unread`` parts as the member `unread`.
        public var fields: InstructionFields { instruction.fields }

        /// The content in the reading common to all standards.
        public var instruction: PaymentInstruction { value.instruction.leaving(unread) }
    }
}
