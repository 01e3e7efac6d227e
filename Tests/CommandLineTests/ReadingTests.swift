import Foundation
import PaymentCore
import PaymentSandbox
import TestSupport
import Testing

@testable import PayrouteCommands

/// The answer to who gets how much until when: the first line of `inspect`, and its member `reading`.
@Suite("The common reading")
struct ReadingTests {

    /// The day on which the tests read.
    static let day = Date(timeIntervalSince1970: 1_780_272_000)  // 2026-06-01

    static func run(_ words: [String], input: String = "", at date: Date = day) async -> Captured {
        await payroute(words, input: Array(input.utf8), clock: TestClock(at: date.timeIntervalSince1970))
    }

    private static func line(_ text: String, at date: Date = day) async -> String {
        await run(["inspect", text], at: date).lines.first ?? ""
    }

    private static func reading(_ text: String, _ flags: String..., at date: Date = day) async throws -> JSONValue {
        let line = try #require(await run(["inspect", "--json"] + flags + [text], at: date).lines.first)
        return try #require(JSONValue(parsing: line)["reading"])
    }

    /// An invoice over 0.02 BTC of 1 June 2017, from the specification.
    private static func invoice() throws -> String {
        let rows = try VectorFile("bolt11").rows("valid")
        return try #require(rows.first { $0.expect["amountMsat"] == 2_000_000_000 }).input
    }

    @Test("An invoice says who gets how much, and whether it is over by the clock")
    func expiry() async throws {
        let invoice = try Self.invoice()
        let line = await Self.line(invoice)
        #expect(line.hasPrefix("Lightning invoice (BOLT 11) · 0.02 BTC to 03e7156ae33b0a…"), "\(line)")
        #expect(line.contains("expired 2017-06-01"))
        let before = Date(timeIntervalSince1970: 1_496_314_659)
        #expect(await Self.line(invoice, at: before).contains("valid until 2017-06-01"))
        let late = try await Self.reading(invoice)
        #expect(late["expired"] == true && late["expires"] == "2017-06-01T11:57:38Z", "\(late.text)")
        #expect(late["amount"] == "0.02000000" && late["unit"] == "BTC" && late["kind"] == "payment")
        #expect(late["warnings"]?.array?.contains("expired") == true)
        let early = try await Self.reading(invoice, at: before)
        #expect(early["expired"] == false && early["warnings"]?.array?.contains("expires") == true)
    }

    @Test(
        "The reason of a decision agrees with the reading",
        arguments: [
            (
                "bitcoin:bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq?amount=0.0021",
                "a Bitcoin payment request (BIP 321); provider 'bitcoin' pays it with a wallet"
            ),
            ("upi://pay?pa=nadeem@npci&am=3000", "a UPI payment request; no registered provider can pay it"),
            (
                "wc:7f6e504bfad60b485450578e05678ed3e8e8c4751d3c6160be17160d63ec90f9@2?relay-protocol=irn&symKey=aa",
                "WalletConnect connection request: no payment"
            ),
        ])
    func reasons(text: String, reason: String) async throws {
        for command in ["route", "inspect"] {
            let line = try #require(await Self.run([command, "--json", text], at: Self.day).lines.first)
            #expect(try JSONValue(parsing: line)["reason"]?.string == reason)
        }
    }

