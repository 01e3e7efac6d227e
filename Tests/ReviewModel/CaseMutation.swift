import Foundation
package import PaymentCore
package import PaymentTesting

/// Changes one part of a case: a dishonest service's changes, and values on which parsers disagree.
package struct CaseMutation {
    private var random: SplitMix64
    /// The changed case.
    package private(set) var json: JSONValue
    /// The change, for a failure's message.
    package private(set) var story = ""

    private static let words: [String] = [
        "", "0", "0x", "0x0", "0X0", "-1", "+1", "1e3", "1.0", "null", " ", "USDC", "USDT", "ETH", "Permit2",
        "\u{212A}",
        "115792089237316195423570985008687907853269984665640564039457584007913129639935",
        "115792089237316195423570985008687907853269984665640564039457584007913129639936",
        "0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff", "9007199254740992",
        "0x0000000000000000000000000000000000000000", "0x000000000022D473030F116dDEE9F6B43aC78BA3",
        "0x0000000000225e31D15943971F47aD3022F714Fa", "0xdAC17F958D2ee523a2206206994597C13D831ec7", "personal_sign",
        "eth_signTypedData", "eth_signTypedData_v4", "eth_sendTransaction", "solana_signTransaction", "eip155:1",
        "eip155:10", "PermitSingle", "PermitBatchTransferFrom", "PermitWitnessTransferFrom", "ReceiveWithAuthorization",
        "TransferWithAuthorization", "Permit", "uint160", "address", "bytes32", "0x095ea7b3", "0xd3906488",
    ]
    /// A collection, whose items a transfer of units moves; tokens of 18 and of 0 decimals that no table has; listed
    /// ones of 18, 8 and 6, and their addresses on chains where others stand there or nothing.
    private static let units = [
        "caip19/eip155:1/erc20:0xBC4CA0EdA7647A8aB7C2061c2E118A18a936f13D",
        "caip19/eip155:1/erc721:0xBC4CA0EdA7647A8aB7C2061c2E118A18a936f13D",
        "caip19/eip155:1/erc20:0xae7ab96520DE3A18E5e111B5EaAb095312D7fE84",
        "caip19/eip155:1/erc20:0x8E3A59427B1d87Db234Dd4ff63B25E4BF94672f4",
        "caip19/eip155:56/erc20:0x55d398326f99059fF775485246999027B3197955",
        "caip19/eip155:8453/erc20:0xcbB7C0000aB88B473b1f5aFd9ef808440eed33Bf",
        "caip19/eip155:10/erc20:0xcbB7C0000aB88B473b1f5aFd9ef808440eed33Bf",
        "caip19/eip155:1868/erc20:0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48",
    ]
    private static let names = [
        "data", "input", "gas", "gasPrice", "maxFeePerGas", "nonce", "chainId", "type", "authorizationList",
        "accessList",
        "from", "to", "value", "salt", "version", "witness", "amount", "token", "permitted", "id", "jsonrpc",
        "verifyingContract",
        "EIP712Domain", "message", "transaction", "transactions",
    ]
    private static let numbers = [
        "0", "-0", "1", "1e3", "1.0", "0.1", "-1", "9007199254740991", "9007199254740992", "18446744073709551616",
        "1e400",
        "36", "37", "18", "6",
    ]

    /// Changes `json` in its option or its calls, in a way that `random` chooses.
    package init(of json: JSONValue, with random: SplitMix64) {
        self.random = random
        self.json = json
        let places = Place.all(in: json).filter {
            $0.steps.count > 1 && [.key("option"), .key("calls"), .key("allow")].contains($0.steps[0])
        }
        let place = self.random.pick(places + [Place([.key("calls")])])
        guard let value = place.value(in: json) else { return }
        let new = changed(value)
        self.json = place.set(new, in: json)
        story += " at \(place.steps)"
    }

    private mutating func note(_ what: String) { story = what }

    /// The changed value, or nil to remove it.
    private mutating func changed(_ value: JSONValue) -> JSONValue? {
        switch random.below(12) {
        case 0:
            note("removed")
            return nil
        case 1:
            note("replaced by another kind")
            return random.pick([.null, true, [], [:], [value], ["value": value], .string(value.text)])
        default: break
        }
        switch value {
        case .string(let text): return string(text)
        case .number(let number): return self.number(number)
        case .array(let elements): return array(elements)
        case .object(let members): return object(members)
        case .null, .bool: return .string(random.pick(Self.words))
        }
    }

    // MARK: Containers

    private mutating func array(_ elements: [JSONValue]) -> JSONValue {
        var elements = elements
        let index = random.below(elements.count + 1)
        switch random.below(4) {
        case 0 where !elements.isEmpty:
            note("element doubled")
            elements.insert(random.pick(elements), at: index)
        case 1 where elements.count > 1:
            note("elements swapped")
            elements.swapAt(index % elements.count, random.below(elements.count))
        case 2 where !elements.isEmpty:
            note("element removed")
            elements.remove(at: index % elements.count)
        default:
            note("element added")
            elements.insert(random.pick([.null, [:], "latest", .string(random.pick(Self.words))]), at: index)
        }
        return .array(elements)
    }

    private mutating func object(_ members: [String: JSONValue]) -> JSONValue {
        var members = members
        let keys = members.keys.sorted()
        switch random.below(4) {
        case 0 where !keys.isEmpty:
            note("member renamed")
            let key = random.pick(keys)
            let value = members.removeValue(forKey: key)
            members[renamed(key)] = value
        case 1 where keys.count > 1:
            note("members exchanged")
            let (one, other) = (random.pick(keys), random.pick(keys))
            (members[one], members[other]) = (members[other], members[one])
        default:
            note("member added")
            let extra = random.pick(Self.names + keys.map { $0 + " " } + keys.map { $0 + "\u{301}" })
            members[extra] = random.pick(
                [.string(random.pick(Self.words)), .null, []] + keys.compactMap { members[$0] })
        }
        return .object(members)
    }

    private mutating func renamed(_ key: String) -> String {
        random.pick([
            key.uppercased(), key.lowercased(), key + " ", "\u{FEFF}" + key, key + "\u{301}", random.pick(Self.names),
        ])
    }

    // MARK: Scalars

    private mutating func number(_ number: JSONNumber) -> JSONValue {
        note("another number")
        if let whole = number.int64, random.below(2) == 0 {
            return .number(JSONNumber(whole &+ Int64(random.pick([-86_400, -1, 1, 86_400]))))
        }
        let forms = ["\(number)e0", "\(number).0", "-\(number)"] + Self.numbers
        return JSONNumber(random.pick(forms)).map(JSONValue.number) ?? .string(number.text)
    }

    private mutating func string(_ text: String) -> JSONValue {
        if text.utf8.count > 100, text.hasPrefix("0x"), random.below(4) > 0 { return .string(calldata(text)) }
        if text.utf8.count > 100, let bytes = Data(base64Encoded: text), random.below(6) > 0 {
            return .string(transaction([UInt8](bytes)))
        }
        if text.utf8.first == UInt8(ascii: "{"), random.below(2) == 0 { return .string(jsonText(text)) }
        return .string(characters(text))
    }

    private mutating func characters(_ text: String) -> String {
        if text.hasPrefix("caip19/"), random.below(8) == 0 {
            note("another token")
            return random.pick(Self.units)
        }
        var scalars = Array(text.unicodeScalars)
        let index = random.below(max(scalars.count, 1))
        switch random.below(10) {
        case 9 where text.contains("K"):
            note("a letter that Unicode calls equal")
            return text.replacing("K", with: "\u{212A}")
        case 0 where !scalars.isEmpty:
            note("case of a letter")
            let letter = String(scalars[index])
            scalars[index] =
                (letter == letter.lowercased() ? letter.uppercased() : letter.lowercased()).unicodeScalars.first ?? "x"
        case 1:
            note("all in lower case")
            return text.lowercased()
        case 2:
            note("all in upper case")
            return text.hasPrefix("0x") && random.below(2) == 0
                ? "0x" + text.dropFirst(2).uppercased() : text.uppercased()
        case 3, 4:
            note("a character")
            if !scalars.isEmpty {
                scalars[index] = random.pick(Array("0123456789abcdefABCDEF :/.-\u{0}\u{1FEF}\u{212A}".unicodeScalars))
            }
        case 5:
            note("a character more")
            scalars.insert(
                random.pick(Array("0 1ax\u{301}\u{200B}\u{202E}\n\u{0}".unicodeScalars)),
                at: random.below(scalars.count + 1))
        case 6 where !scalars.isEmpty:
            note("a character less")
            scalars.remove(at: index)
        case 7:
            note("another notation")
            if let number = Amount(anyNotation: text) {
                return random.pick([
                    number.decimalText, number.hexText, "0" + number.decimalText, "0x00" + number.hexText.dropFirst(2),
                ])
            }
        default:
            note("another word")
            return random.pick(Self.words)
        }
        return String(String.UnicodeScalarView(scalars))
    }

    /// JSON that readers interpret differently.
    private mutating func jsonText(_ text: String) -> String {
        note("JSON's text")
        let extra = random.pick([
            #""message":{},"#, #""primaryType":"Permit","#, #""domain":{},"#, #""x":1,"#, #""primaryType":"Permit","#,
        ])
        return random.pick([
            "{" + extra + text.dropFirst(), text.dropLast() + "," + extra.dropLast() + "}", " " + text + "\n",
            text + text,
            "\u{FEFF}" + text, text + "\u{0}", text.replacing("\"token\"", with: #""token":"0x","token""#),
            text.replacing("\"amount\"", with: #""amoun\u0074""#), "[" + text + "]", String(text.dropLast()),
        ])
    }

    private mutating func calldata(_ text: String) -> String {
        var bytes = Hex.decode(text) ?? []
        guard !bytes.isEmpty else { return text }
        switch random.below(6) {
        case 0:
            note("a byte of calldata less")
            bytes.removeLast()
        case 1:
            note("bytes of calldata more")
            bytes += [UInt8](repeating: 0, count: random.pick([1, 32]))
        case 2:
            note("a word of calldata")
            let word = random.below(max((bytes.count - 4) / 32, 1))
            for index in 0..<min(32, bytes.count - 4) { bytes[4 + word * 32 + index] = 0xFF }
        default:
            note("a byte of calldata")
            let index = random.below(random.pick([bytes.count, min(bytes.count, 4)]))
            bytes[index] = random.pick([bytes[index] ^ 1, 0, 0xFF, UInt8(truncatingIfNeeded: random.next())])
        }
        return "0x" + Hex.encode(bytes)
    }

    private mutating func transaction(_ bytes: [UInt8]) -> String {
        var bytes = bytes
        switch random.below(8) {
        case 0:
            note("another way to write base64")
            return base64(bytes)
        case 1: changeBytes(&bytes)
        default:
            guard let layout = SolanaLayout(bytes), !layout.instructions.isEmpty else {
                changeBytes(&bytes)
                break
            }
            changeParts(&bytes, layout)
        }
        return Data(bytes).base64EncodedString()
    }

    private mutating func base64(_ bytes: [UInt8]) -> String {
        let text = Data(bytes).base64EncodedString()
        return random.pick([
            text + "=", text.replacing("=", with: ""), text.replacing("+", with: "-").replacing("/", with: "_"),
            text + "\n", " " + text, text + text, text.replacing("=", with: "B="), text + "AA==",
        ])
    }

    private mutating func changeBytes(_ bytes: inout [UInt8]) {
        let index = random.below(bytes.count)
        switch random.below(4) {
        case 0:
            note("a byte of the transaction less")
            bytes.remove(at: index)
        case 1:
            note("a byte of the transaction more")
            bytes.insert(random.pick([0, 1, 0x80, 0xFF]), at: random.pick([index, bytes.count]))
        default:
            note("a byte of the transaction")
            bytes[index] = otherByte(bytes[index])
        }
    }

    private mutating func otherByte(_ byte: UInt8) -> UInt8 {
        random.pick([byte ^ 1, byte &+ 1, byte &- 1, byte ^ 0x80, 0, UInt8(truncatingIfNeeded: random.next())])
    }

    /// Changes a transaction that remains readable.
    private mutating func changeParts(_ bytes: inout [UInt8], _ layout: SolanaLayout) {
        let index = random.below(layout.instructions.count)
        let range = layout.instructions[index]
        let (accounts, data) = layout.parts(range, of: bytes)
        let end = layout.instructions.last?.upperBound ?? range.upperBound
        switch random.below(9) {
        case 0:
            note("an instruction doubled")
            bytes.insert(contentsOf: Array(bytes[range]), at: random.pick([end, layout.count + 1]))
            bytes[layout.count] += 1
        case 1:
            note("an instruction less")
            bytes.removeSubrange(range)
            bytes[layout.count] -= 1
        case 2:
            note("the first instruction last")
            let first = layout.instructions[0]
            bytes.insert(contentsOf: Array(bytes[first]), at: end)
            bytes.removeSubrange(first)
        case 3:
            note("another program")
            bytes[range.lowerBound] = UInt8(random.below(layout.keyCount))
        case 4,
            5 where !accounts.isEmpty:
            note("another account")
            if !accounts.isEmpty {
                bytes[accounts.lowerBound + random.below(accounts.count)] = UInt8(random.below(layout.keyCount))
            }
        case 6 where !data.isEmpty:
            note("another byte of data")
            let place = data.lowerBound + random.below(random.pick([1, data.count]))
            bytes[place] = otherByte(bytes[place])
        case 7:
            note("another header")
            bytes[layout.header + random.below(3)] = UInt8(random.below(4))
        default:
            note("keys exchanged")
            let (one, other) = (random.below(layout.keyCount), random.below(layout.keyCount))
            for offset in 0..<32 { bytes.swapAt(layout.keys + 32 * one + offset, layout.keys + 32 * other + offset) }
        }
    }
}
