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
    public func recognize(_ link: PaymentLink) -> Recognition { hearing(of: link).recognition }

    /// Returns the nearest standard of a text of no standard: the standard that was asked about it, with the defect. It
    /// finds a wrong character in a bare address.
    ///
    /// - Parameter link: The scanned text.
    /// - Returns: Nil where no standard was asked, or one knows the text.
    public func nearMiss(_ link: PaymentLink) -> (standard: String, StandardDefect)? {
        let hearing = hearing(of: link)
        return hearing.isOver ? nil : hearing.nearMiss
    }

    private func hearing(of link: PaymentLink) -> Hearing {
        let hearing = plainHearing(of: link)
        // Invisible signs are common in pasted texts; without their name, they would not be found.
        if !hearing.isOver, let missing = MissingScheme(in: link) {
            let named = hearing.missingScheme(of: plainHearing(of: missing.address))
            if named.isOver { return named }
        }
        guard !hearing.isSound, let hidden = InvisibleSign(in: link), let seen = hidden.link else { return hearing }
        return hearing.naming(hidden, without: plainHearing(of: seen))
    }

    private func plainHearing(of link: PaymentLink) -> Hearing {
        guard let intent = AndroidIntent(link) else {
            var hearing = Hearing(link)
            table.look(up: link, &hearing)
            return hearing
        }
        var hearing = Hearing(intent.link, within: intent)
        table.look(up: intent.link, &hearing)
        return hearing
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