    @Test(
        "The line for people",
        arguments: [
            (
                "bitcoin:bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq?amount=0.0021&label=Coffee",
                "Bitcoin payment request (BIP 321) · 0.0021 BTC to Coffee (bc1qar0srrr7xf…zwf5mdq)"
            ),
            (
                "upi://pay?pa=nadeem@npci&pn=Nadeem&am=3000&cu=INR",
                "UPI payment request · 3000.00 INR to Nadeem (nadeem@npci)"
            ),
            (
                "user@walletofsatoshi.com",
                "Lightning address (LUD-16) · to user@walletofsatoshi.com, the amount is asked online"
            ),
            (
                "wc:0123456789abcdef@2?relay-protocol=irn&symKey=0123456789abcdef",
                "WalletConnect connection request · no payment"
            ),
            (
                "https://pay.walletconnect.com.evil.example/?pid=pay_1",
                "This looks like pay.walletconnect.com but is not: the address belongs to evil.example"
            ),
            (
                "https://pay.walletconnect.com/?pid=pay_1",
                "WalletConnect Pay payment link · WalletConnect Pay names payee and amount"
            ),
            ("https://example.com/a", "Web page of example.com · no known payment"),
            (
                "DE89370400440532013001",
                "Invalid bank account number (IBAN): the checksum does not match: at least one character is wrong; "
                    + "check it against the original"
            ),
            (
                "bitcoin:bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq?amount=0.000000001",
                "Invalid Bitcoin payment request (BIP 321): amount: has more than 8 digits behind the '.'"
            ),
            ("WIFI:S:home;T:WPA;P:secret;;", "Wi-Fi access · no payment"), ("hello", "Text · no known payment"),
        ])
    func people(text: String, line: String) async {
        #expect(await Self.line(text) == line)
    }

    private static let account = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
    private static let usdc = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"
    private static let solana = "solana:mvines9iiHiQTysrwkJjGf2gb9Ex9jXJX8ns3qwf2kN"

    @Test(
        "A token of the tables has its name and decimals; of another one it is said that it is not known",
        arguments: [
            (
                "\(solana)?amount=0.01&spl-token=EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v", "0.01 USDC on Solana",
                "0.010000",
                "caip19/solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp/token:EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"
            ),
            (
                "\(solana)?amount=1.01&spl-token=82ZJ7nbGpixjeDCmEhUcmwXYfvurzAgGdtSMuHnUgyny",
                "1.01 of a token that this program does not know (token:82ZJ7nbG…HnUgyny)", "1.01",
                "caip19/solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp/token:82ZJ7nbGpixjeDCmEhUcmwXYfvurzAgGdtSMuHnUgyny"
            ),
            (
                "ethereum:\(usdc)@1/transfer?address=\(account)&uint256=1500000", "1.50 USDC on Ethereum", "1.500000",
                "caip19/eip155:1/erc20:\(usdc)"
            ),
            (
                "ethereum:\(account)@1/transfer?address=\(account)&uint256=1500000",
                "1500000 smallest units of a token that this program does not know (erc20:0x5aAeb6…f1BeAed)", "1500000",
                "smallest-unit-of:caip19/eip155:1/erc20:\(account)"
            ),
            (
                "ethereum:\(account)@137?value=2.5e18", "2.50 POL on Polygon", "2.500000000000000000",
                "caip19/eip155:137/slip44:966"
            ),
            ("ethereum:\(account)?value=2.5e18", "2.5 of the chain's own coin", "2500000000000000000", "wei"),
        ])
    func tokens(text: String, words: String, amount: String, unit: String) async throws {
        let reading = try await Self.reading(text)
        #expect(reading["summary"]?.string?.contains(" · \(words) to ") == true, "\(reading.text)")
        #expect(reading["amount"]?.string == amount && reading["unit"]?.string == unit, "\(reading.text)")
    }

