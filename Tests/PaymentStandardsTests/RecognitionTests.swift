import PaymentCore
import PaymentStandards
import Testing

/// A made-up standard that accepts every text, except `foreign` and `broken`.
private protocol Sample: PaymentStandard { init(link: PaymentLink) }

extension Sample {
    static var specification: String { "sample" }
    var fields: InstructionFields { [:] }
    var instruction: PaymentInstruction { PaymentInstruction(standard: standard, fields: fields) }

    init(_ text: inout PaymentText) throws(StandardDefect) {
        let link = text.link
        text.takeAll()
        if link.text.contains("foreign") { throw StandardDefect(.foreign, "text", at: 0, "is of another standard") }
        if link.text.contains("broken") { throw StandardDefect(.malformed, "text", at: 2, "is broken") }
        self.init(link: link)
    }
}

private struct One: Sample {
    static let id = "one"
    static let patterns: [StandardPattern] = [
        .scheme("coin"), .scheme("many", payloads: ["aa"]), .host("pay.example"), .hostSuffix("sub.example"),
        .prefix("ONE"), .firstLine("TOP"), .bare(BareShape("x", lengths: 4...12, .alphanumeric)),
    ]
    init(link: PaymentLink) {}
}

private struct Two: Sample {
    static let id = "two"
    static let patterns: [StandardPattern] = [
        .scheme("many", payloads: ["aabb", ""]), .otherScheme, .webParameter("lightning"), .webPathSuffix(".pass"),
        .prefix("ONEMORE"), .bare(BareShape("x", lengths: 8...12, .alphanumeric)), .mailbox,
    ]
    init(link: PaymentLink) {}
}

@Suite("Recognition")
struct RecognitionTests {
    private static let reader = StandardsReader([One.self, Two.self])

    private func answer(_ text: String, _ reader: StandardsReader = reader) throws -> String {
        switch reader.recognize(try PaymentLink(text)) {
        case .none: "none"
        case .sound(let value): value.standard
        case .defective(let standard, let defect): "\(standard) \(defect.kind)"
        case .ambiguous(let values): values.map(\.standard).joined(separator: "+")
        }
    }

    @Test(
        "The table decides who reads a text",
        arguments: [
            // Schemes, in any case; the longest payload; a reader that sees another standard's text passes it on.
            ("COIN:x", "one"), ("coin://x", "one"), ("many:aax", "one"), ("many:AABB", "two"), ("many://aabbx", "two"),
            ("many:cc", "two"), ("many:aaforeign", "none"), ("coin:foreign", "none"), ("coin:broken", "one malformed"),
            ("strange:x", "two"),
            // Web links: exact hosts, suffixes on a label boundary, and only elsewhere the query and the path's end.
            ("https://pay.example/x", "one"), ("https://x.pay.example/", "none"), ("https://pay.example.evil/", "none"),
            ("https://a.sub.example/", "one"), ("https://sub.example/", "one"), ("https://asub.example/", "none"),
            ("https://pay.example:8443/", "none"), ("https://pay.example/?lightning=x", "one"),
            ("https://else.example/?a=1&lightning=x", "two"), ("https://else.example/x.pass", "two"),
            ("https://else.example/x.pass/y", "none"), ("http://pay.example/", "one"),
            // Texts: whole first lines, the longest beginning, then shapes.
            ("TOP\nrest", "one"), ("TOP\r\nrest", "one"), ("TOP", "one"), ("TOPS\n", "none"), ("ONE2", "one"),
            ("ONEMORE", "two"), ("xabc", "one"), ("xabc \n", "one"), ("xab", "none"), ("xab-c", "none"),
            ("xabcdefgh", "one+two"), ("xforeign1", "none"), ("xbroken12", "one malformed"),
            ("a@b", "two"), ("a@b@c", "none"), ("a @b", "none"), ("two for the price of one!", "none"),
        ])
    func table(_ text: String, _ expected: String) throws {
        #expect(try answer(text) == expected)
    }

    @Test("The order of the list decides nothing about sound texts")
    func order() throws {
        let reversed = StandardsReader([Two.self, One.self])
        for text in ["coin:x", "many:aax", "many:aabb", "ONEMORE", "https://pay.example/?lightning=x", "xabc"] {
            #expect(try answer(text) == answer(text, reversed))
        }
    }

    @Test(
        "Words, numbers and codes of others are not claimed",
        arguments: [
            "two for the price of one!", "123456", "hello", "HELLOWORLD123456", "1111111111111111111111111111",
            "1BoatSLRHtKNngkdXEeobR76b53LETtpyU", "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLz", "DE2A512108001245126199",
            "https://example.com/bitcoin:1andreas3batLhQa2FawWjeyjCqyBzypd",
            "bitcoins:1andreas3batLhQa2FawWjeyjCqyBzypd",
            "BCDE\n002", "bcd\n002\n1\nSCT", " ",
        ])
    func unclaimed(_ text: String) {
        guard let link = try? PaymentLink(text) else { return }
        #expect(StandardsReader().recognize(link).isNone, "\(text): \(StandardsReader().recognize(link))")
    }

