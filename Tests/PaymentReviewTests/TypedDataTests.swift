import PaymentCore
import Testing

/// Typed data: each member has one reading, and no unused bits.
struct TypedDataTests {
    private static let payer = "0x8F08BfA78A1d6A23b7eF15b5A64b0BAba5fc166a"
    private static let usdc = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
    private static let other = "0x1c6BBdCf304b1e15C1aa9DE302141Ba638477A74"

    /// The refusal's code if the member at `path` of the typed data is `value`; nil removes the member.
    private func code(_ name: String, _ path: [String], _ value: JSONValue?) throws -> String {
        var sample = try Sample(name)
        try sample.typedData { Self.set(value, path[...], &$0) }
        return try sample.code ?? "approved"
    }

    private static func set(_ value: JSONValue?, _ path: ArraySlice<String>, _ json: inout JSONValue) {
        guard let key = path.first else { return }
        if path.count == 1 {
            json[key] = value
        } else {
            var inner = json[key] ?? .null
            set(value, path.dropFirst(), &inner)
            json[key] = inner
        }
    }

    // MARK: Members

    @Test(
        "A permit's members",
        arguments: [
            ("message.permitted.amount", "4990001", "amount"), ("message.permitted.amount", "4989999", "amount"),
            ("message.permitted.amount", "0", "amount"), ("message.permitted.amount", "4990000", "approved"),
            ("message.permitted.amount", "0x4C2430", "approved"),
            ("message.permitted.amount", "04990000", "number-malformed"),
            ("message.permitted.token", other, "token"), ("message.permitted.token", payer, "token"),
            ("message.permitted.token", "0x833589FCD6EDB6E08F4C7C32D4F71B54BDA02913", "approved"),
            ("message.permitted.token", "0X833589fcd6edb6e08f4c7c32d4f71b54bda02913", "address-malformed"),
            ("message.permitted.token", "0x833589fcd6edb6e08f4c7c32d4f71b54bda0291", "address-malformed"),
            ("message.permitted.token", "833589fcd6edb6e08f4c7c32d4f71b54bda02913", "address-malformed"),
            ("message.permitted.token", "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913 ", "address-malformed"),
            ("message.permitted.token", "0x833589fCD6eDb6E08f4c7C32D4f71b54bda02913", "address-checksum"),
            ("message.spender", "0x0000000000000000000000000000000000000000", "recipient-invalid"),
            ("message.spender", payer, "recipient-invalid"), ("message.spender", usdc, "recipient-invalid"),
            ("message.spender", "0x000000000022d473030f116ddee9f6b43ac78ba3", "recipient-invalid"),
            ("message.spender", "0x4200000000000000000000000000000000000006", "recipient-invalid"),
            ("message.spender", "0x5300000000000000000000000000000000000004", "recipient-invalid"),
            ("message.spender", other, "approved"), ("message.nonce", "0", "approved"),
            ("message.nonce", "-1", "number-malformed"), ("message.deadline", "1793021400", "deadline-past"),
            ("message.deadline", "1793021401", "approved"), ("message.deadline", "1793107800", "approved"),
            ("message.deadline", "1793107801", "deadline-too-far"),
            ("message.deadline", "0x10000000000000000", "deadline-too-far"),
            ("message.deadline", "0x1000000000000000000000000006adf5a4c", "deadline-too-far"),
            ("message.deadline", "1793022540000", "deadline-too-far"), ("domain.chainId", "8453", "approved"),
            ("domain.chainId", "1", "domain-chain"), ("domain.chainId", "0x10000000000002105", "domain-chain"),
            ("domain.chainId", "eip155:8453", "number-malformed"), ("domain.name", "permit2", "domain-name"),
            ("domain.name", "Permit2 ", "domain-name"), ("domain.verifyingContract", usdc, "domain-contract"),
            ("domain.verifyingContract", "0x0000000000225e31D15943971F47aD3022F714Fa", "domain-contract"),
            ("primaryType", "PermitWitnessTransferFrom", "primary-type"),
            ("primaryType", "TokenPermissions", "primary-type"),
            ("primaryType", "EIP712Domain", "primary-type"),
            ("primaryType", "TransferWithAuthorization", "types"),
        ])
    func permit(path: String, value: String, expected: String) throws {
        #expect(try code(Sample.permit, path.split(separator: ".").map(String.init), .string(value)) == expected)
    }

