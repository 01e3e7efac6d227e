import PaymentCore
import PaymentSettlement
import PaymentStandards
import Testing

@testable import PaykitProvider

/// Receivers, identifiers and payloads of generation 3 (Protocol 11.1 to 11.3).
@Suite("Paykit's endpoints of generation 3")
struct EndpointTests {
    @Test(
        "Receivers are an app and what it is",
        arguments: [
            ("bitkit/wallet", true), ("bitkit/server", true), ("paykit-server/server", true),
            ("tether-wallet/wallet", true),
            ("", false), ("bitkit", false), ("bitkit/", false), ("/wallet", false), ("bitkit/ios", false),
            ("bitkit/wallet/extra", false), ("Bitkit/wallet", false), ("bitkit_wallet/wallet", false),
            ("bitkit/Wallet", false), ("private/wallet", false), ("bitkit/wallet/", false), ("../wallet", false),
        ])
    func receivers(_ text: String, _ isOne: Bool) {
        let receiver = PaykitReceiverPath(text)
        #expect((receiver != nil) == isOne)
        #expect(receiver.map(\.text) == (isOne ? text : nil))
        #expect(PaykitReceiverPath(String(repeating: "a", count: 64) + "/wallet") != nil)
        #expect(PaykitReceiverPath(String(repeating: "a", count: 65) + "/wallet") == nil)
    }

