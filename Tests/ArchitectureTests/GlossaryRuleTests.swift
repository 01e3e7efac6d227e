import Testing

@Suite("This package's names")
struct GlossaryRuleTests {
    private static func package(_ text: String, at path: String = "Sources/A/A.swift") -> TextRules.Package {
        TextRules.Package(files: [path: text], protocols: [:])
    }

    @Test("Keeps the rule", arguments: GlossaryRules.all.map(\.name))
    func keepsTheRule(name: String) throws {
        let rule = try #require(GlossaryRules.all.first { $0.name == name })
        let violations = rule.check(try TextRules.Package.onDisk())
        #expect(violations.isEmpty, "\(violations.map(\.description).joined(separator: "\n"))")
    }

    @Test(
        "Names with a word that the glossary replaces",
        arguments: [
            "public struct PayerDesk {}", "public func goOn(_ x: Int) {}", "    package let isUnderWay = true",
            "    public static func callOff() {}", "    case givenUp", "    case gaveUp(String), other",
            "@MainActor public final class Setback {}", "    public var problems: [Int] { [] }",
        ])
    func badNames(text: String) {
        #expect(GlossaryRules.names(Self.package(text)).map(\.place) == ["Sources/A/A.swift"])
        #expect(GlossaryRules.names(Self.package(text, at: "Tests/ATests/A.swift")).isEmpty)
    }

    @Test(
        "Names without one, and what is no public name",
        arguments: [
            "public struct PayerHandOff {}", "func goOn() {}", "    private let told = 1", "// public struct Desk {}",
            "    case .givenUp: return", "    case given(up: Int)", "public func handleScene() {}",
            "public let bookings = 1",
            "    public var isBelieved = true", "public struct Client {}",
        ])
    func goodNames(text: String) {
        #expect(GlossaryRules.names(Self.package(text)).isEmpty)
    }

    @Test(
        "Errors under another name",
        arguments: [
            "struct Failure: Error {}", "public enum Refusal: String, Error {}", "enum Broken<A>: Error {}",
            "struct Trouble:\n    Sendable, LocalizedError\n{\n}",
        ])
    func badErrors(text: String) {
        #expect(GlossaryRules.errors(Self.package(text)).count == 1)
        #expect(GlossaryRules.errors(Self.package(text, at: "Tests/ATests/A.swift")).isEmpty)
    }

    @Test(
        "Errors under theirs, and what is no error",
        arguments: [
            "struct PaymentError: Error {}", "enum LinkDefect: Error {}", "struct Refusal: Sendable {}",
            "struct Box<Error> {}", "enum A { case error(any Error) }", "// struct Failure: Error {}",
        ])
    func goodErrors(text: String) {
        #expect(GlossaryRules.errors(Self.package(text)).isEmpty)
    }

    @Test("Lines that are too long")
    func longLines() {
        let words = String(repeating: "word ", count: 25)
        for text in ["/// \(words)", "    // \(words)", "let a = \(words)"] {
            #expect(GlossaryRules.lengths(Self.package(text)).map(\.place) == ["Sources/A/A.swift:1"])
            #expect(
                GlossaryRules.lengths(Self.package("\n\(text)", at: "Tests/B.swift")).map(\.place) == [
                    "Tests/B.swift:2"
                ])
        }
    }

    @Test("Long lines that cannot be broken, and short ones")
    func goodLines() {
        let words = String(repeating: "word ", count: 25)
        let quoted = "let a = \"\(words)\""
        let long = "let a = \"\"\"\n    \(words)\n    \"\"\""
        let address = "// https://\(String(repeating: "a", count: 130))"
        for text in [quoted, long, address, "/// Short."] {
            #expect(GlossaryRules.lengths(Self.package(text)).isEmpty)
        }
    }

    @Test(
        "Too many parameters without a label",
        arguments: [
            "func hurl(_ a: Int, _ b: Int, _ c: Int, _ d: Int) {}",
            "func hurl<A>(\n    _ a: A, _ b: (Int, Int) -> Int, c: Int, _ d: [Int: Int], _ e: Int = f(1, _)\n) {}",
        ])
    func unlabelled(text: String) {
        #expect(GlossaryRules.unlabelled(Self.package(text)).count == 1)
    }

    @Test(
        "Few enough",
        arguments: [
            "func hurl(_ a: Int, _ b: Int, _ c: Int, d: Int) {}",
            "func hurl(_ a: (_ b: Int, _ c: Int, _ d: Int, _ e: Int) -> Int) {}",
            "let (_, _, _, _) = quadruple()",
        ])
    func labelled(text: String) {
        #expect(GlossaryRules.unlabelled(Self.package(text)).isEmpty)
    }

    @Test(
        "Messages with replaced words",
        arguments: [
            "let a = \"the payment was called off\"", "let a = \"it is under way\"", "f(\"nobody chose\", 1)",
            "let a = \"\"\"\n    It was given up.\n    \"\"\"", "let a = \"\\(b) calls the payment off\"",
            "let a = \"only captures can be given back\"", "let a = \"publish it in today's form\"",
        ])
    func badMessages(text: String) {
        #expect(GlossaryRules.messages(Self.package(text)).count == 1)
        #expect(GlossaryRules.messages(Self.package(text, at: "Tests/ATests/A.swift")).isEmpty)
    }

    @Test(
        "Messages in the glossary's, and what is none",
        arguments: [
            "let a = \"the payment was cancelled\"", "// it was called off", "let a = \"coins-to-nobody\"",
            "let isUnderWay = \"\"", "let a = \"underway\"",
        ])
    func goodMessages(text: String) {
        #expect(GlossaryRules.messages(Self.package(text)).isEmpty)
    }

    @Test(
        "Comments in the words that the glossary replaces",
        arguments: [
            "// Nobody asks.", "    /// The payer has given up.", "// The listener is told of it.",
            "/// A device with a key of its own.",
        ])
    func badComments(text: String) {
        #expect(GlossaryComments.words(Self.package(text)).map(\.place) == ["Sources/A/A.swift:1"])
    }

    @Test(
        "Titles of tests in such words, and in others",
        arguments: [
            ("@Test(\"It is told\")", 1), ("    @Test(\n        \"Nobody pays\",\n", 1),
            ("@Suite(\"Payers give up\")", 1), ("@Suite(\"Peers of today\")", 1), ("@Test(\"It is paid today\")", 0),
            ("@Test(\"It is reported\") // told", 0), ("f(\"nobody\")", 0), ("@Test(arguments: [])\nf(\"nobody\")", 0),
        ])
    func titles(text: String, count: Int) {
        #expect(GlossaryComments.titles(Self.package(text, at: "Tests/A.swift")).count == count)
    }

    @Test(
        "Comments in others, code in them, and what is no comment",
        arguments: [
            "/// The payer abandons it.", "// `else nobody`", "let text = \"// nobody\"", "// say \"nobody\"",
            "/// The money of `payment`: its own.",
        ])
    func goodComments(text: String) {
        #expect(GlossaryComments.words(Self.package(text)).isEmpty)
    }

    @Test("Documentation that begins with a question's word, and sentences that do not end")
    func beginnings() {
        let bad = Self.package("/// Whether it is paid.\nlet a = 1\n    /// What is paid.\n    /// Who pays.")
        #expect(GlossaryComments.beginnings(bad).map(\.place) == ["Sources/A/A.swift:1", "Sources/A/A.swift:3"])
        let good = Self.package("/// True if it is paid by\n/// What it is.\n// What is paid\n/// Whatever it is.")
        #expect(GlossaryComments.beginnings(good).isEmpty)
    }
}
