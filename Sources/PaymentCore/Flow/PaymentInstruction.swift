/// What a payment standard says, for a link that no registered provider claims.
public struct PaymentInstruction: Sendable, Hashable {
    /// The standard's short name.
    public let standard: String
    /// What the text says, by the standard's own field names.
    public let fields: [String: String]

    /// Makes an instruction.
    public init(standard: String, fields: [String: String]) {
        self.standard = standard
        self.fields = fields
    }
}

/// Reads links of payment standards that need no provider to be understood.
public protocol InstructionReader: Sendable {
    /// The instruction in `link`, or nil when it is of no standard that this reader knows.
    func instruction(in link: PaymentLink) -> PaymentInstruction?
}