    @Test(
        "A private key is refused by name, and its text is said to be secret",
        arguments: [
            "5JuW2AMDYu4xVwRG9DZW18VbzQrGcd5RCgb99sS6ehJsNQXu5b9",
            "cV83kKisF3RQSvXbUCm9ox3kaz5JjEUBWcx8tNydfGJcyeUxuH47",
            // BIP-32, test vector 1.
            "xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TGtRBeJgk33yuGBxrMPHi",
        ])
    func secrets(_ text: String) throws {
        let defect = try #require(
            StandardsReader().recognize(try PaymentLink(text)).defect(of: "bitcoin-address"), "not refused")
        #expect(defect.kind == .secret && !defect.description.contains(text.prefix(8)))
        guard text.utf8.count < 60 else { return }
        let inside = StandardsReader().recognize(try PaymentLink("bitcoin:\(text)"))
        #expect(inside.defect(of: "bip321")?.kind == .secret, "not refused inside a link")
    }
}

@Suite("The common reading")
struct InstructionTests {
    private func instruction(_ text: String) throws -> PaymentInstruction {
        guard case .instruction(let instruction) = StandardsReader().read(try PaymentLink(text)) else {
            throw StandardDefect(.foreign, "text", at: 0, text)
        }
        return instruction
    }

    @Test("Who, how much, where and what for")
    func reading() throws {
        let bitcoin = try instruction(
            "bitcoin:bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4?amount=0.001&label=Shop&message=Tea")
        #expect(
            bitcoin.payee
                == .init(
                    account: "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", name: "Shop", check: .checksum))
        #expect(bitcoin.amount == .fixed(try Money(minorUnits: 100_000, currency: .satoshi)))
        #expect(bitcoin.memo == "Tea" && bitcoin.warnings.isEmpty && bitcoin.network?.hasPrefix("bip122:") == true)

        let transfer = try instruction(
            "BCD\n002\n1\nSCT\n\nFranz\nDE71110220330123456789\nEUR012.3\nGDDS\nRF18539007547034")
        #expect(transfer.payee?.name == "Franz" && transfer.reference == "RF18539007547034")
        #expect(transfer.amount == .fixed(try Money(minorUnits: 1230, currency: .eur)))

        #expect(try instruction("DE75512108001245126199").amount == .open)
        #expect(
            try instruction("payto://iban/DE75512108001245126199?amount=KUDOS:3").amount
                == .uncounted(digits: "3", unit: "KUDOS"))
    }

    @Test("Test money and texts that several chains share are pointed out")
    func warnings() throws {
        #expect(try instruction("tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx").warnings == [.testNetwork])
        let shared = try instruction("1BoatSLRHtKNngkdXEeobR76b53LETtpyT")
        #expect(shared.otherReadings == ["bitcoin-cash-legacy"] && shared.warnings == [.otherReadings])
        #expect(try instruction("bitcoin:1BoatSLRHtKNngkdXEeobR76b53LETtpyT").otherReadings.isEmpty)
        #expect(
            try instruction("bitcoin:1BoatSLRHtKNngkdXEeobR76b53LETtpyT?pop=https%3aevil.example").warnings
                == [.opensNothing])
    }

    @Test(
        "Names in which letters may be taken for others are pointed out",
        arguments: [
            ("\u{410}lice", true), ("Alice", false), ("\u{410}\u{43B}\u{438}\u{441}\u{430}", false),
            ("\u{410}\u{41E} Shop", false), ("p\u{3B1}ypal", true), ("J\u{FC}rgen-1", false),
        ])
    func homographs(name: String, isOne: Bool) throws {
        let code = try EPCCode(name: name, iban: "DE75512108001245126199", cents: 1)
        #expect(try instruction(code.text).warnings.contains(.homographName) == isOne)
        #expect(try instruction("alice@xn--pypal-4ve.example").warnings.contains(.homographName))
        #expect(try !instruction("alice@pay-pal.example").warnings.contains(.homographName))
    }

    @Test("What is made from values reads back as these values")
    func builders() throws {
        let code = try EPCCode(name: "Jürgen", iban: "DE75512108001245126199", cents: 1205, remittance: "Tee & Brot")
        #expect(code.text == "BCD\n002\n1\nSCT\n\nJürgen\nDE75512108001245126199\nEUR12.05\n\n\nTee & Brot")
        #expect(try EPCCode(text: code.text) == code)
        #expect(throws: StandardDefect.self) { try EPCCode(name: "", iban: "DE75512108001245126199") }
        #expect(throws: StandardDefect.self) { try EPCCode(name: "A\nB", iban: "DE75512108001245126199") }
        #expect(throws: StandardDefect.self) { try EPCCode(name: "A", iban: "DE75512108001245126198") }

        let address = try BitcoinAddress(text: "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4")
        let link = try #require(BIP321(address: address, amountSat: 1, label: "a+b & c=d%", message: "₿"))
        #expect(try BIP321(text: link.text) == link)
        #expect(BIP321(address: address, amountSat: .max) == nil)
    }
}
