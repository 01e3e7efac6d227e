import Foundation
import FuzzModel
import PaymentCore
import PaymentStandards
import TestSupport

/// The payment standards: texts of all of them, mixed, read as applications read them.
struct StandardsTarget: FuzzTarget {
    static let name = "payment standards"
    static let share = 6

    let corpus: Corpus
    private(set) var counts: [String: Int] = [:]
    private let reader = StandardsReader()

    init() throws {
        let rows = try Vectors.texts()
        corpus = Corpus(rows.flatMap { $0.valid + $0.invalid }, pieces: StandardCorpus.pieces)
    }

    mutating func violation(_ input: [UInt8]) -> String? {
        guard let link = try? PaymentLink(String(decoding: input, as: UTF8.self)) else { return nil }
        switch reader.recognize(link) {
        case .none: counts["of no standard", default: 0] += 1
        case .sound(let value):
            counts["sound", default: 0] += 1
            return StandardChecks.fault(of: value, link)
        case .defective(_, let defect):
            counts["defective", default: 0] += 1
            return StandardChecks.fault(of: defect, link)
        case .ambiguous(let values):
            counts["sound by several", default: 0] += 1
            if Set(values.map(\.standard)).count < 2 { return "one standard is said to be several" }
            return values.lazy.compactMap { StandardChecks.fault(of: $0, link) }.first
        }
        return nil
    }
}

/// The invariants of every value that a standard reads.
enum StandardChecks {
    static func fault(of sound: Recognition.Sound, _ link: PaymentLink) -> String? {
        let value = sound.value
        let kind = type(of: value)
        guard kind.ids.contains(value.standard) else { return "\(value.standard) is none of \(kind.id)'s names" }
        let (fields, instruction) = (value.fields, value.instruction)
        if instruction.standard != value.standard { return "\(value.standard): read as \(instruction.standard)" }
        if Set(fields.map(\.name)).count != fields.count { return "\(value.standard): a field stands twice" }
        if (try? JSONValue(parsing: fields.object.text)) != fields.object {
            return "\(value.standard): fields are no JSON"
        }
        guard let writable = value as? any WritablePaymentStandard else { return nil }
        return printing(writable)
    }

    static func fault(of defect: StandardDefect, _ link: PaymentLink) -> String? {
        guard (0...max(link.text.utf8.count, link.asWritten.text.utf8.count)).contains(defect.offset) else {
            return "a defect is outside of the text: \(defect)"
        }
        return defect.description.isEmpty ? "a defect without words" : nil
    }

    /// Checks that reading the printed text gives the same value, and printing that value the same text.
    private static func printing<Standard: WritablePaymentStandard>(_ value: Standard) -> String? {
        let text = value.text
        guard text.utf8.count <= PaymentLink.maximumLength else { return nil }
        do {
            let reading: Recognition.Sound
            switch StandardsReader([Standard.self]).recognize(try PaymentLink(text)) {
            case .sound(let sound): reading = sound
            // Escapes that were not needed where it was read can make it longer than its standard allows.
            case .defective(_, let defect) where defect.kind == .length && text.utf8.count >= 2048: return nil
            default: return "\(value.standard): its own text \(text.debugDescription) is refused"
            }
            guard let again = reading.value as? Standard, again == value else {
                return "\(value.standard): \(text.debugDescription) is read as another value"
            }
            return again.text == text ? nil : "\(value.standard): \(text.debugDescription) is printed otherwise"
        } catch {
            return "\(value.standard): its own text \(text.debugDescription) is refused: \(error)"
        }
    }
}

/// The texts of the vectors.
enum StandardCorpus {
    /// The parts of texts of one standard.
    static func corpus(of standard: any PaymentStandard.Type) throws -> Corpus {
        let files = try Vectors.texts().map { rows in
            (
                rows,
                rows.valid.filter { text in
                    guard let link = try? PaymentLink(text) else { return false }
                    return (try? standard.init(link)) != nil
                }
            )
        }
        let own = files.filter { !$0.1.isEmpty }
        let wholes = own.flatMap { $0.1 + $0.0.invalid }
        let words = own.flatMap(\.1).flatMap { $0.split { "?&=:/;*|\n".contains($0) } }.map(String.init)
        return Corpus(wholes, pieces: pieces + Set(words.filter { $0.utf8.count < 80 }).sorted().prefix(300))
    }

    static let pieces = [
        ":", "//", "/", "?", "&", "=", "#", "%", "%20", "%C3%A9", "%FF", "%00", "+", ".", ",", ";", "@", "*", "|", "-",
        "_", "~", "(", ")", "\n", "\r\n", "\t", " ", "0", "00", "1", "9", "-1", "+1", "0.1", "1e-8", "00.10", "1,5",
        ".",
        "1.", ".5", "99999999999999999999999999999999999999999", "18446744073709551616", "٣", "１", "é", "\u{0}",
        "\u{7F}",
        "\u{202E}", "\u{1F4B3}", "A", "Z", "a", "q", "p", "l", "1q", "amount=", "req-x=1", "xn--", "EUR", "XXX",
        "63046304",
        "00", "26", "0000", "9999", "lightning=", "bc1", "0x", "lnbc1", "lno1", "LNURL1", "cashuA", "IBAN", "CH", "DE",
    ]
}

/// Every standard separately, on texts made of its vectors.
enum EachStandard {
    /// Runs `count` inputs on each standard.
    ///
    /// - Returns: the violation, with the arguments that repeat it; nil if there is none.
    static func run(_ count: UInt64, seed: UInt64, only: String?, first: UInt64) throws -> String? {
        for standard in KnownStandards.all where only == nil || only == standard.id {
            let corpus = try StandardCorpus.corpus(of: standard)
            guard !corpus.wholes.isEmpty else { return "no vectors of \(standard.id)" }
            let reader = StandardsReader([standard])
            var (sound, defective) = (0, 0)
            let start = ContinuousClock.now
            for index in first..<first + count {
                var generator = Generator(corpus, seed: seed, index: index)
                let input = String(decoding: generator.input(), as: UTF8.self)
                guard let link = try? PaymentLink(input) else { continue }
                // A caller may have any text.
                _ = try? standard.init(link)
                var fault: String?
                switch reader.recognize(link) {
                case .none: continue
                case .sound(let value):
                    sound += 1
                    fault = StandardChecks.fault(of: value, link)
                case .defective(_, let defect):
                    defective += 1
                    fault = StandardChecks.fault(of: defect, link)
                case .ambiguous: fault = "one standard is said to be several"
                }
                if let fault {
                    return
                        "\(fault)\ninput: \(input.debugDescription)\nrepeat: Fuzz standards 1 \(seed) \(index) \(standard.id)"
                }
            }
            let seconds = Double((ContinuousClock.now - start) / .seconds(1))
            print(
                "  \(standard.id): \(count) inputs, \(sound) sound, \(defective) defective, \(Int(seconds.rounded())) s"
            )
        }
        return nil
    }
}
