import PaymentCore
import PaymentCrypto
import PaymentSecp256k1
import PaymentWallet
import Testing

@Suite("Development wallet")
struct DevelopmentWalletTests {
    let wallet: DevelopmentWallet
    let account: JSONValue

    /// The wallet of private key 1.
    init() throws {
        wallet = DevelopmentWallet(privateKey: try Secp256k1PrivateKey([UInt8](repeating: 0, count: 31) + [1]))
        account = .string(wallet.address.checksummed)
    }

    @Test("answers payment requests", arguments: try VectorFile("walletconnect-pay-signing").valid)
    func answers(row: VectorFile.Row) throws {
        let method = row.input("method")
        let digest: [UInt8]
        let messages: [JSONValue]
        if let typedData = row.input["typedData"] {
            let data = try TypedData(parsing: typedData)
            #expect(Hex.encode(data.domainSeparator) == row.expected("domainSeparator"))
            #expect(Hex.encode(data.structHash) == row.expected("structHash"))
            digest = data.digest
            messages = [typedData]
        } else {
            digest = EIP191.personalSignDigest(row.input("message").utf8)
            messages = [.string(row.input("message")), .string(row.input("messageHex"))]
        }
        #expect(Hex.encode(digest) == row.expected("digest"))
        for message in messages {
            let params: JSONValue = method == "personal_sign" ? [message, account] : [account, message]
            #expect(try wallet.respond(method: method, params: params) == row.expected("signature"))
        }
        let signer = try DevelopmentWallet.recoverSigner(digest: digest, signatureHex: row.expected("signature"))
        #expect(signer == wallet.address)
    }

    @Test("personal messages", arguments: try VectorFile("eip191").valid)
    func personalMessages(row: VectorFile.Row) throws {
        let message = row.inputBytes("messageHex")
        let signer = DevelopmentWallet(privateKey: try Secp256k1PrivateKey(row.inputBytes("privateKey")))
        #expect(signer.address.checksummed == row.expected("address"))
        #expect(Hex.encode(EIP191.personalSignDigest(message)) == row.expected("digest"))
        #expect(try signer.personalSign(message) == row.expected("signature"))
        let recovered = try DevelopmentWallet.recoverSigner(
            digest: EIP191.personalSignDigest(message), signatureHex: row.expected("signature"))
        #expect(recovered == signer.address)
    }

    @Test("personal signatures that are none", arguments: try VectorFile("eip191").invalid)
    func wrongPersonalSignatures(row: VectorFile.Row) throws {
        let digest = EIP191.personalSignDigest(row.inputBytes("messageHex"))
        let recover = {
            try DevelopmentWallet.recoverSigner(digest: digest, signatureHex: row.input("signature"))
        }
        switch row.json["class"]?.string {
        case "v": #expect(throws: WalletError.invalidRecoveryByte) { try recover() }
        case "length": #expect(throws: WalletError.malformedSignature) { try recover() }
        default: #expect(try recover() != EthereumAddress(parsing: row.input("address")))
        }
    }

    static let typedData: JSONValue = [
        "types": ["T": [["name": "v", "type": "bool"]]], "primaryType": "T", "domain": ["name": "n"],
        "message": ["v": true],
    ]

    @Test("Aliases and address case")
    func aliasesAndAddressCase() throws {
        let expected = try wallet.signTypedData(Self.typedData)
        for method in ["eth_signTypedData", "eth_signTypedData_v3", "eth_signTypedData_v4"] {
            for address in [wallet.address.checksummed, wallet.address.checksummed.lowercased()] {
                let params: JSONValue = [.string(address), Self.typedData]
                #expect(try wallet.respond(method: method, params: params) == expected)
            }
        }
    }

