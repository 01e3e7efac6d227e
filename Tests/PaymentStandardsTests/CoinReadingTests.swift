import PaymentCore
import Testing

@testable import PaymentStandards

@Suite("The common reading of coins' texts")
struct CoinReadingTests {
    private func instruction(_ text: String) throws -> PaymentInstruction {
        guard case .instruction(let instruction) = StandardsReader().read(try PaymentLink(text)) else {
            throw StandardDefect(.foreign, "text", at: 0, text)
        }
        return instruction
    }

    private static let invoice =
        "lnbc20m1pvjluezsp5zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zygspp5qqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqqqs"
        + "yqcyq5rqwzqfqypqhp58yjmdan79s6qqdhdzgynm4zwqd5d7xmw5fk98klysy043l2ahrqsfpp3qjmp7lwpagxun9pygexvgpjdc4jdj85f"
        + "r9yq20q82gphp2nflc7jtzrcazrra7wwgzxqc8u7754cdlpfrmccae92qgzqvzq2ps8pqqqqqqpqqqqq9qqqvpeuqafqxu92d8lr6fvg0r5"
        + "gv0heeeqgcrqlnm6jhphu9y00rrhy4grqszsvpcgpy9qqqqqqgqqqqq7qqzq9qrsgqdfjcdk6w3ak5pca9hwfwfh63zrrz06wwfya0ydlzp"
        + "gzxkn5xagsqz7x9j4jwe7yj7vaf2k9lqsdk45kts2fd0fkr28am0u4w95tt2nsq76cqw0"
    private static let address = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"

    @Test("Every instruction inside a bitcoin: link is read, and amounts that differ are pointed out")
    func inside() throws {
        let invoice = Self.invoice
        let same = try instruction("bitcoin:\(Self.address)?amount=0.02&lightning=\(invoice)")
        #expect(same.alternatives.map(\.standard) == ["bolt11"] && same.warnings.isEmpty)
        #expect(same.alternatives.first?.payee?.check == .signature)
        #expect(same.alternatives.first?.alternatives.map(\.standard) == ["bitcoin-address"])
        let other = try instruction("bitcoin:\(Self.address)?amount=0.021&lightning=\(invoice)")
        #expect(other.warnings == [.amountsDiffer])
        let offer = "lno1zcss9mk8y3wkklfvevcrszlmu23kfrxh49px20665dqwmn4p72pksese"
        #expect(try instruction("bitcoin:?lno=\(offer)").alternatives.map(\.standard) == ["bolt12-offer"])
        for broken in ["lightning=\(invoice.dropLast())q", "lno=\(offer)q", "creq=creqA", "lightning=lnurl1dp68gup"] {
            guard
                case .defective("bip321", _) = StandardsReader().recognize(
                    try PaymentLink("bitcoin:\(Self.address)?\(broken)"))
            else {
                Issue.record("\(broken) is taken")
                continue
            }
        }
    }

    @Test("An invoice's signature covers its amount and network")
    func forgedInvoice() throws {
        let groups = Self.invoice.split(separator: "1", maxSplits: 1)[1].dropLast(6)
        // The same data behind another amount, with a sound checksum, must fail because of its signature.
        let forged = Checksummed.bech32("lnbc25m", String(groups))
        let honest = Checksummed.bech32("lnbc20m", String(groups))
        #expect(honest == Self.invoice)
        let forgery = try Bolt11(text: forged)
        // Without a key in the invoice another payee is recovered, never the real one.
        #expect(try forgery.payee != Bolt11(text: Self.invoice).payee)
    }

