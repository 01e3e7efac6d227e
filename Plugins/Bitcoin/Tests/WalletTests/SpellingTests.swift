import BitcoinProvider
import PaymentCore
import PaymentRouting
import PaymentSettlement
import PaymentStandards
import PaymentTesting
import TestSupport
import Testing

/// One payment has one name and the same endpoints, however its text is written.
@Suite("Spellings of one payment")
struct SpellingTests {
    /// The subject that a text is named by, and the endpoints that settlers see.
    private struct Subject: Equatable, CustomStringConvertible {
        let reference: String?
        let namesPayee: Bool
        let endpoints: [SettlementEndpoint]
        let amounts: [PaymentInstruction.Amount]

        var description: String { "\(reference ?? "-") \(namesPayee) \(endpoints.map(\.text))" }
    }

    private static let reader = StandardsReader()
    private let router: PaymentRouter

    init() throws {
        let names = DNSResolver(try HTTPURL(service: "https://dns.example/dns-query"))
        router = try PaymentRouter(
            BitcoinProvider(reader: Self.reader, names: names), over: NoNetwork(), readers: [Self.reader])
    }

    private func subject(of text: String) -> Subject? {
        guard case .matched(let route) = router.route(text) else { return nil }
        let offers = SettlementOffer.offers(in: text, Self.reader)
        return Subject(
            reference: route.match.reference, namesPayee: route.match.payee != nil, endpoints: offers.map(\.endpoint),
            amounts: offers.map(\.amount))
    }

    private func reference(_ text: String) -> String? { subject(of: text)?.reference }

    // MARK: Every vector

    private static let files = ["bip321", "bip353", "bitcoin-address", "bolt11", "bolt12", "lnurl"]
    private static let extra = [
        "bitcoin:\(address)?amount=0.0002&label=Caf%C3%A9-7&message=a%20b",
        "bitcoin:1andreas3batLhQa2FawWjeyjCqyBzypd?amount=0.5&label=order-7",
        "lightning:alice@pay.example.com",
        "bitcoin:\(address)?lno=\(offer)&lightning=\(lnurl)&amount=0.001",
        "bitcoin:?lightning=\(offer)&lightning=\(invoice)", "bitcoin:?lno=\(secondOffer)&lno=\(offer)&amount=0.01",
    ]
    private static let address = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"
    /// Leaves the amount open.
    private static let offer = "lno1zcss9mk8y3wkklfvevcrszlmu23kfrxh49px20665dqwmn4p72pksese"
    private static let secondOffer =
        "lno1pgx9getnwss8vetrw3hhyuckyypwa3eyt44h6txtxquqh7lz5djge4afgfjn7k4rgrkuag0jsd5xvxg"
    private static let lnurl =
        "lnurl1dp68gurn8ghj7um9wfmxjcm99e3k7mf0v9cxj0m385ekvcenxc6r2c35xvukxefcv5mkvv34x5ekzd3ev56nyd3hxqurzepexejxxepnxscrv"
        + "wfnv9nxzcn9xq6xyefhvgcxxcmyxymnserxfq5fns"
    private static let invoice =
        "lnbc2500u1pvjluezsp5zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zygspp5qqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqqqsyqcyq"
        + "5rqwzqfqypqdq5xysxxatsyp3k7enxv4jsxqzpu9qrsgquk0rl77nj30yxdy8j9vdx85fkpmdla2087ne0xh8nhedh8w27kyke0lp53ut353s06fv3qf"
        + "egext0eh0ymjpf39tuven09sam30g4vgpfna3rh"

    private static func texts() throws -> [String] {
        try files.flatMap { try VectorFile($0).rows("valid").map(\.input) } + extra
    }

