import PaymentCore
import PaymentCrypto

/// Tokens and coins of EVM chains, with the values of their issuers and the chains' lists.
enum EthereumAssets {
    struct Token: Sendable {
        let chain: Int
        let network: String
        let address: String
        let symbols: [String]
        let decimals: Int
        var domain: (name: String, version: String)?
    }

    static let tokens: [Token] = [
        Token(
            chain: 1, network: "Ethereum", address: "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48", symbols: ["USDC"],
            decimals: 6, domain: ("USD Coin", "2")),
        Token(
            chain: 8453, network: "Base", address: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", symbols: ["USDC"],
            decimals: 6, domain: ("USD Coin", "2")),
        Token(
            chain: 42220, network: "Celo", address: "0xcebA9300f2b948710d2653dD7B07f33A8B32118C", symbols: ["USDC"],
            decimals: 6, domain: ("USDC", "2")),
        Token(
            chain: 56, network: "BNB Smart Chain", address: "0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d",
            symbols: ["USDC"], decimals: 18),
        Token(
            chain: 1, network: "Ethereum", address: "0xdAC17F958D2ee523a2206206994597C13D831ec7", symbols: ["USDT"],
            decimals: 6),
        Token(
            chain: 42161, network: "Arbitrum", address: "0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9",
            symbols: ["USDT", "USDT0", "USD₮0"], decimals: 6),
        Token(
            chain: 137, network: "Polygon", address: "0x2791Bca1f2de4661ED88A30C99A7a9449Aa84174",
            symbols: ["USDC.e", "USDC"], decimals: 6),
        Token(
            chain: 8453, network: "Base", address: "0x60a3E35Cc302bFA44Cb288Bc5a4F316Fdb1adb42", symbols: ["EURC"],
            decimals: 6, domain: ("EURC", "2")),
        Token(
            chain: 42161, network: "Arbitrum", address: "0x46850aD61C2B7d64d08c9C754F45254596696984",
            symbols: ["PYUSD"], decimals: 6, domain: ("PayPal USD", "1")),
        Token(
            chain: 143, network: "Monad", address: "0x00000000eFE302BEAA2b3e6e1b18d08D69a9012a", symbols: ["AUSD"],
            decimals: 6, domain: ("Agora Dollar", "1")),
        Token(
            chain: 324, network: "zkSync Era", address: "0x1d17CBcF0D6D143135aE902365D2E5e2A16538D4",
            symbols: ["USDC"], decimals: 6),
        Token(
            chain: 534_352, network: "Scroll", address: "0x5300000000000000000000000000000000000004",
            symbols: ["WETH"], decimals: 18),
    ]

    struct Coin: Sendable {
        let chain: Int
        let network: String
        let number: Int
        let symbol: String
        /// The wrapped coin; without one there is no settlement.
        var wrapped: String?
    }

    static let coins: [Coin] = [
        Coin(
            chain: 1, network: "Ethereum", number: 60, symbol: "ETH",
            wrapped: "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2"),
        Coin(
            chain: 10, network: "Optimism", number: 60, symbol: "ETH",
            wrapped: "0x4200000000000000000000000000000000000006"),
        Coin(
            chain: 56, network: "BNB Smart Chain", number: 714, symbol: "BNB",
            wrapped: "0xbb4cdb9cbd36b01bd1cbaebf2de08d9173bc095c"),
        Coin(
            chain: 137, network: "Polygon", number: 966, symbol: "POL",
            wrapped: "0x0d500b1d8e8ef31e21c99d1db9a6444d3adf1270"),
        Coin(
            chain: 43114, network: "Avalanche", number: 9005, symbol: "AVAX",
            wrapped: "0xb31f66aa3c1e785363f0875a1b74e27b85fd66c7"),
        Coin(chain: 143, network: "Monad", number: 268_435_779, symbol: "MON"),
        Coin(chain: 42220, network: "Celo", number: 52752, symbol: "CELO"),
    ]
}

extension CaseMaker {
    mutating func ethereum(_ shape: HonestCase.Shape) -> HonestCase {
        switch shape {
        case .nativeTransfer, .settlement: coinPayment(shape)
        default: tokenPayment(shape)
        }
    }