    @Test(
        "An authorisation's members",
        arguments: [
            ("message.value", "250001", "amount"), ("message.value", "249999", "amount"),
            ("message.value", "0x3d090", "approved"), ("message.from", other, "from"),
            ("message.to", "0x0000000000000000000000000000000000000000", "recipient-invalid"),
            ("message.to", payer, "recipient-invalid"), ("message.to", usdc, "recipient-invalid"),
            ("message.to", "0x000000000022d473030f116ddee9f6b43ac78ba3", "recipient-invalid"),
            ("message.to", "0x60a3E35Cc302bFA44Cb288Bc5a4F316Fdb1adb42", "recipient-invalid"),
            ("message.validAfter", "1793021400", "approved"), ("message.validAfter", "1793021401", "not-yet-valid"),
            ("message.validAfter", "0x10000000000000000", "not-yet-valid"),
            ("message.validBefore", "1793021400", "deadline-past"), ("message.validBefore", "1793107800", "approved"),
            ("message.validBefore", "1793107801", "deadline-too-far"),
            ("domain.name", "USD Coin ", "domain-name"), ("domain.name", "USDC", "domain-name"),
            ("domain.version", "1", "domain-name"), ("domain.version", "2 ", "domain-name"),
            ("domain.verifyingContract", other, "domain-contract"), ("domain.chainId", "10", "domain-chain"),
            ("domain.verifyingContract", "0x000000000022D473030F116dDEE9F6B43aC78BA3", "domain-contract"),
            ("message.nonce", "0x01", "number-malformed"), ("message.nonce", "1", "number-malformed"),
            ("primaryType", "ReceiveWithAuthorization", "types"),
            ("primaryType", "CancelAuthorization", "primary-type"),
        ])
    func authorization(path: String, value: String, expected: String) throws {
        #expect(try code(Sample.transfer, path.split(separator: ".").map(String.init), .string(value)) == expected)
    }

    @Test("A domain's name and version are compared only where they are certain")
    func uncertainDomain() throws {
        // Circle's dollar on Monad has two names in circulation.
        var sample = try Sample(Sample.transfer)
        let token = "0x754704Bc059F8C67012fEd69BC8A327a5aafb603"
        let account = "eip155:143:\(Self.payer)"
        sample.json["payer"] = .string(account)
        sample.json["option"]?["account"] = .string(account)
        sample.json["option"]?["amount"]?["unit"] = .string("caip19/eip155:143/erc20:\(token)")
        sample.call { $0["chain_id"] = "eip155:143" }
        for (name, version) in [("USD Coin", "2"), ("USDC", "2"), ("", "")] {
            try sample.typedData {
                $0["domain"] = [
                    "name": .string(name), "version": .string(version), "chainId": 143,
                    "verifyingContract": .string(token),
                ]
            }
            #expect(try sample.code == nil)
        }
        try sample.typedData { $0["domain"]?["version"] = 2 }
        #expect(try sample.code == "domain-name")
    }

    @Test("An unlisted token's own contract cannot be paid either")
    func unlistedToken() throws {
        let token: JSONValue = "0x3E8FAd5f27e6039b8FF9Ce425cA910DBA06AcaBc"
        #expect(try code(Sample.unlisted, ["message", "spender"], token) == "recipient-invalid")
        #expect(try code(Sample.permit, ["message", "spender"], token) == "approved")
    }

    @Test("A member that is missing, null or of another kind is refused", arguments: [Sample.permit, Sample.transfer])
    func kinds(name: String) throws {
        var paths: [[String]] = []
        var sample = try Sample(name)
        try sample.typedData { data in
            for top in ["domain", "message"] {
                for (key, value) in data[top]?.object ?? [:] {
                    paths.append([top, key])
                    for inner in value.object?.keys.sorted() ?? [] { paths.append([top, key, inner]) }
                }
            }
        }
        #expect(paths.count >= 9)
        for path in paths {
            for value in [nil, .null, true, [], [:], "", -1, "0x", ["0x1"]] as [JSONValue?] {
                #expect(try code(name, path, value) != "approved", "\(path) \(value?.text ?? "missing")")
            }
            #expect(try code(name, path.dropLast() + ["extra"], "1") != "approved", "\(path)")
        }
    }

    // MARK: Types