    @Test("Every text that can be paid has one name in every spelling")
    func spellings() throws {
        var random = SplitMix64(seed: 7)
        var (texts, spellings): (Int, Set<String>) = (0, [])
        for text in try Self.texts() {
            guard let subject = subject(of: text) else { continue }
            texts += 1
            for spelling in PaymentSpelling.allCases {
                for other in spelling.others(of: text) {
                    spellings.insert("\(spelling)")
                    #expect(self.subject(of: other) == subject, "\(spelling): \(other)")
                }
            }
            for _ in 0..<20 {
                var other = text
                for _ in 0..<4 {
                    let spelling = PaymentSpelling.allCases.randomElement(using: &random)
                    if let next = spelling?.others(of: other).randomElement(using: &random) { other = next }
                }
                #expect(self.subject(of: other) == subject, "\(other)")
            }
        }
        // Each rule was tried, on texts of every standard.
        #expect(texts >= 60 && spellings.count == PaymentSpelling.allCases.count, "\(texts) \(spellings)")
    }

    @Test(
        "Another amount, address, label or message is another payment",
        arguments: [
            ("amount=0.0002", "amount=0.0003"), ("amount=0.0002", "amount=0.002"),
            ("label=order%2D7", "label=order%252D7"),
            ("label=order%2D7", "label=order-8"), ("label=order%2D7", "label=Order-7"),
            ("message=a%20b", "message=a+b"),
            ("message=a%20b", "message=a%2520b"), ("message=a%20b", "message=a%00b"), ("message=a%20b", "message="),
            ("&label=order%2D7&message=a%20b", "&label=order-7a%20b"), ("label=order%2D7", "x=1"),
            ("label=order%2D7&message=a%20b", "label=order-7%0Aa%20b"),
            ("label=order%2D7&message=a%20b", "message=order-7&label=a%20b"),
            (address, "bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr"),
            (address, "1andreas3batLhQa2FawWjeyjCqyBzypd"),
        ])
    func otherPayments(_ part: String, _ other: String) throws {
        let text = "bitcoin:\(Self.address)?amount=0.0002&label=order%2D7&message=a%20b"
        let changed = text.replacing(part, with: other)
        let (first, second) = (try #require(reference(text)), try #require(reference(changed)))
        #expect(changed != text && first != second)
    }

    @Test(
        "A text in which readers see two payments has no name",
        arguments: [
            "amount=1&AMOUNT=2", "amount=1&amount=1", "amount=1&%61mount=2", "amount=1&req-amount=2",
            "req-amount=2&amount=1",
            "label=a&LABEL=b", "label=a&req-label=a", "message=a&req-MESSAGE=b", "req-x=1", "%72eq-x=1",
            "pj=https%3A%2F%2Fa.example&req-pj=https%3A%2F%2Fb.example",
        ])
    func twice(_ query: String) {
        #expect(reference("bitcoin:1andreas3batLhQa2FawWjeyjCqyBzypd?\(query)") == nil)
    }

    @Test(
        "Mixed letters of bech32, and other letters of base58, are no other spelling",
        arguments: [
            "bitcoin:bc1qW508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", "bitcoin:1ANDREAS3BATLHQA2FAWWJEYJCQYBZYPD",
            "lightning:Alice@pay.example.com", "lightning:LNURL1" + lnurl.dropFirst(6),
            "bitcoin://1andreas3batLhQa2FawWjeyjCqyBzypd",
        ])
    func mixed(_ text: String) {
        #expect(reference(text) == nil)
    }

    @Test("Invoices over several amounts in one link are no payment")
    func amounts() throws {
        let others = try VectorFile("bolt11").rows("valid").map(\.input).filter { $0.hasPrefix("lnbc20m") }
        let other = try #require(others.first)
        #expect(reference("lightning:\(other)") != nil)
        #expect(reference("bitcoin:?lightning=\(Self.invoice)&lightning=\(other)") == nil)
        #expect(reference("bitcoin:?lightning=\(other)&lightning=\(Self.invoice)") == nil)
    }

    @Test("A satoshi and a thousandth of one are different amounts")
    func units() throws {
        let names = try ([8, 11] as [UInt8]).map { exponent in
            let amount = try Money(minorUnits: 1500, currency: .satoshi, exponent: exponent)
            let offer = SettlementOffer(
                endpoint: SettlementEndpoint(.bolt12Offer, text: Self.offer), amount: .fixed(amount), expiresAt: nil)
            return try #require(LinkMatch(settling: [offer])?.reference)
        }
        #expect(names == ["\(Self.offer):1500", "\(Self.offer):1500e11"])
    }

    // MARK: Which name

    @Test("Without an amount a link names its payee: the owner of the address, in every spelling")
    func payees() throws {
        let address = Self.address
        for text in [
            address, address.uppercased(), "bitcoin:\(address)", "BITCOIN:\(address.uppercased())?label=Ann",
            "bitcoin:?bc=\(address)", "bitcoin:\(address)?lno=\(Self.offer)", "bitcoin:?BC=\(address.uppercased())",
        ] {
            let subject = try #require(self.subject(of: text))
            #expect(subject.namesPayee && subject.reference == address, "\(text)")
        }
    }

    @Test("A link with an invoice is the invoice's payment; without it, its text does not name the invoice")
    func invoices() throws {
        let hash = try #require(reference("lightning:\(Self.invoice)"))
        let address = "bitcoin:1andreas3batLhQa2FawWjeyjCqyBzypd?amount=0.0025&label=order-7"
        #expect(reference("\(address)&lightning=\(Self.invoice.uppercased())") == hash)
        #expect(reference("\(address)&lightning=\(Self.offer)&lightning=\(Self.invoice)") == hash)
        let bare = try #require(reference(address))
        #expect(bare != hash && reference("\(address)&lno=\(Self.offer)") == bare)
        #expect(reference("\(address)&lightning=\(Self.lnurl)") == bare)
    }

    @Test("A link's amount is also that of the service inside of it")
    func serviceAmount() throws {
        let offers = SettlementOffer.offers(
            in: "bitcoin:1andreas3batLhQa2FawWjeyjCqyBzypd?amount=0.0025&lightning=\(Self.lnurl)", Self.reader)
        let amount = PaymentInstruction.Amount.fixed(try Money(minorUnits: 250_000, currency: .satoshi))
        #expect(offers.map(\.endpoint.kind) == [.lnurl, .bitcoinAddress] && offers.map(\.amount) == [amount, amount])
    }

    @Test("A service's LNURL names the same payee however its address is written, and so does its Lightning address")
    func services() throws {
        #expect(reference("lightning:\(Self.lnurl)") == Self.lnurl)
        #expect(reference("LIGHTNING:\(Self.lnurl.uppercased())") == Self.lnurl)
        #expect(reference("alice@Pay.Example.com") == "alice@pay.example.com")
    }

    // MARK: Endpoints

    @Test("An endpoint is in its canonical form, also when it is read from a journal")
    func endpoints() throws {
        let upper = SettlementEndpoint(.bolt11, text: Self.invoice.uppercased(), network: "mainnet", paymentHash: "AB")
        let lower = SettlementEndpoint(.bolt11, text: Self.invoice, network: "mainnet", paymentHash: "ab")
        #expect(upper == lower && upper.text == Self.invoice)
        var stored = try JSONValue.encode(lower)
        stored["text"] = .string(Self.invoice.uppercased())
        #expect(try stored.decode(SettlementEndpoint.self) == lower)
        #expect(try JSONValue.encode(lower).decode(SettlementEndpoint.self) == lower)
        let rows: [(SettlementEndpoint.Kind, String, String)] = [
            (.bolt12Offer, "LNO1PQPS7+\n SJQPGTYZ", "lno1pqps7sjqpgtyz"), (.lnurl, "LNURL1DP68", "lnurl1dp68"),
            (.lightningAddress, "ann@Pay.EXAMPLE", "ann@pay.example"),
            (.bitcoinAddress, Self.address.uppercased(), Self.address),
            (.bitcoinAddress, "BCRT1QW508", "bcrt1qw508"),
            (.bitcoinAddress, "1andreas3batLhQa2FawWjeyjCqyBzypd", "1andreas3batLhQa2FawWjeyjCqyBzypd"),
            (.coinAddress, "0xAbCdEf0123456789aBcDeF0123456789AbCdEf01", "0xabcdef0123456789abcdef0123456789abcdef01"),
            (.coinAddress, "LcHK4jDfd7F3mGY6sVVCzmqfEZkDaEnMqt", "LcHK4jDfd7F3mGY6sVVCzmqfEZkDaEnMqt"),
            (SettlementEndpoint.Kind(rawValue: "other"), "AbC", "AbC"),
        ]
        for (kind, text, canonical) in rows {
            #expect(SettlementEndpoint(kind, text: text).text == canonical)
        }
    }
}

/// The ways to write a payment text without changing what it asks for.
private enum PaymentSpelling: CaseIterable {
    case scheme, bech32, encoded, lowerDigits, names, reversed, rotated, amount, emptyWords, unknown, doubled, slashes
    case bare, behindScheme, whole, lineEnd, domain

