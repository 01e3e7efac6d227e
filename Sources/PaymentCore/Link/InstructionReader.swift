/// Reads links of payment standards that need no provider to be understood.
public protocol InstructionReader: Sendable {
    /// Identifies `link` by the standards that this reader knows. Pure: no I/O, the same answer every time.
    ///
    /// - Parameter link: any text that was scanned.
    /// - Returns: an instruction, a defect, or nothing where no standard knows it.
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
