import PaymentCore
import PaymentStandards
import TestSupport
import Testing

@Suite("Texts as people paste them, read")
struct PastedReadingTests {
    private static let epc = "BCD\n002\n1\nSCT\n\nWikimedia\nDE33100205000001194700\nEUR10.00\n\n\ntext"

    @Test(
        "White space around any payment text changes nothing",
        arguments: [
            epc, "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", "upi://pay?pa=shop@okbank&am=5.00",
            "bitcoin:bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4?amount=0.001", "DE33 1002 0500 0001 1947 00",
            "payto://iban/DE33100205000001194700?amount=EUR:10.50", "user@host.example",
            "algorand://TMTAD6N22HCS2LKH7677L2KFLT3PAQWY6M4JFQFXQS32ECBFC23F57RYX4",
            "rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY:12", "SPD*1.0*ACC:CZ5855000000001265098001",
        ])
    func around(text: String) throws {
        let plain = try #require(ReadText(text).instruction)
        for (before, after) in [(" ", ""), ("\n", "\n"), ("\t", " \t"), ("\r\n", "\r\n"), ("\u{A0}", "\u{A0}")] {
            if after == "\u{A0}" && text == Self.epc { continue }
            #expect(ReadText(before + text + after).instruction == plain, "\((before + text + after).debugDescription)")
        }
    }

    @Test(
        "White space behind the last line of a code is no part of its last field",
        arguments: [" ", " \n", " \r\n\r\n"])
    func behind(space: String) throws {
        var standards: Set<String> = []
        for text in try Vectors.texts().flatMap(\.valid) where text.contains("\n") {
            let text = String(text.reversed().drop(while: \.isWhitespace).reversed()) + space
            guard let link = try? PaymentLink(text), case .sound(let sound) = StandardsReader().recognize(link),
                let writable = sound.value as? any WritablePaymentStandard
            else { continue }
            #expect(ReadText(writable.text).instruction?.fields == sound.fields, "\(text.debugDescription)")
            standards.insert(sound.standard)
        }
        #expect(standards.contains("swiss-qr-bill"), "\(standards)")
    }

    @Test("No-break spaces in an account number are spaces")
    func accountNumbers() {
        let number = "DE33100205000001194700"
        for text in [
            "DE33\u{A0}1002\u{A0}0500\u{A0}0001\u{A0}1947\u{A0}00", "DE33\u{202F}1002\u{2009}0500 0001 1947 00",
            "IBAN: DE33 1002 0500 0001 1947 00", "IBAN DE33100205000001194700", "iban:DE33\u{A0}1002 0500 0001 1947 00",
        ] { #expect(ReadText(text).account == number && ReadText(text).standard == "iban", "\(text)") }
        let code = Self.epc.replacing("DE331002", with: "DE33\u{A0}1002\u{202F}")
        #expect(ReadText(code).account == number)
    }

    @Test(
        "An invisible character is named by its code point",
        arguments: [
            "\u{FEFF}", "\u{200B}", "\u{200C}", "\u{200D}", "\u{2060}", "\u{200E}", "\u{200F}", "\u{202A}", "\u{202E}",
            "\u{2066}",
            "\u{2069}", "\u{61C}", "\u{AD}",
        ])
    func invisible(character: String) throws {
        let scalar = try #require(character.unicodeScalars.first)
        let hex = String(scalar.value, radix: 16, uppercase: true)
        let point = "U+" + String(repeating: "0", count: 4 - min(4, hex.count)) + hex
        let address = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"
        for (text, offset) in [
            (character + Self.epc, 0), (address + character, 42), (character + address, 0),
            ("bc1qw5" + character + address.dropFirst(6), 6), (character + "DE33 1002 0500 0001 1947 00", 0),
            ("DE33" + character + "100205000001194700", 4),
            (Self.epc.replacing("\nDE33", with: "\n\(character)DE33"), 25),
            (character + "https://paypal.me/alice", 0), ("user@host.example" + character, 17),
            (character + "upi://pay?pa=shop@okbank&am=5.00", 0), (character + "bitcoin:\(address)?amount=1", 0),
        ] {
            let defect = ReadText(text).defect
            #expect(defect?.advice.contains(point) == true && defect?.offset == offset, "\(text.debugDescription)")
        }
        let error = #expect(throws: LinkDefect.self) { try PaymentLink("bitcoin:\(address)\(character)") }
        #expect(error?.description.contains(point) == true)
    }

    @Test("A token with an invisible character is not shown")
    func secrets() throws {
        let row = "cashuBo2FteBtodHRwczovL25vZmVlcy50ZXN0bnV0LmNhc2h1LnNwYWNl\u{200B}"
        #expect(ReadText(row).defect?.holdsSecret == true)
    }

    @Test("Joiners inside words of other scripts are part of them")
    func joiners() {
        let name = "\u{646}\u{645}\u{6CC}\u{200C}\u{62E}\u{648}\u{627}\u{647}\u{645}"
        #expect(ReadText(Self.epc.replacing("Wikimedia", with: name)).instruction?.payee?.name == name)
    }

    @Test(
        "A name with invisible signs gets a note",
        arguments: [
            ("Wiki\u{200B}media", true), ("Wiki\u{202E}aidem", true), ("\u{5D0}\u{2067}Wiki", true),
            ("Wiki\u{A0}media", false),
            ("\u{646}\u{6CC}\u{200C}\u{62E}", false), ("Caf\u{E9} \u{2764}\u{FE0F}", false),
        ])
    func hiddenSigns(name: String, isOdd: Bool) {
        let read = ReadText(Self.epc.replacing("Wikimedia", with: name))
        #expect(read.instruction?.payee?.name == name && read.warnings.contains(.homographName) == isOdd)
    }

    @Test("Lines at the end of a transfer code are not data")
    func lines() {
        for count in 0...6 {
            #expect(ReadText(Self.epc + String(repeating: "\n", count: count)).money == "10.00 EUR")
        }
        #expect(ReadText(Self.epc + "\n\n\n\nx").defect?.part == "line 13")
    }
}
