import Foundation
import PaymentCore
import PaymentCrypto

extension CaseMaker {
    mutating func solana(_ shape: HonestCase.Shape) -> HonestCase {
        let payer = random.bytes(32)
        let sponsor: [UInt8]? = random.below(2) == 0 ? random.bytes(32) : nil
        let amount = amount(8)
        var steps = budgetSteps()
        var facts = ["Solana", SolanaDraft.chain, Base58.encode(payer)]
        var asset = (symbol: "SOL", decimals: 9)
        var unit = "\(SolanaDraft.chain)/slip44:501"
        if shape == .solTransfer {
            let recipient = random.bytes(32)
            facts.append(Base58.encode(recipient))
            steps.append(SolanaDraft.coins(amount.uint64 ?? 0, from: payer, to: recipient))
        } else {
            let mint = mint()
            asset = (mint.symbol, mint.decimals)
            unit = "\(SolanaDraft.chain)/token:\(mint.address)"
            facts += [mint.address]
            addTokenSteps(&steps, &facts, payer, sponsor, mint, amount)
        }
        facts.append(asset.symbol)
        if let sponsor { facts.append("\(Base58.encode(sponsor)) pays the network's fee") }
        if random.below(3) == 0 { steps.append(SolanaDraft.Step(SolanaDraft.memo, [], Array("order 17".utf8))) }
        var draft = SolanaDraft(signers: (sponsor.map { [$0] } ?? []) + [payer], steps: steps)
        draft.isVersioned = random.below(2) == 0
        draft.hash = random.bytes(32)
        let object: JSONValue = ["transaction": .string(Data(draft.serialized).base64EncodedString())]
        let call: JSONValue = [
            "chain_id": .string(SolanaDraft.chain), "method": "solana_signTransaction",
            "params": random.below(2) == 0 ? object : [object],
        ]
        return whole(
            shape, unit: unit, account: "\(SolanaDraft.chain):\(Base58.encode(payer))", asset, amount, calls: [call],
            facts: facts)
    }

    private mutating func budgetSteps() -> [SolanaDraft.Step] {
        var steps: [SolanaDraft.Step] = []
        if random.below(2) == 0 { steps.append(SolanaDraft.unitLimit(200_000)) }
        if random.below(2) == 0 { steps.append(SolanaDraft.unitPrice(10_000)) }
        return steps
    }

    private typealias Mint = (address: String, symbol: String, decimals: Int, program: String)

    private mutating func mint() -> Mint {
        random.pick([
            ("EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v", "USDC", 6, SolanaDraft.token),
            ("2b1kV6DkPAnxd5ixfnxCpjxmKwqjjaYmCZfHsFu24GXo", "PYUSD", 6, SolanaDraft.token2022),
            (
                Base58.encode(random.bytes(32)), "ZZTOP", random.below(19),
                random.pick([SolanaDraft.token, SolanaDraft.token2022])
            ),
        ])
    }

    private mutating func addTokenSteps(
        _ steps: inout [SolanaDraft.Step], _ facts: inout [String], _ payer: [UInt8], _ sponsor: [UInt8]?, _ mint: Mint,
        _ amount: Amount
    ) {
        let key = Base58.decode(mint.address) ?? []
        let owner = random.bytes(32)
        let destination = SolanaDraft.account(of: owner, key, mint.program)
        if random.below(2) == 0 {
            let funder = random.pick([payer, sponsor ?? payer])
            facts.append(Base58.encode(owner))
            steps.append(
                SolanaDraft.opening(
                    destination, of: owner, key, by: funder, program: mint.program, data: random.pick([[], [0], [1]])))
        } else {
            facts.append(Base58.encode(destination))
        }
        let source = SolanaDraft.account(of: payer, key, mint.program, bump: random.pick([255, 254, 0]))
        steps.append(
            SolanaDraft.transfer(
                amount.uint64 ?? 0, of: key, decimals: UInt8(mint.decimals), from: source, to: destination, by: payer,
                program: mint.program))
    }
}
