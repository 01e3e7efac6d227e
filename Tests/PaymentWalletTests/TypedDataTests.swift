import PaymentCore
import PaymentCrypto
import PaymentSecp256k1
import PaymentWallet
import Testing

@Suite("EIP-712 typed data")
struct TypedDataTests {
    @Test("hashes", arguments: try VectorFile("eip712").valid)
    func hashes(row: VectorFile.Row) throws {
        let data = try TypedData(parsing: row.input)
        #expect(Hex.encode(data.domainSeparator) == row.expected("domainHash"))
        #expect(Hex.encode(data.structHash) == row.expected("structHash"))
        #expect(Hex.encode(data.digest) == row.expected("digest"))
        let fromText = try TypedData(parsing: .string(row.input.text))
        #expect(fromText.digest == data.digest)

        let expect = try #require(row.json["expect"])
        if let encoded = expect["encoded"]?.string { #expect("0x" + Hex.encode(data.encodedMessage) == encoded) }
        if let type = expect["typeString"]?.string { #expect(data.encodedType(data.primaryType) == type) }
        if let signature = expect["signature"] {
            let key = try Secp256k1PrivateKey(Hex.decode(signature["privateKey"]?.string ?? "") ?? [])
            let text = "0x\(signature["r"]?.string ?? "")\(signature["s"]?.string ?? "")"
            #expect(try DevelopmentWallet(privateKey: key).signTypedData(row.input).dropLast(2) == text)
            #expect(try key.sign(digest: data.digest).recoveryID + 27 == signature["v"]?.int64.map(UInt8.init))
        }
    }

    @Test("refuses", arguments: try VectorFile("eip712").invalid)
    func refuses(row: VectorFile.Row) throws {
        let error = #expect(throws: TypedDataError.self) { try TypedData(parsing: row.input) }
        let expected: [String: (TypedDataError.Reason, String)] = [
            "primary type not declared": (.unknownType, "primaryType"),
            "unknown type": (.unknownType, "types.Mail[3]"),
            "missing field (V4: refuse undefined)": (.missing, "message.contents"),
            "address length": (.invalidAddress(.wrongLength(digits: 4)), "message.to.wallet"),
            "uint7 is no type": (.unknownType, "types.Person[2]"),
            "256 does not fit uint8": (.outOfRange, "message.from.age"),
        ]
        let (reason, path) = expected[row.json["why"]?.string ?? ""] ?? (.recursiveType, "types.A")
        #expect(error?.reason == reason)
        #expect(error?.path == path)
    }

    /// Typed data with one field `v` of `type`.
    private static func one(_ type: String, _ value: JSONValue) -> JSONValue {
        [
            "types": ["T": [["name": "v", "type": .string(type)]]], "primaryType": "T", "domain": [:],
            "message": ["v": value],
        ]
    }

    private static func word(_ type: String, _ value: JSONValue) throws -> String {
        Hex.encode(try TypedData(parsing: one(type, value)).encodedMessage.dropFirst(32))
    }

    private static func number(_ text: String) -> JSONValue { JSONNumber(text).map(JSONValue.number) ?? .null }

    private static let zeros = String(repeating: "0", count: 64)
    private static let ones = String(repeating: "f", count: 64)
    private static let top = "115792089237316195423570985008687907853269984665640564039457584007913129639935"

    /// A 32-byte word with these digits at its end, after zeros, or after ones for negative numbers, or at its start.
    private static func low(_ digits: String) -> String { zeros.dropLast(digits.count) + digits }
    private static func negative(_ digits: String) -> String { ones.dropLast(digits.count) + digits }
    private static func high(_ digits: String) -> String { digits + zeros.dropLast(digits.count) }

    /// The hash of the empty input.
    private static let nothing = "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"
    private static let lowest = "-57896044618658097711785492504343953926634992332820282019728792003956564819968"

    static let words: [(String, JSONValue, String)] = [
        ("uint8", 255, low("ff")), ("uint8", "0xFf", low("ff")), ("uint8", "0x000f", low("f")),
        ("uint8", "0xf", low("f")), ("uint8", "0015", low("f")), ("uint8", "-0", zeros), ("uint8", "0x0", zeros),
        ("uint256", .string(top), ones), ("uint256", number(top), ones), ("uint256", .string("0x" + ones), ones),
        ("int8", -1, ones), ("int8", "-0x1", ones), ("int8", -128, negative("80")), ("int8", 127, low("7f")),
        ("int16", -129, negative("ff7f")), ("int256", .string(lowest), high("8")),
        ("bool", true, low("1")), ("bool", false, zeros),
        ("bytes1", "0xab", high("ab")), ("bytes32", .string("0x" + ones), ones),
        ("bytes", "0x", nothing), ("string", "", nothing), ("uint8[]", [], nothing),
        ("address", "0xABCDEF0000000000000000000000000000000000", low("abcdef" + zeros.suffix(34))),
    ]

    @Test("encodes one value as one word", arguments: words)
    func encodesWords(type: String, value: JSONValue, word: String) throws {
        #expect(try Self.word(type, value) == word)
    }

    static let misfits: [(type: String, value: JSONValue)] = [
        ("uint8", 256), ("uint8", -1), ("uint8", "0x100"), ("int8", 128), ("int8", -129), ("int8", "0xff"),
        ("uint256", .string("0x1" + zeros)), ("uint256", .string("1" + top)), ("uint256", number("1" + top)),
        ("int256", .string(top)),
        ("int256", "-57896044618658097711785492504343953926634992332820282019728792003956564819969"),
        ("uint256", number("1.0")), ("uint256", number("1e3")), ("uint256", ""), ("uint256", "0x"), ("uint256", "-"),
        ("uint256", "+1"), ("uint256", " 1"), ("uint256", "1f"), ("uint256", "0xg"), ("uint256", true),
        ("uint256", nil), ("bool", 1), ("bool", "true"), ("bytes4", "0x112233"), ("bytes4", "0x1122334455"),
        ("bytes4", "11223344"), ("bytes", "0x123"), ("bytes", [1]), ("string", 1), ("string", nil), ("address", 1),
        ("address", "0xfb6916095ca1df60bb79Ce92ce3ea74c37c5d359"), ("uint8[]", 1), ("uint8[2]", [1]),
        ("uint8[2]", [1, 2, 3]), ("uint8[2][]", [[1]]), ("uint8[]", ["x"]),
    ]

    @Test("refuses values that do not fit", arguments: misfits)
    func refusesValues(type: String, value: JSONValue) {
        let error = #expect(throws: TypedDataError.self) { try Self.word(type, value) }
        #expect(error?.path.hasPrefix("message.v") == true)
    }

    @Test(
        "refuses types that are none",
        arguments: [
            "", "uint", "int", "byte", "uint0", "uint08", "uint7", "uint264", "bytes0", "bytes33", "bytes40",
            "bytes256", "uint8[", "uint8]",
            "uint8[]]", "uint8[0]", "uint8[01]", "uint8[-1]", "uint8[2]x", "uint8 []", "[]", "Nope", "a b", "é", "T",
            "T[]", "uint8[99999999999999999999]", "uint8" + String(repeating: "[]", count: 17),
        ])
    func refusesTypes(type: String) {
        let error = #expect(throws: TypedDataError.self) { try Self.word(type, []) }
        #expect(error?.path == (type.hasPrefix("T") ? "types.T" : "types.T[0]"))
    }

    @Test("Nested arrays hash level by level")
    func nestedArraysHashLevelByLevel() throws {
        let flat = try Self.word("uint8[2]", [1, 2])
        #expect(try Self.word("uint8[2][1]", [[1, 2]]) == Self.word("bytes", .string("0x" + flat)))
        #expect(try Self.word("uint8[][]", [[1, 2], []]) != Self.word("uint8[][]", [[1], [2]]))
    }

    @Test("A missing domain type follows the standard order")
    func aMissingDomainTypeFollowsTheStandardOrder() throws {
        var data = Self.one("bool", true)
        data["domain"] = [
            "salt": .string("0x" + Self.ones), "chainId": "0x1", "name": "n", "version": nil,
            "verifyingContract": "0x0000000000000000000000000000000000000001",
        ]
        let derived = try TypedData(parsing: data)
        let type = "EIP712Domain(string name,uint256 chainId,address verifyingContract,bytes32 salt)"
        #expect(derived.encodedType("EIP712Domain") == type)

        data["types"]?["EIP712Domain"] = [
            ["name": "name", "type": "string"], ["name": "chainId", "type": "uint256"],
            ["name": "verifyingContract", "type": "address"], ["name": "salt", "type": "bytes32"],
        ]
        #expect(try TypedData(parsing: data).domainSeparator == derived.domainSeparator)
    }

    static let brokenTypes: [(types: JSONValue, reason: TypedDataError.Reason, path: String)] = [
        (["T": [["name": "a", "type": "U"]], "U": [["name": "b", "type": "T[]"]]], .recursiveType, "types.T"),
        (["T": [["name": "a", "type": "bool"], ["name": "a", "type": "bool"]]], .duplicateField, "types.T[1]"),
        (["T": [["name": "a b", "type": "bool"]]], .invalidName, "types.T[0]"),
        (["T": [["name": "", "type": "bool"]]], .invalidName, "types.T[0]"),
        (["T": [["name": "a"]]], .expected("an object with the strings name and type"), "types.T[0]"),
        (["T": [1]], .expected("an object with the strings name and type"), "types.T[0]"),
        (["T": "bool"], .expected("an array of fields"), "types.T"),
        (["T": [], "9": []], .invalidName, "types"), (["T": [], "uint7": []], .invalidName, "types"),
        (["T": [], "address": []], .invalidName, "types"), (["T": [], "A(": []], .invalidName, "types"),
        (["T": .array(Array(repeating: 1, count: 65))], .tooLarge, "types.T"),
        ([:], .unknownType, "primaryType"),
    ]

    @Test("refuses broken declarations", arguments: brokenTypes)
    func refusesDeclarations(types: JSONValue, reason: TypedDataError.Reason, path: String) {
        var data = Self.one("bool", true)
        data["types"] = types
        let error = #expect(throws: TypedDataError.self) { try TypedData(parsing: data) }
        #expect(error?.reason == reason)
        #expect(error?.path == path)
    }

    @Test("every part is required", arguments: ["types", "primaryType", "domain", "message"])
    func parts(key: String) {
        var data = Self.one("bool", true)
        data[key] = 1
        #expect(throws: TypedDataError.self) { try TypedData(parsing: data) }
        data[key] = .some(.null)
        #expect(throws: TypedDataError.self) { try TypedData(parsing: data) }
        data[key] = Optional<JSONValue>.none
        let error = #expect(throws: TypedDataError.self) { try TypedData(parsing: data) }
        #expect(error?.reason == .missing)
        #expect(error?.path == key)
    }

    @Test("Refuses other roots and domains")
    func refusesOtherRootsAndDomains() {
        for root in ["", "{", "[]", 1, nil, "\"{}\""] as [JSONValue] {
            #expect(throws: TypedDataError.self) { try TypedData(parsing: root) }
        }
        var data = Self.one("bool", true)
        data["domain"] = ["name": "n", "hush": 1]
        let error = #expect(throws: TypedDataError.self) { try TypedData(parsing: data) }
        #expect(error?.reason == .unknownDomainField)
        #expect(error.map { "\($0)".contains("hush") } == false)
        data = Self.one("bool", true)
        data["primaryType"] = "EIP712Domain"
        #expect(throws: TypedDataError.self) { try TypedData(parsing: data) }
    }
}
