import PaymentCore
import ReviewModel
import Testing

/// Transactions: the approval before a permit, and payments in a chain's native coin.
struct TransactionTests {
    private static let payer = "0x8f08bfa78a1d6a23b7ef15b5a64b0baba5fc166a"
    private static let other = "0x1c6bbdcf304b1e15c1aa9de302141ba638477a74"
    private static let address = [UInt8](repeating: 0x11, count: 20)

    private func code(_ name: String, _ member: String, _ value: JSONValue?) throws -> String {
        var sample = try Sample(name)
        sample.parameter(0) { $0[member] = value }
        return try sample.code ?? "approved"
    }

    // MARK: Members

    @Test(
        "Values have one notation",
        arguments: [
            ("0x22b1c8c1227a0000", "approved"), ("0x22B1C8C1227A0000", "approved"), ("0x022b1c8c1227a0000", "approved"),
            ("0x22b1c8c1227a0001", "amount"), ("0x22b1c8c1227affff", "amount"), ("0x0", "amount"),
            ("0x100000000000000000000000000000000000000000000000022b1c8c1227a0000", "tx-value-malformed"),
            ("0x1000000000000000000000000000000000000000000000000" + "22b1c8c1227a000", "amount"),
            ("0x" + String(repeating: "0", count: 48) + "22b1c8c1227a0000", "approved"),
            ("0x" + String(repeating: "0", count: 49) + "22b1c8c1227a0000", "tx-value-malformed"),
            ("0X22b1c8c1227a0000", "tx-value-malformed"), ("22b1c8c1227a0000", "tx-value-malformed"),
            ("2500000000000000000", "tx-value-malformed"), ("0x", "tx-value-malformed"), ("", "tx-value-malformed"),
            ("0x-1", "tx-value-malformed"), ("0x22b1c8c1227a0000 ", "tx-value-malformed"),
            ("-0x22b1c8c1227a0000", "tx-value-malformed"), ("2.5e18", "tx-value-malformed"),
        ])
    func values(value: String, expected: String) throws {
        #expect(try code(Sample.native, "value", .string(value)) == expected)
    }

