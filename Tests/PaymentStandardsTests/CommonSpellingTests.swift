import Foundation
import PaymentCore
import PaymentStandards
import Testing

/// Texts that people and programs write against a specification, and their readings.
@Suite("Common spellings of payment texts")
struct CommonSpellingTests {
    private static let tron = "TJRyWwFs9wTFGZg3JbrVriFbNfCug5tDeC"
    private static let bitcoin = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"
    private static let ripple = "rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY"

    private func summary(_ text: String) -> String {
        ReadText(text).instruction.map { $0.summary(at: $0.expiresAt ?? .distantPast) } ?? ""
    }

    // MARK: UPI and BezahlCode

    @Test(
        "A % without two digits is a space in a upi: link",
        arguments: [
            ("Corner%Shop", "Corner Shop", false), ("Corner%20Shop", "Corner Shop", false), ("a%", "a ", false),
            ("Corner%Abmar", "Corner Abmar", true), ("Caf%E9", "Café", true), ("Caf%C3%A9", "Café", false),
            ("A%zB%2", "A zB 2", false), ("A+B", "A B", false),
        ])
    func spaces(written: String, name: String, isGuess: Bool) {
        for key in ["pn", "tn"] {
            let read = ReadText("upi://pay?pa=shop%40kmbl&\(key)=\(written)&cu=INR&am=5")
            #expect(read.field(key) == name && read.account == "shop@kmbl" && read.money == "5.00 INR", "\(written)")
            #expect(read.warnings.contains(.irregular) == isGuess)
        }
    }

    @Test(
        "Nothing that decides about the payment is guessed",
        arguments: [
            "pa=sh%Aop@kmbl", "pa=shop@kmbl&am=%B5", "pa=shop@kmbl&tn=%E0%A4", "pa=shop%@kmbl", "pa=a@kmbl&am=5%",
        ])
    func guesses(query: String) { #expect(ReadText("upi://pay?\(query)").instruction == nil) }

    @Test("Plain spaces in a upi: link are spaces")
    func plainSpaces() {
        let read = ReadText("upi://pay?pa=paytmqr28@paytm&pn=Paytm Merchant&mc=5499&mode=02&am=2&orgid=000000")
        #expect(read.field("pn") == "Paytm Merchant" && read.money == "2.00 INR")
    }

    @Test(
        "BezahlCode in ISO-8859-1 and with a point",
        arguments: [
            ("DER%20EMPF%C4NGER", "3.49", true), ("DER%20EMPF%C4NGER", "3,49", true),
            ("DER%20EMPF%C3%84NGER", "3.49", true), ("DER%20EMPF%C3%84NGER", "3,49", false),
        ])
    func terminals(name: String, amount: String, isIrregular: Bool) {
        let read = ReadText("bank://singlepaymentsepa?name=\(name)&iban=DE33100205000001194700&amount=\(amount)")
        #expect(read.instruction?.payee?.name == "DER EMPFÄNGER" && read.money == "3.49 EUR")
        #expect(read.warnings.contains(.irregular) == isIrregular)
    }

    @Test(
        "Other amounts and encodings of a BezahlCode are refused",
        arguments: ["1.000,00", "1,000.00", "3.499", "3%C4", "3."])
    func terminalAmounts(amount: String) {
        #expect(ReadText("bank://singlepaymentsepa?name=A&iban=DE33100205000001194700&amount=\(amount)").defect != nil)
    }

    // MARK: Amounts

    @Test(
        "A comma that groups no thousands gets a note",
        arguments: [
            ("10,50", "1050", true), ("1,5", "15", true), ("0,500", "0500", true), ("1000,500", "1000500", true),
            ("1,000", "1000", false), ("1,234,567.89", "1234567.89", false), ("12", "12", false), ("1.5", "1.5", false),
            ("10,", "10", true), ("1,00,000", "100000", true), ("1.5,0", "1.50", true),
        ])
    func commas(written: String, amount: String, isOdd: Bool) {
        let text = "payto://iban/DE33100205000001194700?amount=EUR:\(written)"
        let read = ReadText(text)
        #expect(read.field("amountValue") == amount)
        #expect(read.warnings.contains(.ignoredComma) == isOdd)
        #expect(summary(text).contains("comma") == isOdd)
    }

    @Test("The unit of an amount on Tron is not sure, unless a token is named")
    func tronAmounts() {
        let open = ReadText("tron:\(Self.tron)?amount=100.00")
        #expect(open.warnings.contains(.unitNotSure) && summary("tron:\(Self.tron)?amount=100.00").contains("USDT"))
        #expect(!ReadText("tron:\(Self.tron)").warnings.contains(.unitNotSure))
        for query in ["amount=10&token=", "token=TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t&amount=10&x="] {
            let text = "tron:\(Self.tron)?\(query)TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"
            let read = ReadText(text)
            #expect(!read.warnings.contains(.unitNotSure))
            #expect(read.field("token") == "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t" && read.field("currency") == nil)
            guard case .fixed(let money)? = read.instruction?.amount, case .asset(let asset) = money.currency else {
                Issue.record("\(String(describing: read.reading))")
                continue
            }
            #expect(KnownStandards.coin(asset)?.symbol == "USDT" && money.decimalText == "10.000000")
        }
        let other = ReadText("tron:\(Self.tron)?amount=10.123456789&token=\(Self.tron)")
        #expect(
            other.instruction?.amount
                == .uncounted(digits: "10.123456789", unit: "caip19/tron:0x2b6653dc/trc20:\(Self.tron)"))
        #expect(ReadText("tron:\(Self.tron)?amount=10&token=USDT").defect?.part == "token")
        #expect(ReadText("tron:\(Self.tron)?amount=1.1234567").defect?.part == "amount")
        #expect(ReadText("litecoin:ltc1qu5269utuq5pjsa0tafl2dhmvjhg3vwpfnualy8?amount=2&token=x").instruction == nil)
    }

