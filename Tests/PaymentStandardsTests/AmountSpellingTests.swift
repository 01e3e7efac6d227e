import PaymentCore
import PaymentStandards
import Testing

/// The spellings of amounts in each standard.
@Suite("Spellings of amounts")
struct AmountSpellingTests {
    private static let spellings = ["0.1", "1e-8", "00.10", "٣", "１", "+1", "1,5"]

    /// A text with `{}` for the amount, its field, and those of ``spellings`` that are amounts, with their values; all
    /// others must be refused.
    struct Case: Sendable, CustomTestStringConvertible {
        let text: String
        let field: String
        let amounts: [String: String]

        init(_ text: String, _ field: String, _ amounts: [String: String]) {
            (self.text, self.field, self.amounts) = (text, field, amounts)
        }

        var testDescription: String { text }
    }

    private static let bech32 = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"
    private static let points = ["0.1": "0.1", "00.10": "00.10"]
    private static let cases: [Case] = [
        // Digits and a point, leading zeros too.
        Case("bitcoin:\(bech32)?amount={}", "amount", points),
        Case("solana:11111111111111111111111111111111?amount={}", "amount", points),
        Case("web+cardano:addr1vx2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzers66hrl8?amount={}", "amount", points),
        Case("xrpl:rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY?amount={}", "amount", points),
        Case(
            "zcash:ztestsapling10yy2ex5dcqkclhc7z7yrnjq2z6feyjad56ptwlfgmy77dmaqqrl9gyhprdx59qgmsnyfska2kez?amount={}",
            "", ["0.1": "0.1", "00.10": "0.1"]),
        // RFC 8905 ignores commas everywhere.
        Case("payto://void/x?amount=EUR:{}", "amountValue", points.merging(["1,5": "15"]) { $1 }),
        Case("BCD\n002\n1\nSCT\n\nA\nDE75512108001245126199\nEUR{}", "amount", points),
        Case("SPD*1.0*ACC:CZ5855000000001265098001*AM:{}*CC:CZK", "amount", points),
        Case("upi://pay?pa=shop@okbank&am={}", "am", points),
        Case("https://paypal.me/alice/{}EUR", "amount", points.merging(["1,5": "1.5"]) { $1 }),
        // A comma, and no point.
        Case("C1231231230;{};;0", "amount", ["1,5": "1.5"]),
        // A comma; banks' terminals write a point.
        Case(
            "bank://singlepaymentsepa?name=A&iban=DE33100205000001194700&bic=BFSWDE33BER&amount={}", "amount",
            points.merging(["1,5": "1.5"]) { $1 }),
        // Whole numbers of the smallest unit; ERC-681 alone allows a plus sign and exponents.
        Case("ethereum:0x0000000000000000000000000000000000000001?value={}", "value", ["+1": "1"]),
        Case("litecoin:ltc1qu5269utuq5pjsa0tafl2dhmvjhg3vwpfnualy8?amount={}", "amount", points),
        Case(
            "monero:46BeWrHpwXmHDpDEUmZBWZfoQpdc6HaERCNmx1pEYL2rAcuwufPN9rXHHtyUA4QVy66qeFQkn6sfK8aHYjA3jk3o1Bv16em"
                + "?tx_amount={}", "amount", points),
        // SEP-7's query has the form encoding, in which a plus is a space.
        Case(
            "web+stellar:pay?destination=GCALNQQBXAPZ2WIRSDDBMSTAKCUH5SG6U76YBFLQLIXJTF7FE5AX7AOO&amount={}", "amount",
            points),
        // Two decimals, no needless zero.
        Case(
            "SPC\n0200\n1\nCH5800791123000889012\nS\nA\n\n\n2501\nBiel\nCH\n\n\n\n\n\n\n\n{}\nCHF\n\n\n\n\n\n\n\nNON\n\n\nEPD",
            "amount", [:]),
        // Serbia's comma is a point elsewhere; Hungary uses whole forints.
        Case("K:PR|V:01|C:1|R:160000000123456729|N:A|I:RSD{}|SF:221|S:B", "amount", ["1,5": "1.5"]),
        Case(
            "HCT\n001\n1\nOTPVHUHB\nA\nHU42117730161111101800000000\nHUF{}\n20301231235959+1\n\n\n\n\n\n\n\n\n\n",
            "amount", [:]),
        Case(
            "sui:pay?receiver=0x0000000000000000000000000000000000000000000000000000000000000001&amount={}"
                + "&coinType=0x2::sui::SUI&nonce=n", "amount", [:]),
        Case("https://wise.com/pay/business/a?amount={}&currency=EUR", "amount", points),
        Case("https://venmo.com/bob?txn=pay&amount={}", "amount", points),
        Case("https://cash.app/$bob/{}", "amount", points),
        Case("algorand://TMTAD6N22HCS2LKH7677L2KFLT3PAQWY6M4JFQFXQS32ECBFC23F57RYX4?amount={}", "amount", [:]),
        Case("nano:nano_185iq85aigxrj9stipx4sx6zeixmzx6gxdu7qif4z7x9xokbaxdxo3os5cq7?amount={}", "amountRaw", [:]),
        Case("ton://transfer/EQAs9VlT6S776tq3unJcP5Ogsj-ELLunLXuOb1EKcOQi4wJB?amount={}", "amountNano", [:]),
    ]

    @Test("Only what the standard writes so is an amount", arguments: cases)
    func spelling(item: Case) throws {
        for spelling in Self.spellings {
            let text = item.text.replacing("{}", with: spelling)
            guard let link = try? PaymentLink(text) else {
                #expect(item.amounts[spelling] == nil, "\(text) is no link")
                continue
            }
            let recognition = StandardsReader().recognize(link)
            guard let expected = item.amounts[spelling] else {
                let defect = try #require(recognition.defect, "\(text): \(recognition)")
                #expect(
                    defect.offset >= item.text.utf8.firstRange(of: "{}".utf8)?.lowerBound.utf16Offset(in: text) ?? 0)
                continue
            }
            let value = try #require(recognition.content, "\(text): \(recognition)")
            let fields = value.fields
            let amount = item.field.isEmpty ? fields["payments"]?["0"]?["amount"] : fields[item.field]
            #expect(amount?.string == expected, "\(text)")
        }
    }
}
