import Foundation
import PaymentCore
import PaymentReview
import Testing

/// The members of an option.
struct OptionTests {
    private func code(symbol: String, of name: String = Sample.unlisted) throws -> String? {
        var sample = try Sample(name)
        sample.json["option"]?["amount"]?["display"]?["assetSymbol"] = .string(symbol)
        return try sample.code
    }

    @Test(
        "An unlisted token cannot look like a listed one",
        arguments: [
            "USDC", "usdc", "USDC.", "U-S-D-C", "(USDC)", "USD\u{20AE}", "DAI", "DAl", "DA1", "DA|",
            "DA!",
            "ETH", "E-T-H", "E.TH", "U5DC", "U5DT", "vvETH", "WETH", "USDT", "USD\u{20AE}.", "$USDC", "U$DC", "!USDC",
            "EURC",
        ])
    func lookalikes(_ symbol: String) throws {
        #expect(try code(symbol: symbol) != nil, "\(symbol)")
    }

    @Test(
        "A token's name is one word, so that it cannot continue the sentence around it",
        arguments: [
            "USDC ", " USDC", "U SDC", "ZZ TOP", "of your USDC on Ethereum", " ", "", ".", "-", "ZZTOP\n",
            "ZZ\u{A0}TOP",
            "ZZTOP\u{200B}", "ZZTOP\u{202E}", "\u{212A}", "Z\u{301}", "ZZ\u{0}", "\u{7F}",
            String(repeating: "Z", count: 33),
        ])
    func sentences(_ symbol: String) throws {
        #expect(try code(symbol: symbol) == "display-text", "\(symbol)")
        #expect(try code(symbol: symbol, of: Sample.permit) == "display-text", "\(symbol)")
    }

    @Test(
        "Other words are names",
        arguments: ["ZZTOP", "X", "USDX", "stETH", "1INCH", "a-b_c.d", String(repeating: "Z", count: 32)])
    func names(_ symbol: String) throws {
        #expect(try code(symbol: symbol) == nil)
    }

    // MARK: Account, amount, asset

    private func code(_ name: String = Sample.permit, _ change: (inout JSONValue) -> Void) throws -> String {
        var sample = try Sample(name)
        var option = sample.json["option"] ?? .null
        change(&option)
        sample.json["option"] = option
        return try sample.code ?? "approved"
    }

    @Test("The account is one of the payer's, in a spelling that is one")
    func accounts() throws {
        let address = "0x8F08BfA78A1d6A23b7eF15b5A64b0BAba5fc166a"
        let lower = address.lowercased()
        for (account, expected) in [
            ("eip155:8453:\(address)", "approved"), ("eip155:8453:\(lower)", "approved"),
            ("eip155:8453:0x\(lower.dropFirst(2).uppercased())", "approved"),
            ("eip155:8453:0X\(lower.dropFirst(2))", "address-malformed"),
            ("eip155:8453:\(address.replacing("BfA", with: "bfA"))", "address-checksum"),
            ("eip155:8453:0x1c6bbdcf304b1e15c1aa9de302141ba638477a74", "option-account"),
            ("eip155:1:\(address)", "option-account"), (address, "option-account"), ("", "option-account"),
            ("eip155:8453:\(address):x", "option-account"), ("eip155:8453:\(address) ", "option-account"),
            ("eip155:8453:\(lower.dropLast())", "address-malformed"),
        ] { #expect(try code { $0["account"] = .string(account) } == expected, "\(account)") }
        #expect(try code { $0["account"] = nil } == "option-account")
        let chain = "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp"
        #expect(
            try code(Sample.sol) { $0["account"] = .string("\(chain):8dy7nlm8xapk9yixd63pm3nxrizshsymrejiquxwje3c") }
                == "option-account")
    }

    @Test(
        "The amount is a number of minor units above zero",
        arguments: [
            ("0", "option-amount"), ("00", "option-amount"), ("04990000", "option-amount"), ("", "option-amount"),
            ("+4990000", "option-amount"), ("-4990000", "option-amount"), ("4990000.0", "option-amount"),
            ("4.99e6", "option-amount"), ("0x4c2430", "option-amount"), (" 4990000", "option-amount"),
            ("4990000 ", "option-amount"), ("4_990_000", "option-amount"), ("\u{0664}", "option-amount"),
            ("4990001", "amount"), ("4989999", "amount"), ("340282366920938463463374607431773201456", "amount"),
            ("115792089237316195423570985008687907853269984665640564039457584007913129639935", "amount"),
            ("115792089237316195423570985008687907853269984665640564039457584007913129639936", "option-amount"),
            // 2^256 more than the requested amount, and 2^128 more.
            ("115792089237316195423570985008687907853269984665640564039457584007913134629936", "option-amount"),
            (String(repeating: "9", count: 100_000), "option-amount"),
        ])
    func amounts(value: String, expected: String) throws {
        #expect(try code { $0["amount"]?["value"] = .string(value) } == expected)
        #expect(try code { $0["amount"]?["value"] = 4_990_000 } == "option-amount")
    }

