import PaymentCore
import ReviewModel
import Testing

@testable import PaymentReview

/// The model that judges the reviewer has to find existing harm.
struct ModelTests {
    /// Refusals because the payment would fail, or because the text would deceive people: nothing more is lost.
    private static let harmlessCodes: Set<String> = [
        "list-empty", "list-no-payment", "list-order", "call-chain", "display-text", "display-decimals",
        "display-symbol", "native-coin", "message-members", "deadline-past", "recipient-invalid", "address-checksum",
        "domain-name", "approval-unneeded", "approval-token", "calldata-malformed", "settlement-payer",
        "settlement-token", "settlement-amount", "settlement-operator", "settlement-fee", "solana-ata",
        // The model counts it as a separate kind of harm: what is lost may be anything.
        "token-unlisted",
    ]
    private static let harmlessCases: Set<String> = [
        "amount zero", "domain with a salt", "value absent", "solana token-2022 program for a classic mint",
    ]

    @Test("The model's tokens are the reviewer's, with the same decimals")
    func tokens() {
        var listed: [Asset: Int] = [:]
        for row in EVMTokenRows.all {
            for chain in row.chains {
                listed[.token("eip155:\(chain)", row.address.lowercased())] = Int(row.token.decimals)
            }
        }
        for asset in ListedTokens.decimals.keys where !asset.chain.hasPrefix("eip155:") {
            let parts = asset.name.split(separator: ":").map(String.init)
            listed[asset] = KnownToken.known(parts[0], parts[1], on: asset.chain).map { Int($0.decimals) }
        }
        #expect(listed == ListedTokens.decimals)
    }

    @Test(
        "Published cases: what is approved does no harm, what is refused mostly does", arguments: VectorTests.Case.all)
    func vectors(_ example: VectorTests.Case) throws {
        let isRefused = example.json["expect"]?["verdict"] == "refuse"
        let code = example.json["expect"]?["reason-code"]?.string ?? ""
        let isHarmless =
            !isRefused || Self.harmlessCodes.contains(code) || Self.harmlessCases.contains(example.testDescription)
        #expect((Harm(example.json).worst == nil) == isHarmless, "\(Harm(example.json).worst ?? "no harm")")
        if code == "token-unlisted" { #expect(Harm(example.json).isUnlisted) }
        if example.json["allow"] != nil { #expect(!Harm(example.json).isUnlisted) }
    }
}