    /// Returns other spellings of `text`: none where the rule has nothing to change.
    func others(of text: String) -> [String] {
        let (scheme, rest) = Self.cut(text)
        let name = scheme?.lowercased()
        let isPlain = !text.utf8.contains { $0 >= 0x80 }
        switch self {
        case .scheme:
            guard let scheme else { return [] }
            return [
                scheme.uppercased(), scheme.lowercased(),
                scheme.prefix(1).uppercased() + scheme.dropFirst().lowercased(),
            ].map { "\($0):\(rest)" }
        case .bech32:
            return Self.bech32(text).map { [$0] } ?? []
        case .encoded:
            guard scheme != nil else { return [] }
            return [1, 2, 3].map { "\(scheme!):\(Self.encode(rest, each: $0))" }
        case .lowerDigits:
            guard scheme != nil, rest.contains("%") else { return [] }
            return ["\(scheme!):\(Self.encode(rest, each: 2, digits: Array("0123456789abcdef".utf8)))"]
        case .names:
            return Self.query(text) { items in
                items.map { item in
                    let (name, value) = Self.cut(item, at: "=")
                    return value.map { "\(name.uppercased())=\($0)" } ?? item
                }
            }
        case .reversed: return Self.query(text) { $0.reversed() }
        case .rotated: return Self.query(text) { Array($0.dropFirst() + $0.prefix(1)) }
        case .amount:
            return Self.query(text) { items in
                items.map { item in
                    guard item.lowercased().hasPrefix("amount="), !item.contains("%") else { return item }
                    let digits = item.dropFirst(7)
                    guard digits.allSatisfy({ $0.isNumber || $0 == "." }) else { return item }
                    guard let point = digits.firstIndex(of: ".") else { return "amount=0\(digits).000" }
                    return digits.distance(from: point, to: digits.endIndex) < 9 ? "amount=00\(digits)0" : item
                }
            }
        case .emptyWords:
            guard name == "bitcoin" else { return [] }
            let lower = text.lowercased()
            guard !lower.contains("message="), !lower.contains("label="), !lower.contains("essag"),
                !lower.contains("%6")
            else { return [] }
            return ["\(text)\(text.contains("?") ? "&" : "?")message=&label="]
        case .unknown:
            guard name == "bitcoin" else { return [] }
            return ["\(text)\(text.contains("?") ? "&" : "?")x-seen=1"]
        case .doubled:
            guard let name, ["bitcoin", "lightning"].contains(name), !rest.hasPrefix("//") else { return [] }
            return ["\(name):\(text)", "\(name.uppercased()):\(name):\(rest)"]
        case .slashes:
            guard name == "lightning", !rest.hasPrefix("//"), !Self.isEncoded(rest) else { return [] }
            return ["lightning://\(rest)", "LIGHTNING://\(rest)"]
        case .bare:
            guard name == "lightning", !rest.hasPrefix("//"), !Self.isEncoded(rest), !Self.isDoubled(rest),
                rest.lowercased().hasPrefix("ln")
            else { return [] }
            return [rest]
        case .behindScheme:
            guard scheme == nil, isPlain, !text.contains(where: { "+%".contains($0) || $0.isWhitespace }) else {
                return []
            }
            let lower = text.lowercased()
            if lower.hasPrefix("ln") { return ["lightning:\(text)", "LIGHTNING:\(text)"] }
            return ["bc1", "tb1", "bcrt1"].contains { lower.hasPrefix($0) } ? ["bitcoin:\(text)"] : []
        case .whole:
            guard scheme != nil, isPlain else { return [] }
            return [PercentCoding.encode(text)]
        case .lineEnd:
            guard scheme == nil, !Self.isEncoded(text) else { return [] }
            return [text + "\n", text + " \r\n"]
        case .domain:
            guard let at = text.lastIndex(of: "@"), !text.contains("?"), !Self.isEncoded(text) else { return [] }
            return ["\(text[...at])\(text[at...].dropFirst().uppercased())"]
        }
    }

