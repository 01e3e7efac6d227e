import PaymentCore
import PaymentReview
import PaymentTesting
import PaymentWallet
import ReviewModel
import Testing

/// Properties of all lists of calls, checked on generated ones: the same for the same number.
struct PropertyTests {
    /// Half of them each, so that two cores share the work.
    private static let halves: [Range<UInt64>] = [0..<350, 350..<700]
    private static let changesPerCase: UInt64 = 5

    @Test("Honest lists are approved; one false member is refused, or shown, or changes nothing", arguments: halves)
    func lies(_ seeds: Range<UInt64>) throws {
        var counts = (refused: 0, told: 0, same: 0)
        for seed in seeds {
            let honest = HonestCase(seed: seed)
            guard let review = try honestReview(honest, seed) else { continue }
            let harm = Harm(honest.json)
            #expect(harm.worst == nil, "\(seed), \(honest.shape)")
            for number in seed * Self.changesPerCase..<(seed + 1) * Self.changesPerCase {
                let change = CaseMutation(of: honest.json, with: SplitMix64(seed: number))
                guard let verdict = try? verdict(change.json), case .approved(let changed) = verdict else {
                    counts.refused += 1
                    continue
                }
                let changedHarm = Harm(change.json)
                #expect(changedHarm.worst == nil, "\(number): \(change.story)")
                #expect(!changedHarm.isUnlisted, "\(number): \(change.story)")
                #expect(changed.digest == (try digest(change.json)), "\(number): \(change.story)")
                guard changed.description == review.description else {
                    counts.told += 1
                    continue
                }
                counts.same += 1
                #expect(changed.effects == review.effects, "\(number): \(change.story)")
                #expect(changedHarm.visible == harm.visible, "\(number): \(change.story)")
            }
        }
        // Changes that are all refused, or all without effect, would prove nothing.
        #expect(counts.refused > 500 && counts.told > 5 && counts.same > 100, "\(counts)")
    }

    /// The review of a list that does what was agreed: it states all of it, and what a wallet would sign.
    private func honestReview(_ honest: HonestCase, _ seed: UInt64) throws -> SigningReview? {
        let verdict = try verdict(honest.json)
        guard case .approved(let review) = verdict else {
            Issue.record("\(seed), \(honest.shape): \(verdict.json.text)")
            return nil
        }
        let text = review.description
        for fact in honest.facts { #expect(text.contains(fact), "\(seed): \(fact) is not in \(text)") }
        #expect(review.digest == (try digest(honest.json)), "\(seed)")
        return review
    }

    private func verdict(_ json: JSONValue) throws -> ReviewVerdict { try ReviewCase(json).verdict() }

    /// The digest that a wallet would sign, by the wallet's reading.
    private func digest(_ json: JSONValue) throws -> [UInt8]? {
        guard let call = json["calls"]?.array?.last, call["method"]?.string == "eth_signTypedData_v4",
            let data = call["params"]?[1]
        else { return nil }
        return try TypedData(parsing: data).digest
    }
}
