import Foundation
import PaymentCore
import Testing

/// Transactions of Solana: the review reads exactly the signed content.
struct SolanaTests {
    @Test(
        "Only the one canonical base64 text is taken",
        arguments: ["=", "==", "====", "AA==", "AAAA", "\n", " ", "\u{0}"])
    func base64(tail: String) throws {
        for name in [Sample.sponsored, Sample.legacy, Sample.sol, Sample.rent] {
            var sample = try Sample(name)
            #expect(try sample.code == nil)
            sample.base64 { $0 += tail }
            #expect(try sample.code == "solana-malformed", "\(name)")
        }
    }

    @Test("Stray bits at the end, other alphabets and missing padding are refused")
    func base64Forms() throws {
        // Zeros at the end of a lookup-free transaction make the last group's spare bits easy to set.
        for name in [Sample.sponsored, Sample.legacy, Sample.sol, Sample.rent] {
            for (one, other) in [
                ("==", ""), ("==", "B="), ("=", "B"), ("A==", "B=="), ("A=", "B="), ("+", "-"), ("/", "_"),
            ] {
                var sample = try Sample(name)
                var isChanged = false
                sample.base64 { text in
                    let new = text.replacing(one, with: other)
                    isChanged = new != text
                    text = new
                }
                if isChanged { #expect(try sample.code == "solana-malformed", "\(name): \(one)") }
            }
        }
    }

    @Test("The text names the payer of the network's fee, and its limit")
    func fee() throws {
        #expect(try Sample(Sample.legacy).text.contains("The network's fee, at most 0.00000506 SOL, comes on top."))
        let sponsored = try Sample(Sample.sponsored)
        #expect(try sponsored.text.contains(" pays the network's fee."))
        #expect(try !sponsored.text.contains("comes on top"))
    }
}