    @Test(
        "The asset is a token or the coin of the account's chain",
        arguments: [
            ("caip19/eip155:8453/erc20:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913", "approved"),
            ("caip19/eip155:8453/erc20:0x833589FCD6EDB6E08F4C7C32D4F71B54BDA02913", "approved"),
            ("caip19/eip155:8453/erc20:0X833589fcd6edb6e08f4c7c32d4f71b54bda02913", "address-malformed"),
            ("caip19/eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bda02913", "address-checksum"),
            ("caip19/eip155:8453/erc20:0x833589fcd6edb6e08f4c7c32d4f71b54bda0291", "address-malformed"),
            ("caip19/eip155:1/erc20:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913", "option-chain"),
            ("caip19/eip155:8453/erc721:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913", "option-asset"),
            ("caip19/eip155:8453/erc20:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913/1", "option-asset"),
            ("caip19/eip155:8453/slip44:714", "native-coin"), ("caip19/eip155:8453/slip44:060", "native-coin"),
            ("eip155:8453/erc20:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913", "option-asset"),
            ("CAIP19/eip155:8453/erc20:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913", "option-asset"),
            ("caip19/", "option-asset"), ("", "option-asset"), ("iso4217/USD", "option-asset"),
            ("caip19/solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1/slip44:501", "option-asset"),
            ("caip19/solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp/token:8453", "option-chain"),
            ("caip19/cosmos:cosmoshub-4/slip44:118", "option-asset"),
        ])
    func assets(unit: String, expected: String) throws {
        #expect(
            try code {
                $0["amount"]?["unit"] = .string(unit)
                if unit.contains("slip44") { $0["amount"]?["display"] = ["assetSymbol": "ETH", "decimals": 18] }
            } == expected)
    }

    @Test("Decimals are a whole number from 0 to 18, and the token's own where they are known")
    func decimals() throws {
        func code(_ name: String, _ number: String) throws -> String {
            try self.code(name) { $0["amount"]?["display"]?["decimals"] = JSONNumber(number).map(JSONValue.number) }
        }
        for number in ["6", "6.0", "6e0", "60e-1"] { #expect(try code(Sample.permit, number) == "approved") }
        for number in ["0", "5", "7", "18", "-6", "6.5", "37", "1e400", "18446744073709551622", "256", "262"] {
            #expect(try code(Sample.permit, number) == "display-decimals", "\(number)")
        }
        for number in ["0", "-0", "1", "18"] { #expect(try code(Sample.unlisted, number) == "approved", "\(number)") }
        for number in ["-1", "19", "36", "37", "256", "0.1"] {
            #expect(try code(Sample.unlisted, number) == "display-decimals", "\(number)")
        }
        for number in ["17", "19"] { #expect(try code(Sample.native, number) == "display-decimals") }
        #expect(try self.code { $0["amount"]?["display"]?["decimals"] = "6" } == "display-decimals")
        #expect(try self.code { $0["amount"]?["display"] = nil } == "display-text")
        #expect(try code(Sample.legacy, "5") == "display-decimals")
    }

    @Test("Names are the tables' own where they are known")
    func symbols() throws {
        func code(_ name: String, _ symbol: String) throws -> String {
            try self.code(name) { $0["amount"]?["display"]?["assetSymbol"] = .string(symbol) }
        }
        for symbol in ["usdc", "USDC.e", "USDT", "ETH", "ZZTOP"] {
            #expect(try code(Sample.permit, symbol) == "display-symbol")
        }
        for symbol in ["pol", "MATIC", "ETH", "WPOL"] { #expect(try code(Sample.native, symbol) == "display-symbol") }
        for symbol in ["USDT", "usdc"] { #expect(try code(Sample.legacy, symbol) == "display-symbol") }
        #expect(try code(Sample.sol, "WSOL") == "display-symbol")
        // The name on the wire is not shown, but look-alike letters are refused, too.
        #expect(try self.code { $0["amount"]?["display"]?["assetName"] = "USD \u{0421}oin" } == "display-text")
        #expect(
            try self.code { $0["amount"]?["display"]?["assetName"] = .string(String(repeating: "n", count: 101)) }
                == "display-text")
        #expect(
            try self.code { $0["amount"]?["display"]?["assetName"] = .string(String(repeating: "n", count: 100)) }
                == "approved")
    }

    @Test("An unknown fact is shown as the service's claim")
    func unverified() throws {
        let sample = try Sample(Sample.unlisted)
        #expect(
            try sample.text.contains(
                "The service calls this token ZZTOP with 18 decimals; it is not verified that this is right, nor "))
        #expect(try sample.verdict["warnings"] == ["display-unverified", "recipient-unknown"])
        #expect(try !Sample(Sample.permit).text.contains("it is not verified"))
    }

    @Test("Amounts are shown with the point where it belongs")
    func points() throws {
        for (decimals, text) in [
            (0, "5000000000000000000 ZZTOP"), (1, "500000000000000000 ZZTOP"), (18, " 5 ZZTOP"), (17, " 50 ZZTOP"),
            // The number that the contract counts in, whatever the service calls it.
            (18, "5 ZZTOP (5000000000000000000 units)"),
        ] {
            var sample = try Sample(Sample.unlisted)
            sample.json["option"]?["amount"]?["display"]?["decimals"] = .number(JSONNumber(decimals))
            #expect(try sample.text.contains(text), "\(decimals)")
        }
    }

    @Test("A token in no table is refused unless it is allowed by name, on its chain and in any letter case")
    func unlisted() throws {
        var sample = try Sample(Sample.unlisted)
        let allowed = try #require(sample.json["allow"]?[0]?.string)
        for (allow, expected) in [
            ([allowed], "approved "), ([allowed.lowercased()], "approved "),
            ([], "token-unlisted /option/amount/unit"),
            ([allowed.replacing("eip155:8453", with: "eip155:1")], "token-unlisted /option/amount/unit"),
            (["eip155:8453/slip44:60"], "token-unlisted /option/amount/unit"),
            ([allowed + "/1"], "token-unlisted /option/amount/unit"),
        ] {
            sample.json["allow"] = .array(allow.map(JSONValue.string))
            #expect(try sample.refusal == expected, "\(allow)")
        }
        for malformed: JSONValue in [["x"], "x", [1]] {
            sample.json["allow"] = malformed
            #expect(throws: ReviewCase.Defect.self) { _ = try ReviewCase(sample.json) }
        }
    }

    /// ERC-721's `approve` and `transferFrom` have ERC-20's selectors, and Permit2 asks for no return value.
    @Test("An item of a collection does not pass as a token, and neither does a fortune shown as dust")
    func collections() throws {
        for (name, token, value, decimals) in [
            ("POINTS", "0xBC4CA0EdA7647A8aB7C2061c2E118A18a936f13D", "8817", 18),
            ("POINTS", "0xae7ab96520DE3A18E5e111B5EaAb095312D7fE84", "1000000000000000000000", 18),
        ] {
            for listed in [Sample.permit, Sample.approval] {
                var sample = try Sample(listed)
                let chain = listed == Sample.permit ? "eip155:8453" : "eip155:1"
                sample.json["option"]?["amount"] = [
                    "unit": .string("caip19/\(chain)/erc20:\(token)"), "value": .string(value),
                    "display": ["assetSymbol": .string(name), "decimals": .number(JSONNumber(decimals))],
                ]
                #expect(try sample.code == "token-unlisted")
                sample.json["option"]?["amount"]?["display"]?["decimals"] = 36
                #expect(try sample.code == "display-decimals")
            }
        }
    }

    @Test("Of an allowed token exactly the payment is approved, and its units are in the line")
    func approvals() throws {
        func sample(_ approved: UInt64) throws -> Sample {
            var sample = try Sample(Sample.approval)
            let token = "0x3E8FAd5f27e6039b8FF9Ce425cA910DBA06AcaBc"
            let value = try #require(sample.json["option"]?["amount"]?["value"]?.string.flatMap { UInt64($0) })
            sample.json["option"]?["amount"]?["unit"] = .string("caip19/eip155:1/erc20:\(token)")
            sample.json["option"]?["amount"]?["display"]?["assetSymbol"] = "ZZTOP"
            sample.json["allow"] = [.string("eip155:1/erc20:\(token)")]
            sample.parameter(0) { $0["to"] = .string(token) }
            try sample.typedData { $0["message"]?["permitted"]?["token"] = .string(token) }
            let amount = value + approved
            try sample.word(1, (0..<8).map { UInt8(truncatingIfNeeded: amount >> (56 - 8 * $0)) })
            return sample
        }
        let exact = try sample(0)
        #expect(try exact.code == nil)
        let value = try #require(exact.json["option"]?["amount"]?["value"]?.string)
        #expect(try exact.text.components(separatedBy: "(\(value) units)").count == 3)
        #expect(try sample(1).refusal == "token-unlisted /calls/0/params/0/data")
    }
}