    @Test("Of a token transfer the payee is paid, not the token; approvals and calls are no payments")
    func ethereum() throws {
        let token = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"
        let payee = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
        let transfer = try instruction("ethereum:\(token)@1/transfer?address=\(payee)&uint256=1.5e6")
        #expect(transfer.payee == .init(account: payee, check: .checksum) && transfer.purpose == .payment)
        #expect(
            transfer.amount == .uncounted(digits: "1500000", unit: "smallest-unit-of:caip19/eip155:1/erc20:\(token)"))
        #expect(try instruction("ethereum:\(token)@1/approve?address=\(payee)&uint256=1").purpose == .pull)
        #expect(try instruction("ethereum:\(token)/burn?uint256=1").purpose == .information)
        let ether = try instruction("ethereum:\(payee)@1?value=2.014e18")
        let two = try Money(decimal: "2.014", currency: .asset(AssetID("eip155:1/slip44:60")), exponent: 18)
        #expect(ether.amount == .fixed(two))
        #expect(try instruction("ethereum:\(payee)@11155111").warnings == [.testNetwork])
        #expect(try instruction(payee.lowercased()).warnings == [.missingChecksum])
    }

    @Test(
        "Keys and seeds are refused by name, and their text does not come back",
        arguments: [
            "snoPBrXtMeMyMHUVTgbuqAfg1SUTb", "SAV76USXIJOBMEQXPANUOQM6F5LIOTLPDIDVRJBFFE2MDJXG24TAPUU7",
            "nanoseed:19b25856e1c150ca834cffc8b59b23adbd0ec0389e58eb22b3b64768098d002b",
            "monero-wallet:46BeWrHpwXmHDpDEUmZBWZfoQpdc6HaERCNmx1pEYL2rAcuwufPN9rXHHtyUA4QVy66qeFQkn6sfK8aHYjA3jk3o1",
        ])
    func secrets(_ text: String) throws {
        let defect = try #require(StandardsReader().recognize(try PaymentLink(text)).defect, "not refused")
        #expect(defect.kind == .secret && !defect.description.contains(text.prefix(20)))
    }

    @Test("What brings money or is no payment says so")
    func purposes() throws {
        #expect(try instruction("lnurlw://example.com/x").purpose == .receipt)
        #expect(try instruction("lnurlc://example.com/x").purpose == .information)
        #expect(try instruction("web+cardano://stake?COSD").purpose == .information)
        #expect(try instruction("rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY").warnings == [.missingTag])
        let address = try instruction("someone@example.com")
        #expect(address.otherReadings == ["bip353", "e-mail"] && address.amount == .onService)
        #expect(
            try instruction("nano_1111111111111111111111111111111111111111111111111111hifc8npp").warnings.count == 1)
    }

    @Test("Case that a URI does not keep is kept where it counts, and its loss is not taken for it")
    func spelling() throws {
        let address = "TMTAD6N22HCS2LKH7677L2KFLT3PAQWY6M4JFQFXQS32ECBFC23F57RYX4"
        #expect(try instruction("algorand://\(address)").payee?.account == address)
        #expect(try instruction("algorand://\(address)/").payee?.account == address)
        #expect(throws: StandardDefect.self) { try Algorand(text: "algorand://\(address.lowercased())") }
        #expect(try instruction("rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY:123").reference == "123")
        #expect(throws: StandardDefect.self) { try CAIP(text: "EIP155:1") }
    }

    @Test("Links made from values read back as these values, and what would not is refused")
    func builders() throws {
        let account = "mvines9iiHiQTysrwkJjGf2gb9Ex9jXJX8ns3qwf2kN"
        let solana = try #require(
            SolanaPay(recipient: account, amount: "0.010", references: [account], label: "a+b & c", memo: "%20"))
        #expect(try SolanaPay(text: solana.text) == solana)
        #expect(SolanaPay(recipient: account, amount: "1e3") == nil && SolanaPay(recipient: "x") == nil)

        let stellar = "GD2FWJZFRDO6YCZV4G2JMVDFHJ2LYNYGYMBFSFYZ4MLMVJ4TBTJJIL7F"
        let pay = try #require(SEP7(destination: stellar, parameters: ["amount": "1.5", "memo": "a+b c"]))
        #expect(try SEP7(text: pay.text) == pay)
        #expect(SEP7(destination: stellar, parameters: ["amount": "1.12345678"]) == nil)
        #expect(SEP7(destination: "G", parameters: [:]) == nil)

        let zcash = "t1Wg9uPPAfwhBWeRjtDPa5ZHNzyBx9rJVKY"
        let request = try #require(ZIP321([.init(address: zcash, amount: "1.5", label: "A&B"), .init(address: zcash)]))
        #expect(try ZIP321(text: request.text) == request)
        #expect(ZIP321([.init(address: zcash, memo: [1])]) == nil && ZIP321([]) == nil)
        #expect(ZIP321([.init(address: "t1", amount: "1")]) == nil)

        let ether = try #require(EIP681(address: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", chainID: 1, wei: "7"))
        #expect(try EIP681(text: ether.text) == ether)
        #expect(EIP681(address: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD") == nil)
        #expect(EIP681(address: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", wei: "1e3") == nil)
        #expect(EIP681(address: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed/transfer") == nil)
    }
}

/// Bech32 with a sound checksum, computed here for forgeries. Source: BIP-173.
private enum Checksummed {
    private static let alphabet = Array("qpzry9x8gf2tvdw0s3jn54khce6mua7l".utf8)
    private static let generators: [UInt32] = [0x3B6A_57B2, 0x2650_8E6D, 0x1EA1_19FA, 0x3D42_33DD, 0x2A14_62B3]

    static func bech32(_ prefix: String, _ data: String) -> String {
        let groups = data.utf8.compactMap { alphabet.firstIndex(of: $0).map(UInt32.init) }
        let head = prefix.utf8.map { UInt32($0) >> 5 } + [0] + prefix.utf8.map { UInt32($0) & 31 }
        var state: UInt32 = 1
        for value in head + groups + [0, 0, 0, 0, 0, 0] {
            let top = state >> 25
            state = (state & 0x1FF_FFFF) << 5 ^ value
            for (bit, generator) in generators.enumerated() where top >> UInt32(bit) & 1 == 1 {
                state ^= generator
            }
        }
        state ^= 1
        let sum = (0..<6).map { alphabet[Int(state >> UInt32(5 * (5 - $0)) & 31)] }
        return "\(prefix)1\(data)\(String(decoding: sum, as: UTF8.self))"
    }
}