    @Test("The amount of a Liquid link is of the asset that it names")
    func liquid() {
        let address =
            "lq1qqvxk052kf3qtkxmrakx50a9gc3smqad2ync54hzntjt980kfej9kkfe0247rp5h4yzmdftsahhw64uy8pzfe7cpg4fgykm7cv"
        let bitcoin = "6f0279e9ed041c3d710a9f57d0c02928416460c4b722ae3457a11eec381c526d"
        let other = String(repeating: "ab", count: 32)
        for (query, amount, isSure) in [
            (
                "amount=0.00001&assetid=\(bitcoin)",
                PaymentInstruction.Amount.uncounted(digits: "0.00001", unit: "L-BTC"), true
            ),
            ("amount=1", .uncounted(digits: "1", unit: "L-BTC"), false),
            (
                "amount=10&assetid=ce091c998b83c78bb71a632313ba3760f1763d9cfcffae02258ffa9865a37bd2",
                .uncounted(digits: "10", unit: "L-USDT"), true
            ),
            ("assetid=\(other)&amount=2", .uncounted(digits: "2", unit: "liquid:\(other)"), true),
            ("label=a", .open, true),
        ] {
            for scheme in ["liquidnetwork", "LIQUID"] {
                let read = ReadText("\(scheme):\(address)?\(query)")
                #expect(read.instruction?.amount == amount && read.account == address, "\(query)")
                #expect(read.warnings.contains(.unitNotSure) != isSure)
            }
        }
        #expect(ReadText("liquidnetwork:\(address.uppercased())").account == address)
        for text in [
            "liquidnetwork:\(address.dropLast())w", "liquidtestnet:\(address)", "liquidnetwork://\(address)",
            "liquidnetwork:\(address)?assetid=ab", "liquidnetwork:\(Self.bitcoin)", "liquidnetwork:\(address)?token=x",
            "liquidnetwork:\(address)&amount=1",
        ] { #expect(ReadText(text).defect != nil, "\(text)") }
    }

    // MARK: Reasons

    @Test("A & in place of the ? is named")
    func queryMark() {
        for text in [
            "ripple:\(Self.ripple)&dt=495", "xrpl:\(Self.ripple)&amount=1&dt=495", "\(Self.ripple)&dt=495",
            "tron:\(Self.tron)&amount=1", "litecoin:ltc1qu5269utuq5pjsa0tafl2dhmvjhg3vwpfnualy8&amount=2",
        ] { #expect(ReadText(text).defect?.advice.contains("must begin with ?") == true, "\(text)") }
    }

    @Test("Another coin's scheme behind bitcoin: is named")
    func otherCoin() {
        for scheme in ["bitcoincash", "litecoin", "BITCOINCASH"] {
            let defect = ReadText("bitcoin:\(scheme):qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a").defect
            #expect(defect?.kind == .mismatch && defect?.advice.contains("\(scheme.lowercased()):") == true)
        }
    }

    @Test("A missing scheme before an address with parameters is named")
    func missingScheme() {
        for (text, scheme) in [
            ("\(Self.bitcoin)?amount=0.07918592", "bitcoin:"), ("\(Self.bitcoin.uppercased())?amount=1", "bitcoin:"),
            ("1BoatSLRHtKNngkdXEeobR76b53LETtpyT?amount=1", "bitcoin:"), ("\(Self.tron)?amount=1", "tron:"),
            ("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed?value=1", "ethereum:"),
            ("\(Self.bitcoin)&amount=1", "bitcoin:"),
        ] { #expect(ReadText(text).defect?.advice.contains(scheme) == true, "\(text)") }
        #expect(ReadText("hello?amount=1").defect == nil)
        #expect(ReadText("\(Self.ripple)?amount=1").instruction != nil)
    }

    @Test("Slashes behind web+stellar: are named")
    func stellarSlashes() {
        #expect(ReadText("web+stellar://pay?destination=G&amount=1").defect?.advice.contains("remove the //") == true)
    }

    @Test("Slashes before a long address are left to its standard")
    func longAddresses() {
        let monero =
            "46BeWrHpwXmHDpDEUmZBWZfoQpdc6HaERCNmx1pEYL2rAcuwufPN9rXHHtyUA4QVy66qeFQkn6sfK8aHYjA3jk3o1Bv16em"
        #expect(ReadText("monero://\(monero)").reading != nil)
        #expect(ReadText("bitcoin://\(Self.bitcoin)\(Self.bitcoin)").defect?.advice.contains("remove the //") == true)
    }

    @Test("Parameters behind a second ? are shown")
    func secondMark() {
        let read = ReadText("bitcoin:\(Self.bitcoin)?label=Shop?amount=0.1").instruction
        #expect(read?.unclear == [UnreadPart(name: "amount", value: "0.1", couldChangePayment: true)])
        #expect(read?.payee?.name == "Shop?amount=0.1" && read?.amount == .open)
        for text in ["label=Shop%3Famount%3D0.1", "label=Why?", "label=a?b=c", "message=a?b"] {
            #expect(ReadText("bitcoin:\(Self.bitcoin)?\(text)").instruction?.unread.isEmpty == true, "\(text)")
        }
    }

    @Test("An address for payjoin without encryption gets a note")
    func payjoin() {
        for (url, isPlain) in [
            ("http://a.example/pj", true), ("HTTP://A.EXAMPLE", true), ("https://a.example/pj", false),
            ("http://abc.onion/pj", false), ("http://abc.onion:8080/pj", false), ("http://a.example/.onion", true),
        ] {
            let read = ReadText("bitcoin:\(Self.bitcoin)?amount=1&pj=\(url)")
            #expect(read.instruction != nil && read.warnings.contains(.unencryptedURL) == isPlain, "\(url)")
        }
    }

    @Test("The part of a unified code that cannot be read is named, with one remedy at most")
    func unreadableOffer() {
        for offer in [
            "LNO1PGRXXMMXVEJK283Q0XLXVLHEMJA6C4DQV22UAPCTQUPFHLXM9H8Z3K2E72Q4K9HCZ7VQ",
            "lno1pgrxxmmxvejk2rqzqyqpvggz0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vq",
        ] {
            let defect = ReadText("bitcoin:\(Self.bitcoin)?amount=0.00001&lno=\(offer)").defect
            #expect(defect?.part == "lno" && defect?.advice.contains("record") == true)
            #expect(defect?.advice.contains("wallet") == false)
        }
    }

    @Test("A merchant's code whose lengths or checksum are of other bytes says so")
    func merchantCodes() {
        let bytes = ReadText(
            "00020101021126330014br.gov.bcb.pix011100000000191520400005303986540550.005802BR5912Fulano Silva"
                + "6007Maceió62070503***630476F6")
        #expect(bytes.defect?.part == "object 60" && bytes.defect?.advice.contains("bytes (7)") == true)
        let latin = ReadText(
            "00020101021126330014br.gov.bcb.pix011100000000191520400005303986540550.005802BR5912Fulano Silva"
                + "6006Maceió62070503***6304F5D3")
        #expect(latin.defect?.kind == .checksum && latin.defect?.advice.contains("ISO-8859-1") == true)
        let wrong = ReadText(
            "00020101021126330014br.gov.bcb.pix011100000000191520400005303986540550.005802BR5912Fulano Silva"
                + "6006Maceió62070503***6304F5D4")
        #expect(wrong.defect?.kind == .checksum && wrong.defect?.advice.contains("ISO") == false)
    }

    @Test(
        "An address behind the name of its kind of chains alone misses the chain",
        arguments: [
            "stellar:GCALNQQBXAPZ2WIRSDDBMSTAKCUH5SG6U76YBFLQLIXJTF7FE5AX7AOO?amount=10",
            "cosmos:cosmos1depk54cuajgkzea6zpgkq36tnjwdzv4afc3d27?amount=1",
        ])
    func chains(text: String) {
        let defect = ReadText(text).defect
        #expect(defect?.part == "chain reference" && defect?.advice.contains(":CHAIN:ADDRESS") == true)
    }
}