    @Test("Members of other kinds, and members that choose what is the wallet's to choose")
    func members() throws {
        #expect(try code(Sample.native, "value", nil) == "amount")
        for value in [.null, 1, 2_500_000_000_000_000_000, true, []] as [JSONValue] {
            #expect(try code(Sample.native, "value", value) == "tx-value-malformed")
        }
        #expect(try code(Sample.native, "data", nil) == "approved")
        for data in [.null, "", "0X", "0x1", "0xzz", "0x ", 0, []] as [JSONValue] {
            #expect(try code(Sample.native, "data", data) == "calldata-malformed", "\(data.text)")
        }
        for data in ["0x00", "0xa9059cbb", "0x095ea7b3", "0xd39064"] {
            #expect(try code(Sample.native, "data", .string(data)) == "calldata", "\(data)")
        }
        #expect(try code(Sample.native, "data", "0xd3906488") == "calldata-malformed")
        for name in [
            "type", "nonce", "gas", "gasPrice", "gasLimit", "maxFeePerGas", "maxPriorityFeePerGas", "maxFeePerBlobGas",
            "accessList", "blobVersionedHashes", "blobs", "commitments", "proofs", "chainId", "authorizationList",
            "input",
            "Data", "data ", "TO", "\u{FEFF}to", "to\u{301}", "",
        ] { #expect(try code(Sample.native, name, "0x0") == "tx-member", "\(name)") }
        #expect(try code(Sample.native, "to", nil) == "tx-member-missing")
        #expect(try code(Sample.native, "to", .null) == "tx-member-missing")
        #expect(try code(Sample.native, "to", "") == "address-malformed")
        #expect(try code(Sample.native, "from", nil) == "tx-member-missing")
        #expect(try code(Sample.native, "from", .null) == "address-malformed")
        #expect(try code(Sample.native, "from", .string(Self.other)) == "from")
        for to in [
            "0x0000000000000000000000000000000000000000", Self.payer, "0x000000000022d473030f116ddee9f6b43ac78ba3",
            "0x3c499c542cef5e3811e1192ce70d8cc03d5c3359", "0x0d500b1d8e8ef31e21c99d1db9a6444d3adf1270",
        ] { #expect(try code(Sample.native, "to", .string(to)) == "recipient-invalid", "\(to)") }
    }

    @Test(
        "Coins go to no address that a chain itself has",
        arguments: [
            "0x0000000000000000000000000000000000000001", "0x000000000000000000000000000000000000000a",
            "0x0000000000000000000000000000000000000011", "0x0000000000000000000000000000000000000100",
            "0x0000000000000000000000000000000000001010", "0x000000000000000000000000000000000000dead",
            "0x000000000000000000000000000000000000800a", "0x4200000000000000000000000000000000000010",
            "0x5300000000000000000000000000000000000002", "0x0100000000000000000000000000000000000000",
            "0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "0xfffffffffffffffffffffffffffffffffffffffe",
            "0x000f3df6d732807ef1319fb7b8bb8522d0beac02", "0x0000f90827f1c53a10cb7a02335b175320002935",
            "0x00000961ef480eb55e80d19ad83579a64c007002", "0x0000bbddc7ce488642fb579f8b00f3a590007251",
        ])
    func reserved(address: String) throws {
        #expect(try code(Sample.native, "to", .string(address)) == "recipient-invalid")
    }

    @Test("A chosen address that a payee can have is paid")
    func chosen() throws {
        for address in ["0x00000000000000000000ab12cd34ef56ab12cd34", "0x1111111111111111111111111111111111111111"] {
            #expect(try code(Sample.native, "to", .string(address)) == "approved", "\(address)")
        }
    }

    @Test("The place of a foreign member is named only when its name is plain")
    func memberNames() throws {
        func member(_ name: String) throws -> String? {
            var sample = try Sample(Sample.native)
            sample.parameter(0) { $0[name] = 1 }
            return try sample.verdict["member"]?.string
        }
        #expect(try member("gas") == "/calls/0/params/0/gas")
        #expect(try member("ga\ns") == "/calls/0/params/0")
        #expect(try member(String(repeating: "g", count: 40))?.hasSuffix("ggg") == true)
        #expect(try member(String(repeating: "g", count: 41)) == "/calls/0/params/0")
    }

    // MARK: Approvals

    private func approval(_ change: (inout Sample) throws -> Void) throws -> JSONValue {
        var sample = try Sample(Sample.approval)
        try change(&sample)
        return try sample.verdict
    }

    @Test(
        "The amount of an approval is enough, and a higher one is shown",
        arguments: [
            (639_999, "approval-amount", "refuse"), (640_000, nil, "just what is paid"),
            (640_001, "approval-more-than-needed", "0.640001 USDT, more than is paid"),
        ] as [(UInt64, JSONValue?, String)])
    func amounts(amount: UInt64, expected: JSONValue?, text: String) throws {
        let verdict = try approval { try $0.word(1, Amount(amount).bytes) }
        #expect(verdict["reason-code"] == expected ?? .null)
        #expect(verdict["verdict"] == .string(text) || verdict["text"]?.string?.contains(text) == true)
    }

    @Test("Only the largest number is unlimited")
    func unlimited() throws {
        let all = try approval { try $0.word(1, Amount.largest.bytes) }
        #expect(all["warnings"] == ["approval-unlimited"])
        #expect(all["effects"]?[0]?["amount"] == "unlimited")
        #expect(all["text"]?.string?.contains("to move all your USDT on Ethereum") == true)
        let almost = try approval { try $0.word(1, Amount.largest.bytes.dropLast() + [0xFE]) }
        #expect(almost["warnings"] == ["approval-more-than-needed"])
        #expect(almost["effects"]?[0]?["amount"]?.string == Amount.largest.decimalText.dropLast() + "4")
    }

    @Test("An approval is of Permit2, for the token, and nothing else")
    func approvals() throws {
        func code(_ change: (inout Sample) throws -> Void) throws -> String? {
            try approval(change)["reason-code"]?.string
        }
        #expect(try code { try $0.word(0, Self.address) } == "approval-spender")
        #expect(try code { try $0.calldata { $0[4] = 1 } } == "calldata-malformed")
        #expect(try code { try $0.calldata { $0[15] = 1 } } == "calldata-malformed")
        #expect(try code { try $0.calldata { $0.append(0) } } == "calldata-malformed")
        #expect(try code { try $0.calldata { $0.removeLast() } } == "calldata-malformed")
        #expect(try code { try $0.calldata { $0 = Array($0.prefix(4)) } } == "calldata-malformed")
        #expect(try code { try $0.calldata { $0 = Array($0.prefix(3)) } } == "calldata")
        #expect(try code { try $0.calldata { $0 = [] } } == "calldata")
        for index in 0..<4 { #expect(try code { try $0.calldata { $0[index] ^= 1 } } == "calldata") }
        #expect(try code { $0.parameter(0) { $0["value"] = "0x1" } } == "approval-value")
        #expect(try code { $0.parameter(0) { $0["value"] = nil } } == nil)
        #expect(try code { $0.parameter(0) { $0["to"] = .string(Self.other) } } == "approval-token")
        #expect(try code { $0.parameter(0) { $0["from"] = .string(Self.other) } } == "from")
        let settlement = try Sample(Sample.settlement).json["calls"]?[0]?["params"]?[0]?["data"]
        #expect(try code { $0.parameter(0) { $0["data"] = settlement } } == "calldata")
    }

    // MARK: Settlement

    private static let now: UInt64 = 1_793_021_400

    @Test("Every word of a settlement call has one meaning")
    func words() throws {
        func code(_ index: Int, _ word: [UInt8]) throws -> String? {
            var sample = try Sample(Sample.settlement)
            try sample.word(index, word)
            return try sample.code
        }
        func dirty(_ index: Int, _ byte: Int) throws -> String? {
            var sample = try Sample(Sample.settlement)
            try sample.calldata { $0[4 + 32 * index + byte] = 1 }
            return try sample.code
        }
        #expect(try Sample(Sample.settlement).code == nil)
        #expect(try code(0, Self.address) == "settlement-operator")
        #expect(try code(1, Self.address) == "settlement-payer")
        #expect(try code(2, Self.address) == nil)
        #expect(try code(2, []) == "recipient-invalid")
        #expect(try code(2, Hex.decode(Self.payer) ?? []) == "recipient-invalid")
        #expect(try code(2, Hex.decode("0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2") ?? []) == "recipient-invalid")
        #expect(try code(3, Self.address) == "settlement-token")
        #expect(try code(3, []) == "settlement-token")
        #expect(try code(4, [1]) == "settlement-amount")
        for index in [8, 9, 14] { #expect(try code(index, [1]) == "settlement-fee") }
        for index in [10, 15] { #expect(try code(index, Self.address) == "settlement-fee") }
        #expect(try code(11, [UInt8](repeating: 0xFF, count: 32)) == nil)
        #expect(try code(12, Self.address) == nil)
        #expect(try code(13, [0x02, 0x20]) == "calldata-malformed")
        #expect(try code(16, [64]) == "calldata-malformed")
        #expect(try code(16, [66]) == "calldata-malformed")
        // Addresses of twenty bytes, numbers of 120, 48 and 16 bits.
        for index in [0, 1, 2, 3, 10, 12, 15] { #expect(try dirty(index, 11) == "calldata-malformed", "\(index)") }
        #expect(try dirty(4, 16) == "calldata-malformed")
        for index in [5, 6, 7] { #expect(try dirty(index, 25) == "calldata-malformed", "\(index)") }
        for index in [8, 9, 14] { #expect(try dirty(index, 29) == "calldata-malformed", "\(index)") }
        for index in 0..<20 where index != 11 && index != 17 && index != 18 && index != 19 {
            #expect(try dirty(index, 0) == "calldata-malformed", "\(index)")
        }
        // The 65th byte of the collector's data is its last.
        #expect(try dirty(19, 0) == nil)
        for byte in [1, 31] { #expect(try dirty(19, byte) == "calldata-malformed", "\(byte)") }
        var sample = try Sample(Sample.settlement)
        try sample.calldata { $0 += [UInt8](repeating: 0, count: 32) }
        #expect(try sample.code == "calldata-malformed")
        for index in 0..<4 {
            var sample = try Sample(Sample.settlement)
            try sample.calldata { $0[index] ^= 1 }
            #expect(try sample.code == "calldata")
        }
    }

    @Test("A settlement's ends are in order, and the first within a day")
    func ends() throws {
        func code(_ ends: [UInt64]) throws -> String? {
            var sample = try Sample(Sample.settlement)
            for (index, end) in ends.enumerated() { try sample.word(5 + index, Amount(end).bytes) }
            return try sample.code
        }
        let now = Self.now
        #expect(try code([now + 1, now + 1, now + 1]) == nil)
        #expect(try code([now, now + 1, now + 1]) == "deadline-past")
        #expect(try code([now + 86_400, now + 86_400, 1 << 47]) == nil)
        #expect(try code([now + 86_401, now + 86_401, now + 86_401]) == "deadline-too-far")
        #expect(try code([now + 2, now + 1, now + 3]) == "settlement-expiries")
        #expect(try code([now + 1, now + 3, now + 2]) == "settlement-expiries")
    }

    @Test("A settlement needs a coin whose wrapped form is known")
    func unwrapped() throws {
        // MegaETH has none in the tables, so no word can be right.
        for word in [[], Self.address] {
            var sample = try Sample(Sample.settlement)
            let account = "eip155:4326:\(Self.payer)"
            sample.json["payer"] = .string(account)
            sample.json["option"]?["account"] = .string(account)
            sample.json["option"]?["amount"]?["unit"] = "caip19/eip155:4326/slip44:60"
            sample.call { $0["chain_id"] = "eip155:4326" }
            try sample.word(3, word)
            #expect(try sample.code == "settlement-token")
        }
    }
}