    private mutating func address() -> EthereumAddress {
        EthereumAddress(bytes: random.bytes(20)) ?? EthereumAddress(coordinates: [])
    }

    /// One of the spellings that every wallet accepts.
    private mutating func spelling(_ address: String) -> JSONValue {
        let lower = address.lowercased()
        let upper = "0x" + lower.dropFirst(2).uppercased()
        let mixed = (try? EthereumAddress(parsing: lower))?.checksummed ?? lower
        return .string(random.pick([lower, lower, upper, mixed]))
    }

    private mutating func notation(_ amount: Amount) -> JSONValue {
        var forms: [JSONValue] = [
            .string(amount.decimalText), .string(amount.hexText),
            .string("0x" + amount.hexText.dropFirst(2).uppercased()),
            .string("0x" + Hex.encode(amount.bytes)),
        ]
        if let small = amount.uint64, small < 1 << 53 { forms.append(.number(JSONNumber(small))) }
        return random.pick(forms)
    }

    // MARK: Tokens

    private mutating func token() -> EthereumAssets.Token {
        guard random.below(4) == 0 else { return random.pick(EthereumAssets.tokens) }
        // One that no table has, sometimes on a chain that none has either.
        let (chain, network) = random.pick([(1, "Ethereum"), (8453, "Base"), (777, "eip155:777")])
        return EthereumAssets.Token(
            chain: chain, network: network, address: address().checksummed, symbols: ["ZZTOP"],
            decimals: random.below(19))
    }

    private mutating func tokenPayment(_ shape: HonestCase.Shape) -> HonestCase {
        let token = token()
        let (payer, counterpart) = (address().checksummed, address().checksummed)
        let (amount, end) = (amount(32), end())
        let permit2 = Ethereum.permit2("eip155:\(token.chain)")
        var calls: [JSONValue] = []
        if shape == .approvalAndPermit {
            let more = amount + self.amount(16)
            let isListed = token.symbols != ["ZZTOP"]
            let allowed = isListed ? random.pick([amount, more, .largest]) : amount
            let data = "0x095ea7b3" + Hex.encode(Self.word(permit2) + allowed.bytes)
            calls.append(
                sending(token.chain, from: payer, to: token.address, value: random.pick([nil, "0x0"]), data: data))
        }
        let isPermit = shape == .permit || shape == .approvalAndPermit
        let message =
            isPermit
            ? permit(token, amount, spender: counterpart, end: end, permit2: permit2)
            : authorization(shape, token, amount, from: payer, to: counterpart, end: end)
        calls.append([
            "chain_id": .string("eip155:\(token.chain)"), "method": "eth_signTypedData_v4",
            "params": [spelling(payer), random.below(2) == 0 ? message : .string(message.text)],
        ])
        return whole(
            shape, unit: "eip155:\(token.chain)/erc20:\(token.address)", account: "eip155:\(token.chain):\(payer)",
            (random.pick(token.symbols), token.decimals), amount, calls: calls,
            facts: [
                token.symbols[0], token.network, "eip155:\(token.chain)", payer, counterpart, Self.text(of: end),
                token.address,
            ])
    }

    private mutating func permit(
        _ token: EthereumAssets.Token, _ amount: Amount, spender: String, end: UInt64, permit2: String
    ) -> JSONValue {
        let nonce = Amount(word: random.bytes(32)) ?? .zero
        return typedData(
            "PermitTransferFrom",
            [
                "PermitTransferFrom": "TokenPermissions permitted,address spender,uint256 nonce,uint256 deadline",
                "TokenPermissions": "address token,uint256 amount",
                "EIP712Domain": "string name,uint256 chainId,address verifyingContract",
            ],
            domain: [
                "name": "Permit2", "chainId": notation(Amount(UInt64(token.chain))),
                "verifyingContract": spelling(permit2),
            ],
            message: [
                "permitted": ["token": spelling(token.address), "amount": notation(amount)],
                "spender": spelling(spender), "nonce": notation(nonce), "deadline": notation(Amount(end)),
            ])
    }

