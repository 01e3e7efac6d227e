import Foundation
import FuzzModel
import PaymentCore
import PaymentReview
import PaymentTesting
import PaymentWallet
import ReviewModel
import TestSupport

/// Lists of wallet calls: an approved list must do no harm, whatever a service sends.
///
/// An input is the JSON of a case; any other input chooses a case and changes in its structure.
struct ReviewTarget: FuzzTarget {
    static let name = "reviews of wallet calls"
    static let share = 24

    let corpus: Corpus
    private(set) var counts: [String: Int] = [:]
    private let published: [JSONValue]

    private struct Unusable: Error {}

    init() throws {
        let list = try JSONValue(parsing: [UInt8](try Vectors.data("signing-review"))).array ?? []
        published = list.map { example in
            var example = example
            for name in ["name", "expect"] { example[name] = nil }
            return example
        }
        guard published.count > 100 else { throw Unusable() }
        corpus = Corpus(
            published.map(\.text),
            pieces: [
                "{", "}", "[", "]", "\"", ":", ",", "\\\"", "\\u0000", "null", "true", "0", "-0", "1e3", "1e400", " ",
                "9007199254740992", "0x", "0X", "0xdAC17F958D2ee523a2206206994597C13D831ec7", "\"0x0\"",
                "\"chain_id\":",
                "\"method\":\"eth_signTypedData_v4\"", "\"params\":[]", "\"option\":{}", "\"calls\":[]", "\"now\":0",
                "\"now\":9223372036854775807", "\"data\":\"0x095ea7b3\"", "\"decimals\":36", "\"allow\":[]",
                "0xBC4CA0EdA7647A8aB7C2061c2E118A18a936f13D", "\"assetSymbol\":\"USDC\"",
                "\"value\":\"0\"", "eip155:1", "eip155:8453", "caip19/", "/erc20:", "/slip44:60", "AAAA", "==",
                "\u{20AE}",
                "\u{212A}", "\u{301}", "\u{202E}", "é", "\u{0}",
            ])
    }

    mutating func violation(_ input: [UInt8]) -> String? {
        let json = (try? JSONValue(parsing: input)).flatMap { $0.object == nil ? nil : $0 } ?? changed(by: input)
        guard let example = try? ReviewCase(json) else {
            counts["no case", default: 0] += 1
            return nil
        }
        let verdict = example.verdict()
        counts["\(verdict.name) \(verdict.json["reason-code"]?.string ?? "")", default: 0] += 1
        if let problem = wrongWords(verdict) { return problem }
        guard case .approved(let review) = verdict else { return nil }
        let harm = Harm(json)
        if let worst = harm.worst { return "lets pass: \(worst)" }
        if harm.isUnlisted { return "lets a token pass that no table knows" }
        if let shown = harm.shown, !(verdict.json["text"]?.string ?? "").contains(shown) {
            return "shows another amount than \(shown)"
        }
        return wrongReview(review, json)
    }

    // MARK: Cases

    /// A case and its changes, chosen by the bytes of `input`.
    private func changed(by input: [UInt8]) -> JSONValue {
        var seed: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in input { seed = (seed ^ UInt64(byte)) &* 0x100_0000_01B3 }
        var random = SplitMix64(seed: seed)
        var json =
            random.next() % 2 == 0
            ? HonestCase(seed: random.next()).json : published[Int(random.next() % UInt64(published.count))]
        for _ in 0...random.next() % 3 { json = CaseMutation(of: json, with: SplitMix64(seed: random.next())).json }
        return json
    }

    // MARK: Invariants

    /// The text fits one screen, has no control sequences, and survives being sent as JSON.
    private func wrongWords(_ verdict: ReviewVerdict) -> String? {
        let json = verdict.json
        if (try? JSONValue(parsing: json.serialized())) != json { return "the verdict's JSON does not come back" }
        guard let text = json["text"]?.string else { return "a verdict without text" }
        if text.utf8.count > 2500 { return "a text of \(text.utf8.count) bytes" }
        let isPlain = text.unicodeScalars.allSatisfy {
            (0x20..<0x7F).contains($0.value) || $0 == "\n" || $0 == "\u{20AE}"
        }
        return isPlain ? nil : "a text with letters that nobody expects"
    }

    /// The review states what is signed, and that the agreed amount is paid once.
    private func wrongReview(_ review: SigningReview, _ json: JSONValue) -> String? {
        let call = json["calls"]?.array?.last
        if call?["method"]?.string == "eth_signTypedData_v4" {
            guard let data = call?["params"]?[1], let digest = try? TypedData(parsing: data).digest else {
                return "lets typed data pass that no wallet reads"
            }
            if digest != review.digest { return "the digest is of something else than is signed" }
        } else if review.digest != nil {
            return "a digest of nothing"
        }
        let paying = review.effects.filter { ![.approve, .createTokenAccount].contains($0.kind) }
        guard paying.count == 1, let value = json["option"]?["amount"]?["value"]?.string,
            paying[0].quantity == .minorUnits(value)
        else { return "something else is told than that the amount is paid once" }
        return nil
    }
}
