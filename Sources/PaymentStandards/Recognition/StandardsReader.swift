public import PaymentCore

/// Says of which payment standard a text is, and reads it.
///
/// One look-up in a table finds the standards that a text may be of, mostly one; only those read it. A text that stands
/// alone (an address, an account number) is claimed only where its checksum or an equally strong structure holds.
public struct StandardsReader: InstructionReader {
    private let table: RecognitionTable

    /// Creates a reader of `standards`.
    public init(_ standards: [any PaymentStandard.Type] = KnownStandards.all) {
        table = RecognitionTable(standards)
    }

    /// Returns what `link` is.
    ///
    /// - Parameter link: the scanned text.
    public func recognize(_ link: PaymentLink) -> Recognition {
        var result = Recognition.none
        table.look(up: link) { standards in
            result = Self.ask(standards, link)
            if case .none = result { return false }
            return true
        }
        return result
    }

    /// Returns what `link` is, in the common reading.
    ///
    /// - Parameter link: the scanned text.
    public func read(_ link: PaymentLink) -> InstructionReading {
        switch recognize(link) {
        case .none: .none
        case .sound(let value): .instruction(value.instruction)
        case .defective(let standard, let defect): .defective(standard: standard, defect)
        case .ambiguous(let values): .ambiguous(values.map(\.instruction))
        }
    }

    private static func ask(_ standards: [any PaymentStandard.Type], _ link: PaymentLink) -> Recognition {
        var sound: [any PaymentStandard] = []
        var defect: (standard: String, StandardDefect)?
        for (index, standard) in standards.enumerated() {
            // Several patterns of one standard may match.
            if standards[..<index].contains(where: { $0 == standard }) { continue }
            do throws(StandardDefect) {
                sound.append(try standard.init(link))
            } catch {
                if error.kind == .secret { return .defective(standard: standard.id, error) }
                if error.kind != .foreign, defect == nil { defect = (standard.id, error) }
            }
        }
        if let first = sound.first { return sound.count == 1 ? .sound(first) : .ambiguous(sound) }
        return defect.map { .defective(standard: $0.standard, $0.1) } ?? .none
    }
}

/// What a text is.
@nonexhaustive
public enum Recognition: Sendable {
    /// Of no known standard.
    case none
    /// A sound text of one standard.
    case sound(any PaymentStandard)
    /// Surely meant for the standard called `standard`, but not sound.
    case defective(standard: String, StandardDefect)
    /// Sound by several standards; the text does not tell which is meant.
    case ambiguous([any PaymentStandard])
}