    @Test(
        "unknown methods are named",
        arguments: ["eth_sendTransaction", "eth_sign", "solana_signTransaction", "", "ETH_SIGNTYPEDDATA_V4"])
    func unknownMethods(method: String) {
        #expect(throws: WalletError.unsupportedMethod(method)) {
            try wallet.respond(method: method, params: [account, Self.typedData])
        }
    }

    @Test("Refuses other accounts")
    func refusesOtherAccounts() {
        let other: JSONValue = "0x2B5AD5c4795c026514f8317c7a215E218DcCD6cF"
        for (method, params) in [
            ("eth_signTypedData_v4", [other, Self.typedData]), ("personal_sign", ["hello", other]),
            ("personal_sign", [account, "hello"]),
        ] as [(String, JSONValue)] {
            #expect(throws: WalletError.otherAccount) { try wallet.respond(method: method, params: params) }
        }
    }

    @Test("Refuses malformed parameters")
    func refusesMalformedParameters() {
        for params in [nil, [], [account], [account, Self.typedData, 1], ["a": 1], [1, Self.typedData]] as [JSONValue] {
            let error = #expect(throws: WalletError.self) {
                try wallet.respond(method: "eth_signTypedData_v4", params: params)
            }
            #expect(error == .invalidParameters("[address, typed data]"))
        }
        for params in [nil, ["x"], [1, account], ["0xabc", account]] as [JSONValue] {
            let error = #expect(throws: WalletError.self) {
                try wallet.respond(method: "personal_sign", params: params)
            }
            guard case .invalidParameters = error else {
                Issue.record("expected invalidParameters")
                continue
            }
        }
        let error = #expect(throws: WalletError.self) {
            try wallet.respond(method: "eth_signTypedData_v4", params: [account, "{"])
        }
        guard case .typedData(let reason) = error, case .invalidJSON = reason.reason else {
            Issue.record("expected invalidJSON")
            return
        }
    }

    @Test("Text that only looks hexadecimal is text")
    func textThatOnlyLooksHexadecimalIsText() throws {
        #expect(
            try wallet.respond(method: "personal_sign", params: ["0xyz", account]) == wallet.personalSign("0xyz".utf8))
        #expect(try wallet.respond(method: "personal_sign", params: ["0x", account]) == wallet.personalSign([]))
    }

    @Test("Seeds make stable accounts")
    func seedsMakeStableAccounts() {
        // Computed by an independent implementation.
        #expect(DevelopmentWallet(seed: 0).address.checksummed == "0x8E0b0b92864CCDFEA0b2d30a2f55b6B2fb1B16A2")
        #expect(DevelopmentWallet(seed: 1).address.checksummed == "0x63F0a83b9c5AbDF661cB1aBBb4d6cA58e1403c7C")
    }

    @Test("The key never prints")
    func theKeyNeverPrints() {
        var printed = "\(wallet) \(String(reflecting: wallet))"
        dump(wallet, to: &printed)
        #expect(printed.contains("<private key>"))
        #expect(!printed.contains("0001"))
    }

    @Test("Recovery refuses malformed signatures")
    func recoveryRefusesMalformedSignatures() throws {
        let digest = [UInt8](repeating: 1, count: 32)
        let good = try wallet.sign(digest: digest)
        let digits = good.dropFirst(2)
        for text in ["", "0x", String(digits), "0x" + digits.dropLast(1), good + "00", "0x" + digits.dropLast(1) + "g"]
        {
            #expect(throws: WalletError.malformedSignature) {
                try DevelopmentWallet.recoverSigner(digest: digest, signatureHex: text)
            }
        }
        for v in ["00", "01", "1a", "1d", "ff"] {
            #expect(throws: WalletError.invalidRecoveryByte) {
                try DevelopmentWallet.recoverSigner(digest: digest, signatureHex: good.dropLast(2) + v)
            }
        }
        let highS = good.prefix(66) + String(repeating: "f", count: 31) + "e" + String(repeating: "0", count: 32) + "1b"
        #expect(throws: WalletError.invalidSignature(.highS)) {
            try DevelopmentWallet.recoverSigner(digest: digest, signatureHex: String(highS))
        }
        #expect(throws: WalletError.invalidSignature(.invalidDigest)) {
            try DevelopmentWallet.recoverSigner(digest: [], signatureHex: good)
        }
        #expect(throws: WalletError.invalidSignature(.invalidDigest)) { try wallet.sign(digest: [1]) }
    }
}