    @Test("The row of the amount has the whole id of a token that is not known")
    func wholeToken() async throws {
        let token = "82ZJ7nbGpixjeDCmEhUcmwXYfvurzAgGdtSMuHnUgyny"
        let lines = await Self.run(["inspect", "\(Self.solana)?amount=1.01&spl-token=\(token)"]).lines
        let row = try #require(lines.first { $0.hasPrefix("  amount ") })
        #expect(
            row.hasSuffix("does not know (caip19/solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp/token:\(token))"), "\(row)")
    }

    @Test("Zero amounts, test networks, look-alikes and secrets are warnings")
    func warnings() async throws {
        func warnings(_ text: String) async throws -> [JSONValue] {
            try await Self.reading(text)["warnings"]?.array ?? []
        }
        #expect(
            try await warnings("bitcoin:bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq?amount=0").contains("zero-amount"))
        #expect(try await warnings("tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx").contains("test-network"))
        #expect(try await warnings("https://pay.wa1letconnect.com/a") == ["look-alike"])
        #expect(try await warnings("pay_1") == ["unverified"])
        #expect(try await warnings("wc:0123456789abcdef@2?symKey=0123456789abcdef") == ["secret-inside"])
        let token = try #require(try VectorFile("cashu").rows("valid").first { $0.input.hasPrefix("cashuA") })
        let reading = try await Self.reading(token.input)
        #expect(reading["warnings"]?.array?.contains("secret-inside") == true && reading["kind"] == "receipt")
    }

    @Test("A payment inside another is an alternative")
    func alternatives() async throws {
        let text = "bitcoin:bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq?lightning=\(try Self.invoice())"
        let reading = try await Self.reading(text)
        #expect(reading["alternatives"]?.array?.map { $0["standard"]?.string } == ["bolt11"], "\(reading.text)")
        #expect(await Self.line(text).hasSuffix("also payable as Lightning invoice (BOLT 11)"))
    }

    @Test("What can be done is named: a provider, a wallet that is missing, or nothing")
    func advice() async throws {
        let link = try await Self.reading("https://pay.walletconnect.com/?pid=pay_1")
        #expect(link["provider"] == "walletconnect-pay" && link["advice"]?.string?.contains("pay with") == true)
        let bitcoin = try await Self.reading("bitcoin:bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq?amount=1")
        #expect(bitcoin["provider"] == "bitcoin" && bitcoin["advice"]?.string?.contains("wallet") == true)
        let upi = try await Self.reading("upi://pay?pa=nadeem@npci&pn=Nadeem&am=3000&cu=INR")
        #expect(upi["provider"] == .null && upi["advice"]?.string?.contains("open it in a UPI app") == true)
    }

    @Test("Of a text that is worth money the reading has neither payee nor memo nor number, unless it is revealed")
    func secrets() async throws {
        let texts = try VectorFile("cashu").rows("valid").map(\.input).filter { $0.hasPrefix("cashu") }
        for text in texts {
            let reading = try await Self.reading(text)
            guard reading["warnings"]?.array?.contains("secret-inside") == true else { continue }
            for name in ["payee", "payeeName", "memo", "reference"] { #expect(reading[name] == .null) }
        }
    }

    @Test("--schema describes every line of --json", arguments: vectorFiles)
    func schema(file: VectorFile) async throws {
        let schema = JSONSchema(
            root: try JSONValue(parsing: Array(await Self.run(["inspect", "--schema"]).output.utf8)))
        let texts = try file.rows("valid").map(\.input) + file.rows("invalid").map(\.input)
        let input = texts.map { JSONValue.string($0).text }.joined(separator: "\n")
        for flags in [[], ["--reveal"]] as [[String]] {
            let result = await Self.run(["inspect", "--json"] + flags + ["-"], input: input)
            #expect(result.lines.count == texts.count)
            for line in result.lines { #expect(schema.breach(in: try JSONValue(parsing: line)) == nil, "\(line)") }
        }
    }

    @Test("The schema finds a member that is missing, added, or of another kind, and names every kind")
    func schemaIsSharp() async throws {
        let root = try JSONValue(parsing: Array(await Self.run(["inspect", "--schema"]).output.utf8))
        let schema = JSONSchema(root: root)
        for text in [
            "pay_1", "https://a b/", "https://pay.wa1letconnect.com/a", "hello", "WIFI:S:a;;", try Self.invoice(),
        ] {
            let line = try #require(await Self.run(["inspect", "--json", text]).lines.first)
            let good = try JSONValue(parsing: line)
            #expect(schema.breach(in: good) == nil)
            for (name, value) in [("valid", JSONValue.null), ("reading", "x"), ("more", 1), ("trust", "good")] {
                var bad = good
                bad[name] = value
                #expect(schema.breach(in: bad) != nil, "\(name)")
            }
            var bad = good
            bad["reading"]?["amount"] = "1,5"
            #expect(schema.breach(in: bad) != nil)
        }
        let kinds = root["$defs"]?["reading"]?["properties"]?["kind"]?["enum"]?.array?.compactMap(\.string)
        #expect(kinds == Reading.Kind.allCases.map(\.rawValue))
    }
}