    @Test(
        "Types are exactly the known ones, in their order", arguments: [Sample.permit, Sample.transfer, Sample.receive])
    func types(name: String) throws {
        var sample = try Sample(name)
        var declared: [String: JSONValue] = [:]
        try sample.typedData { declared = $0["types"]?.object ?? [:] }
        for (type, fields) in declared {
            let list = try #require(fields.array)
            #expect(try code(name, ["types", type], .array(list)) == "approved")
            var lies: [[JSONValue]] = [list + [list[0]], Array(list.dropLast()), list.reversed(), []]
            for index in list.indices {
                for (member, value) in [("name", "x"), ("type", "bytes"), ("type", "uint8"), ("comment", "x")] {
                    var lie = list
                    lie[index][member] = .string(value)
                    lies.append(lie)
                }
                for member in ["name", "type"] {
                    var lie = list
                    lie[index][member] = nil
                    lies.append(lie)
                }
            }
            for lie in lies { #expect(try code(name, ["types", type], .array(lie)) == "types", "\(type)") }
            #expect(try code(name, ["types", type], [:]) == "types")
            #expect(try code(name, ["types", type], nil) == (type == "EIP712Domain" ? "approved" : "types"))
        }
        #expect(try code(name, ["types", "Extra"], []) == "types")
        #expect(try code(name, ["types", "EIP712Domain"], .null) == "types")
    }

    // MARK: The whole

    @Test("The signer is the account, in a spelling that is one")
    func signer() throws {
        for (text, expected) in [
            (Self.payer, nil), (Self.payer.lowercased(), nil), ("0x" + Self.payer.dropFirst(2).uppercased(), nil),
            ("0X" + Self.payer.dropFirst(2), "signer"), (Self.payer + " ", "signer"), (Self.other, "signer"),
            ("", "signer"), (String(Self.payer.dropLast()), "signer"), (String(Self.payer.dropFirst(2)), "signer"),
            // One capital too few.
            (Self.payer.replacing("BfA", with: "bfA"), "signer"),
        ] as [(String, String?)] {
            var sample = try Sample(Sample.permit)
            sample.parameter(0) { $0 = .string(text) }
            #expect(try sample.code == expected, "\(text)")
        }
        var sample = try Sample(Sample.permit)
        sample.parameter(0) { $0 = .null }
        #expect(try sample.code == "signer")
    }

    @Test(
        "Text that readers take differently is no typed data",
        arguments: [
            { $0 + " x" }, { $0 + $0 }, { "[\($0)]" }, { "\u{FEFF}" + $0 }, { $0 + "\u{0}" }, { String($0.dropLast()) },
            { "{\"x\":1," + $0.dropFirst() }, { "{\"domain\":{}," + $0.dropFirst() },
            { "{\"primaryType\":\"PermitTransferFrom\"," + $0.dropFirst() },
            { $0.replacing("\"spender\":", with: "\"spender\":\"0x01\",\"spender\":") },
            { $0.replacing("\"spender\":", with: "\"spende\\u0072\":\"0x01\",\"spender\":") },
            { $0.replacing("\"token\":", with: "\"token\":\"\\ud800\",\"token\":") }, { _ in "" }, { _ in "null" },
            { "\"" + $0.replacing("\"", with: "\\\"") + "\"" },
        ] as [@Sendable (String) -> String])
    func text(change: @Sendable (String) -> String) throws {
        var sample = try Sample(Sample.permit)
        sample.parameter(1) { $0 = .string(change($0.string ?? "")) }
        #expect(try sample.code == "typed-data-malformed")
    }

    @Test("Letters that Unicode calls equal, and deep nesting")
    func unicode() throws {
        // The Kelvin sign is canonically the letter K, and K with a mark is not.
        var sample = try Sample(Sample.permit)
        sample.parameter(1) {
            $0 = .string(($0.string ?? "").replacing("\"types\":{", with: "\"types\":{\"K\":[],\"\u{212A}\":[],"))
        }
        #expect(try sample.code == "typed-data-malformed")
        var deep: JSONValue = 1
        for _ in 0..<2000 { deep = [deep] }
        #expect(try code(Sample.permit, ["message", "permitted"], deep) == "message-members")
        #expect(try code(Sample.permit, ["types", "PermitTransferFrom"], deep) == "types")
        let many = Dictionary(uniqueKeysWithValues: (0..<20_000).map { ("t\($0)", JSONValue.array([])) })
        #expect(try code(Sample.permit, ["types"], .object(many)) == "types")
    }

    @Test("The digest is of the whole message", arguments: [Sample.permit, Sample.transfer])
    func digest(name: String) throws {
        let before = try Sample(name).verdict["digest"]
        for (path, value) in [
            (["message", "nonce"], "0x" + String(repeating: "ab", count: 32)),
            (
                ["message", name == Sample.permit ? "spender" : "to"],
                Self.other.replacing("1c6", with: "1c7").lowercased()
            ),
            (["message", name == Sample.permit ? "deadline" : "validBefore"], "1793022541"),
        ] {
            var sample = try Sample(name)
            try sample.typedData { Self.set(.string(value), path[...], &$0) }
            #expect(try sample.code == nil)
            #expect(try sample.verdict["digest"] != before, "\(path)")
        }
    }
}
