import Foundation
import PaymentCore
import PaymentStandards
import TestSupport
import Testing

/// A reading accounts for the whole text: what a standard does not know is shown, or makes the text defective.
@Suite("Every part of a payment text counts")
struct WholeTextTests {
    private static let reader = StandardsReader()

    /// The ways to write a part of no standard into a text, and the name of each.
    private static let spellings: [(name: String, write: @Sendable (String) -> String)] = [
        ("before", { text in before(text, "token=X1") }),
        ("behind", { text in behind(text, "token=X1") }),
        ("encoded", { text in behind(text, "t%6Fken=X1") }),
        ("in capitals", { text in behind(text, "TOKEN=X1") }),
        ("with an underscore", { text in behind(text, "token_address=X1") }),
        ("with a dash", { text in behind(text, "token-address=X1") }),
        ("in camel case", { text in behind(text, "tokenAddress=X1") }),
        ("an entity", { text in behind(text, "label=a") + "&amp;token=X1" }),
        ("a numbered entity", { text in behind(text, "label=a") + "&#038;token=X1" }),
        ("a fragment", { text in text + (text.contains("#") ? "&token=X1" : "#token=X1") }),
        ("twice", { text in behind(behind(text, "token=X1"), "token=X1") }),
        ("without a value", { text in behind(text, "token") }),
    ]

    private static func before(_ text: String, _ part: String) -> String {
        guard let mark = text.firstIndex(of: "?") else { return behind(text, part) }
        return text[...mark] + part + "&" + text[text.index(after: mark)...]
    }

    private static func behind(_ text: String, _ part: String) -> String {
        let parts = text.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let mark = parts[0].contains("?") ? "&" : "?"
        return parts[0] + mark + part + (parts.count > 1 ? "#\(parts[1])" : "")
    }

    /// Returns the reading of `text` without the fields that only list what was not understood.
    private static func shown(_ text: String) -> PaymentInstruction? {
        guard let link = try? PaymentLink(text), case .instruction(var reading) = reader.read(link) else { return nil }
        for name in ["unread", "unknown"] { reading.fields[name] = nil }
        return reading
    }

    @Test("A foreign part in any spelling never leaves the reading as it was", arguments: vectorFiles)
    func foreignParts(_ file: VectorFile) throws {
        for row in try file.rows("valid") {
            guard let plain = Self.shown(row.input) else { continue }
            for spelling in Self.spellings {
                let text = spelling.write(row.input)
                #expect(Self.shown(text) != plain, "\(spelling.name): \(text)")
            }
        }
    }

    @Test("A text that is printed keeps a name that needs escapes as it is", arguments: vectorFiles)
    func escapedNames(_ file: VectorFile) throws {
        for row in try file.rows("valid") {
            for part in ["a%3Db%26c%20d%2Fe=X1", "%C3%A9%25"] {
                let link = try? PaymentLink(Self.behind(row.input, part))
                guard let link, case .sound(let reading) = Self.reader.recognize(link),
                    let value = reading.value as? any WritablePaymentStandard
                else { continue }
                let isSame = Self.isReadBack(value)
                #expect(isSame, "\(row.input): \(value.text)")
            }
        }
    }

    /// Returns true if the printed text is read as the same value.
    private static func isReadBack<Value: WritablePaymentStandard>(_ value: Value) -> Bool {
        (try? Value(text: value.text)) == value
    }

    @Test("An empty line or field that is filled never leaves the reading as it was", arguments: vectorFiles)
    func filledFields(_ file: VectorFile) throws {
        for row in try file.rows("valid") {
            guard let plain = Self.shown(row.input) else { continue }
            for mark in ["\n", "|", "*", "\t", ";"] {
                let fields = row.input.components(separatedBy: mark)
                for index in fields.indices where fields.count > 3 && fields[index].isEmpty {
                    var filled = fields
                    filled[index] = "ABCD"
                    let text = filled.joined(separator: mark)
                    #expect(Self.shown(text) != plain, "field \(index + 1): \(text)")
                }
            }
        }
    }
}