    @Test("A receiver needs what wallets ask for")
    func capabilities() {
        #expect(
            PaykitReceiverPath("bitkit/wallet")?.capabilities.map(\.text) == [
                "/pub/paykit/v0/bitkit/wallet/:rw", "/pub/paykit/v0/private/bitkit/wallet/:rw",
            ])
    }

    @Test(
        "Identifiers by the convention have three parts",
        arguments: [
            ("btc-bitcoin-p2tr", true), ("btc-lightning-bolt11", true), ("btc-lightning-bolt12", true),
            ("usdt-ethereum-address", true), ("usdt-tron-address", true), ("usdc-solana-address", true),
            ("usd-revolut-tag", true), ("eur-sepa-iban", true), ("gbp-fps-sortcode", true), ("Btc-bitcoin-p2tr", false),
            ("usdt-ethereum", false), ("gbp-faster-payments-sortcode", false), ("usd-revolut-pay_link", false),
            ("-btc-bitcoin-p2tr", false), ("btc--p2tr", false),
        ])
    func convention(_ text: String, _ follows: Bool) {
        #expect((PaykitIdentifier(text)?.parts != nil) == follows)
        // The apps' library accepts all of them.
        #expect(PaykitIdentifier(text)?.text == text)
    }

    @Test(
        "What no library takes is no identifier",
        arguments: ["", ".", "..", "private", "encrypted-link-recovery", "a/b", "a b", "ä", "a%2Fb"])
    func notIdentifiers(_ text: String) {
        #expect(PaykitIdentifier(text) == nil)
        #expect(PaykitIdentifier(String(repeating: "a", count: 64)) != nil)
        #expect(PaykitIdentifier(String(repeating: "a", count: 65)) == nil)
        #expect(PaykitIdentifier("A.b_c-1") != nil)
    }

    @Test("Wallets know eighteen, in their order")
    func known() {
        #expect(PaykitIdentifier.known.count == 18)
        #expect(
            PaykitIdentifier.known.prefix(7) == [
                "btc-lightning-bolt11", "btc-lightning-lnurl", "btc-bitcoin-p2tr", "btc-testnet-p2tr",
                "btc-signet-p2tr",
                "btc-regtest-p2tr", "btc-bitcoin-p2wpkh",
            ])
        #expect(PaykitIdentifier.known.allSatisfy { PaykitIdentifier($0)?.formerName != nil })
        #expect(PaykitIdentifier("btc-lightning-bolt12")?.formerName == "lightning")
        #expect(PaykitIdentifier("usdt-ethereum-address")?.formerName == nil)
        #expect(PaykitIdentifier("btc-liquid-address")?.formerName == nil)
    }

    @Test(
        "A text to be paid in bitcoin is called by its form",
        arguments: [
            ("lnbc21u1p", "btc-lightning-bolt11"), ("LNBCRT1", "btc-lightning-bolt11"),
            ("lntbs1x", "btc-lightning-bolt11"),
            ("lno1abc", "btc-lightning-bolt12"), ("lnurl1dp68", "btc-lightning-lnurl"),
            ("mina@pay.example", "btc-lightning-lnurl"),
            ("bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq", "btc-bitcoin-p2wpkh"),
            ("BC1QAR0SRRR7XFKVY5L643LYDNW9RE59GTZZWF5MDQ", "btc-bitcoin-p2wpkh"),
            ("bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr", "btc-bitcoin-p2tr"),
            ("tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx", "btc-testnet-p2wpkh"),
            ("bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080", "btc-regtest-p2wpkh"),
            ("1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", "btc-bitcoin-p2pkh"),
            ("3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy", "btc-bitcoin-p2sh"),
            ("mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn", "btc-testnet-p2pkh"),
            ("2MzQwSSnBHWHqSAqtTVQ6v47XtaisrJa1Vc", "btc-testnet-p2sh"),
            ("bc1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qccfmv3", nil), ("hello", nil), ("", nil),
            ("a@b", nil), ("https://a@b.example", nil), ("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", nil),
        ] as [(String, String?)])
    func forms(_ text: String, _ identifier: String?) {
        #expect(PaykitIdentifier.candidates(for: text).first == identifier)
    }

    @Test("A value that cannot be what its identifier says is not offered under it")
    func mismatches() throws {
        func allows(_ identifier: String, _ value: String) throws -> Bool {
            try #require(PaykitIdentifier(identifier)).allows(value)
        }
        let address = "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq"
        #expect(try allows("btc-bitcoin-p2wpkh", address))
        for other in ["btc-testnet-p2wpkh", "btc-bitcoin-p2tr", "btc-lightning-bolt11", "btc-bitcoin-p2sh"] {
            #expect(try !allows(other, address))
        }
        let trial = "tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx"
        #expect(try allows("btc-signet-p2wpkh", trial))
        #expect(try allows("btc-testnet-p2wpkh", trial))
        // An unknown identifier is not judged.
        #expect(try allows("eur-sepa-iban", "anything"))
        #expect(try allows("btc-lightning-bolt12", "anything"))
    }

    @Test("An address of another chain or form than its identifier says is never paid")
    func misnamed() {
        func offers(_ identifier: String) -> [SettlementOffer] {
            let endpoint = PaykitEndpoint(
                methodID: identifier, endpoint: "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq")
            return EndpointOffers.offers(of: endpoint, StandardsReader())
        }
        #expect(offers("btc-bitcoin-p2wpkh").count == 1)
        for other in ["btc-testnet-p2wpkh", "btc-bitcoin-p2tr", "btc-bitcoin-p2sh"] { #expect(offers(other).isEmpty) }
    }

    @Test(
        "A payload is JSON with a value; what else is in it means nothing",
        arguments: [
            (#"{"value":"x"}"#, "x"), (#"{"value":" x \n"}"#, "x"),
            (#"{"value":"x","min":"0.1","max":"1","memo":7}"#, "x"),
            (#"{"value":"x","min":null}"#, "x"), (#"{"value":""}"#, nil), (#"{"value":" "}"#, nil),
            (#"{"value":1}"#, nil),
            ("{}", nil), ("", nil), ("lnbc1", nil), (#""x""#, nil), (#"["x"]"#, nil),
            (#"{"value":"x","min":"-1"}"#, nil),
            (#"{"value":"x","max":1}"#, nil), (#"{"value":"x","value":"y"}"#, nil), (#"{"value":"x"}{}"#, nil),
        ] as [(String, String?)])
    func payloads(_ text: String, _ value: String?) throws {
        let payload = EndpointPayload(Array(text.utf8))
        #expect(payload?.value == value)
        if let payload { #expect(EndpointPayload(payload.bytes) == payload) }
        #expect(EndpointPayload([0xFF]) == nil)
        #expect(EndpointPayload([UInt8](repeating: 0x20, count: 65_537)) == nil)
        #expect(EndpointPayload(String(repeating: "x", count: 8193)) == nil)
        let written = try #require(EndpointPayload("x\"", least: "1"))
        #expect(String(decoding: written.bytes, as: UTF8.self) == #"{"value":"x\"","min":"1"}"#)
    }

    @Test("One list shows the forms in which a user publishes")
    func survey() {
        let survey = ReceiverDirectory.Survey([
            "bitkit/", "aaa/", "private/", "apps/", "shared-state-writes/", "encrypted-link-recovery/", "Odd App/",
            "btc-lightning-bolt11", "app-registry.json", "shared-state.bin", "notes",
        ])
        #expect(survey.apps == ["aaa", "bitkit"] && survey.isLater)
        #expect(survey.flat.map(\.text) == ["btc-lightning-bolt11"])
        #expect(!ReceiverDirectory.Survey(["bitkit/"]).isLater)
    }
}