    private static func isEncoded(_ text: String) -> Bool { text.contains("%") }
    private static func isDoubled(_ text: String) -> Bool { text.lowercased().hasPrefix("lightning:") }

    private static func cut(_ text: String) -> (String?, String) {
        let (head, tail) = cut(text, at: ":")
        guard let tail, ["bitcoin", "lightning"].contains(head.lowercased()) else { return (nil, text) }
        return (head, tail)
    }

    private static func cut(_ text: String, at mark: Character) -> (String, String?) {
        guard let index = text.firstIndex(of: mark) else { return (text, nil) }
        return (String(text[..<index]), String(text[text.index(after: index)...]))
    }

    private static func query(_ text: String, _ change: ([String]) -> [String]) -> [String] {
        guard cut(text).0?.lowercased() == "bitcoin" else { return [] }
        let (head, query) = cut(text, at: "?")
        guard let query else { return [] }
        return ["\(head)?\(change(query.split(separator: "&").map(String.init)).joined(separator: "&"))"]
    }

    /// Writes bech32 in capitals: a whole text of Lightning, or the address and the values of a link.
    private static func bech32(_ text: String) -> String? {
        func raised(_ part: String) -> String {
            let lower = part.lowercased()
            let beginnings = ["bc1", "tb1", "bcrt1", "lnbc", "lntb", "lno1", "lnurl1", "sp1"]
            return beginnings.contains(where: lower.hasPrefix) && part == lower && !part.contains("%")
                ? part.uppercased() : part
        }
        let (scheme, rest) = cut(text)
        guard let scheme else { return raised(text) == text ? nil : raised(text) }
        let (head, query) = cut(rest, at: "?")
        let items = query.map { query in
            query.split(separator: "&").map { item in
                let (name, value) = cut(String(item), at: "=")
                return value.map { "\(name)=\(raised($0))" } ?? name
            }
        }
        return "\(scheme):\(raised(head))\(items.map { "?" + $0.joined(separator: "&") } ?? "")"
    }

    /// Encodes each letter and digit whose place is a multiple of `step`; escapes that are there keep their meaning.
    private static func encode(
        _ text: String, each step: Int, digits: [UInt8] = Array("0123456789ABCDEF".utf8)
    ) -> String {
        var (bytes, index): ([UInt8], Int) = ([], 0)
        let written = Array(text.utf8)
        while index < written.count {
            let byte = written[index]
            if byte == UInt8(ascii: "%") {
                let isSmall = digits[10] == UInt8(ascii: "a")
                bytes += written[index...].prefix(3).map { 0x41...0x5A ~= $0 && isSmall ? $0 | 0x20 : $0 }
                index += 3
                continue
            }
            let isWord = byte.isASCIILetter || byte.isASCIIDigit || byte == UInt8(ascii: "-")
            bytes += isWord && index % step == 0 ? [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]] : [byte]
            index += 1
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
