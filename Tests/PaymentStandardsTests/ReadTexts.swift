import PaymentCore
import PaymentStandards
import Testing

/// The result of reading a text, as a person and a program see it.
struct ReadText {
    let reading: InstructionReading?

    init(_ text: String) {
        reading = (try? PaymentLink(text)).map { StandardsReader().read($0) }
    }

    var instruction: PaymentInstruction? {
        if case .instruction(let instruction)? = reading { instruction } else { nil }
    }

    var defect: StandardDefect? {
        if case .defective(_, let defect)? = reading { defect } else { nil }
    }

    var standard: String? { instruction?.standard }
    var account: String? { instruction?.payee?.account }
    var money: String? { instruction?.amount.money.map { $0.description } }
    var warnings: [InstructionWarning] { instruction?.warnings ?? [] }

    func field(_ name: String) -> String? { instruction?.fields[name]?.string }
}

extension Recognition {
    /// The content of a sound text; nil otherwise.
    var content: Sound? { if case .sound(let content) = self { content } else { nil } }

    /// True if the text is of no known standard.
    var isNone: Bool { if case .none = self { true } else { false } }

    /// The defect of a text, if it is meant for a standard.
    var defect: StandardDefect? { if case .defective(_, let defect) = self { defect } else { nil } }

    /// The defect of a text, if it is meant for this standard.
    func defect(of standard: String) -> StandardDefect? {
        if case .defective(standard, let defect) = self { defect } else { nil }
    }
}