    private mutating func authorization(
        _ shape: HonestCase.Shape, _ token: EthereumAssets.Token, _ amount: Amount, from payer: String,
        to recipient: String, end: UInt64
    ) -> JSONValue {
        let kind = shape == .receive ? "ReceiveWithAuthorization" : "TransferWithAuthorization"
        let domain = token.domain ?? ("Some Name", "1")
        return typedData(
            kind,
            [
                kind: "address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce",
                "EIP712Domain": "string name,string version,uint256 chainId,address verifyingContract",
            ],
            domain: [
                "name": .string(domain.name), "version": .string(domain.version),
                "chainId": notation(Amount(UInt64(token.chain))), "verifyingContract": spelling(token.address),
            ],
            message: [
                "from": spelling(payer), "to": spelling(recipient), "value": notation(amount),
                "validAfter": notation(random.pick([.zero, Amount(now)])), "validBefore": notation(Amount(end)),
                "nonce": .string("0x" + Hex.encode(random.bytes(32))),
            ])
    }

    private mutating func typedData(
        _ primaryType: String, _ types: [String: String], domain: JSONValue, message: JSONValue
    ) -> JSONValue {
        let declared = types.mapValues { fields in
            JSONValue.array(
                fields.split(separator: ",").map { field in
                    let parts = field.split(separator: " ").map(String.init)
                    return ["type": .string(parts[0]), "name": .string(parts[1])]
                })
        }
        var json: JSONValue = [
            "types": .object(declared), "primaryType": .string(primaryType), "domain": domain, "message": message,
        ]
        if random.below(2) == 0 { json["types"]?["EIP712Domain"] = nil }
        return json
    }

    // MARK: Coins

    private mutating func coinPayment(_ shape: HonestCase.Shape) -> HonestCase {
        let coin = random.pick(EthereumAssets.coins.filter { shape == .nativeTransfer || $0.wrapped != nil })
        let (payer, recipient) = (address().checksummed, address().checksummed)
        let amount = amount(shape == .settlement ? 15 : 20)
        var facts = [coin.symbol, coin.network, "eip155:\(coin.chain)", payer, recipient]
        var data: String? = random.pick([nil, "0x"])
        if shape == .settlement {
            let (receiver, end) = (address().checksummed, end())
            facts += [receiver, Self.text(of: end)]
            let later = end + random.next() % 1_000_000
            let words: [[UInt8]] = [
                Self.word(recipient), Self.word(payer), Self.word(receiver), Self.word(coin.wrapped ?? ""),
                amount.bytes,
                Amount(end).bytes, Amount(later).bytes, Amount(later + random.next() % 2).bytes, Amount.zero.bytes,
                Amount.zero.bytes, Amount.zero.bytes, random.bytes(32), Self.word(address().checksummed),
                Amount(512).bytes, Amount.zero.bytes, Amount.zero.bytes, Amount(65).bytes, random.bytes(32),
                random.bytes(32), random.bytes(1) + [UInt8](repeating: 0, count: 31),
            ]
            data = "0xd3906488" + Hex.encode(words.joined())
        }
        let call = sending(coin.chain, from: payer, to: recipient, value: amount.hexText, data: data)
        return whole(
            shape, unit: "eip155:\(coin.chain)/slip44:\(coin.number)", account: "eip155:\(coin.chain):\(payer)",
            (coin.symbol, 18), amount, calls: [call], facts: facts)
    }

    private mutating func sending(
        _ chain: Int, from sender: String, to recipient: String, value: String?, data: String?
    ) -> JSONValue {
        var transaction: JSONValue = ["from": spelling(sender), "to": spelling(recipient)]
        transaction["value"] = value.map(JSONValue.string)
        transaction["data"] = data.map(JSONValue.string)
        return [
            "chain_id": .string("eip155:\(chain)"), "method": "eth_sendTransaction", "params": [transaction],
        ]
    }

    private static func word(_ address: String) -> [UInt8] {
        [UInt8](repeating: 0, count: 12) + (Hex.decode(address) ?? [])
    }
}
