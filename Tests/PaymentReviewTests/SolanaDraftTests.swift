import Foundation
import PaymentCore
import PaymentCrypto
import ReviewModel
import Testing

/// Payments on Solana that are assembled by hand: the allowed values of each part.
struct SolanaDraftTests {
    private static let mint = key("EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v")
    private static let payer = key("8DY7NLM8xApk9yiXD63PM3nxRizShsYMREjiQuXWjE3c")
    private static let (sponsor, owner, stranger) = (fill(1), fill(2), fill(3))
    private static let source = SolanaDraft.account(of: payer, mint, SolanaDraft.token)
    private static let destination = SolanaDraft.account(of: owner, mint, SolanaDraft.token)
    private static let amount: UInt64 = 990_000

    private static func key(_ text: String) -> [UInt8] { Base58.decode(text) ?? [] }
    private static func fill(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: 32) }

    private static func transfer(
        _ amount: UInt64 = Self.amount, mint: [UInt8] = Self.mint, decimals: UInt8 = 6, from: [UInt8] = Self.source,
        to: [UInt8] = Self.destination, by: [UInt8] = Self.payer, program: String = SolanaDraft.token
    ) -> SolanaDraft.Step {
        SolanaDraft.transfer(amount, of: mint, decimals: decimals, from: from, to: to, by: by, program: program)
    }

    private static func opening(
        _ account: [UInt8] = Self.destination, of wallet: [UInt8] = Self.owner, mint: [UInt8] = Self.mint,
        by funder: [UInt8] = Self.payer, program: String = SolanaDraft.token, data: [UInt8] = [1]
    ) -> SolanaDraft.Step {
        SolanaDraft.opening(account, of: wallet, mint, by: funder, program: program, data: data)
    }

    /// The review of a payment of 0.99 USDC, or of `coin` lamports.
    private func sample(_ bytes: [UInt8], coin: UInt64? = nil) throws -> Sample {
        var sample = try Sample(coin == nil ? Sample.legacy : Sample.sol)
        if let coin { sample.json["option"]?["amount"]?["value"] = .string("\(coin)") }
        sample.base64 { $0 = Data(bytes).base64EncodedString() }
        return sample
    }

    private func code(
        _ steps: [SolanaDraft.Step], signers: [[UInt8]] = [Self.payer], coin: UInt64? = nil,
        _ change: (inout SolanaDraft) -> Void = { _ in }
    ) throws -> String {
        var draft = SolanaDraft(signers: signers, steps: steps)
        change(&draft)
        return try sample(draft.serialized, coin: coin).code ?? "approved"
    }

    // MARK: Transfers

    @Test("A transfer is of the token, from the payer's own account, and of the amount")
    func transfers() throws {
        #expect(try code([Self.transfer()]) == "approved")
        #expect(try code([Self.transfer()]) { $0.isVersioned = true } == "approved")
        #expect(try code([Self.transfer(Self.amount + 1)]) == "amount")
        #expect(try code([Self.transfer(Self.amount - 1)]) == "amount")
        #expect(try code([Self.transfer(Self.amount | 1 << 63)]) == "amount")
        #expect(try code([Self.transfer(mint: Self.stranger)]) == "token")
        #expect(try code([Self.transfer(decimals: 7)]) == "display-decimals")
        #expect(try code([Self.transfer(from: Self.destination, to: Self.stranger)]) == "solana-source")
        #expect(try code([Self.transfer(by: Self.stranger)]) == "solana-source")
        #expect(try code([Self.transfer(to: Self.source)]) == "recipient-invalid")
        #expect(try code([Self.transfer(to: Self.mint)]) == "recipient-invalid")
        let other = SolanaDraft.account(of: Self.payer, Self.mint, SolanaDraft.token2022)
        #expect(try code([Self.transfer(from: other, program: SolanaDraft.token2022)]) == "solana-program")
        #expect(try code([Self.transfer(), Self.transfer()]) == "list-two-payments")
        #expect(try code([Self.transfer(), Self.transfer(0)]) == "list-two-payments")
        #expect(try code([]) == "list-no-payment")
        #expect(try code([SolanaDraft.coins(Self.amount, from: Self.payer, to: Self.owner)]) == "solana-instruction")
    }

    @Test("Any bump makes an account that the program may have made; other seeds do not")
    func bumps() throws {
        for bump in [255, 254, 128, 1, 0] as [UInt8] {
            let source = SolanaDraft.account(of: Self.payer, Self.mint, SolanaDraft.token, bump: bump)
            #expect(try code([Self.transfer(from: source)]) == "approved")
        }
        for source in [
            SolanaDraft.account(of: Self.payer, Self.mint, SolanaDraft.token2022),
            SolanaDraft.account(of: Self.payer, Self.stranger, SolanaDraft.token),
            SolanaDraft.account(of: Self.mint, Self.payer, SolanaDraft.token), Self.payer,
        ] { #expect(try code([Self.transfer(from: source)]) == "solana-source") }
    }

    @Test("Instructions have exactly their own length and accounts")
    func shapes() throws {
        for change: (inout SolanaDraft.Step) -> Void in [
            { $0.data.append(0) }, { $0.data.removeLast() }, { $0.accounts.append(Self.stranger) },
            { $0.accounts.removeLast() }, { $0.data[0] = 4 }, { $0.data[0] = 13 }, { $0.data[0] = 255 },
            { $0.data = [] },
        ] {
            var step = Self.transfer()
            change(&step)
            #expect(try code([step]) == "solana-instruction")
            #expect(try code([Self.transfer(), step]) == "solana-instruction")
        }
        var unchecked = Self.transfer()
        unchecked.data[0] = 3
        #expect(try code([unchecked]) == "solana-unchecked-transfer")
    }

    @Test("Coins go from the payer to another address, once")
    func coins() throws {
        let (payer, owner) = (Self.payer, Self.owner)
        #expect(try code([SolanaDraft.coins(7, from: payer, to: owner)], coin: 7) == "approved")
        #expect(try code([SolanaDraft.coins(8, from: payer, to: owner)], coin: 7) == "amount")
        #expect(try code([SolanaDraft.coins(7, from: owner, to: payer)], coin: 7) == "solana-source")
        #expect(try code([SolanaDraft.coins(7, from: owner, to: Self.stranger)], coin: 7) == "solana-source")
        #expect(try code([SolanaDraft.coins(7, from: payer, to: payer)], coin: 7) == "recipient-invalid")
        for program in [SolanaDraft.system, SolanaDraft.token, SolanaDraft.token2022, SolanaDraft.associated] {
            let step = SolanaDraft.coins(7, from: payer, to: Self.key(program))
            #expect(try code([step], coin: 7) == "recipient-invalid")
        }
        for lost in [
            "1nc1nerator11111111111111111111111111111111", "Vote111111111111111111111111111111111111111",
            "SysvarRecentB1ockHashes11111111111111111111", "So11111111111111111111111111111111111111112",
            "NativeLoader1111111111111111111111111111111",
        ] {
            let step = SolanaDraft.coins(7, from: payer, to: Self.key(lost))
            #expect(try code([step], coin: 7) == "recipient-invalid", "\(lost)")
        }
        let twice = [SolanaDraft.coins(7, from: payer, to: owner), SolanaDraft.coins(7, from: payer, to: owner)]
        #expect(try code(twice, coin: 7) == "list-two-payments")
        #expect(
            try code([SolanaDraft.coins(7, from: payer, to: owner), Self.transfer()], coin: 7) == "solana-instruction")
        #expect(
            try code([Self.opening(), SolanaDraft.coins(7, from: payer, to: owner)], coin: 7) == "solana-instruction")
        // The bits above 64 must not overflow to the same amount.
        var sample = try sample(
            SolanaDraft(signers: [payer], steps: [SolanaDraft.coins(7, from: payer, to: owner)]).serialized, coin: 7)
        sample.json["option"]?["amount"]?["value"] = "18446744073709551623"
        #expect(try sample.code == "amount")
    }

    @Test("Other instructions of the system's program are refused")
    func system() throws {
        for tag in [0, 1, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 0x102] as [UInt64] {
            let step = SolanaDraft.Step(
                SolanaDraft.system, [Self.payer, Self.owner], SolanaDraft.bytes(tag, 4) + SolanaDraft.bytes(7))
            #expect(try code([step], coin: 7) == "solana-instruction")
        }
        let nonce = SolanaDraft.Step(SolanaDraft.system, [Self.stranger, Self.owner, Self.payer], [4, 0, 0, 0])
        let pay = SolanaDraft.coins(7, from: Self.payer, to: Self.owner)
        #expect(try code([nonce, pay], coin: 7) == "solana-durable-nonce")
        #expect(try code([nonce, Self.transfer()]) == "solana-durable-nonce")
        #expect(try code([pay, nonce], coin: 7) == "solana-instruction")
        for change: (inout SolanaDraft.Step) -> Void in [
            { $0.data.append(0) }, { $0.data.removeLast() }, { $0.accounts.append(Self.stranger) },
            { $0.accounts.removeLast() }, { $0.data = [] }, { $0.data = [2, 0, 0] },
        ] {
            var step = pay
            change(&step)
            #expect(try code([step], coin: 7) == "solana-instruction")
        }
    }

    // MARK: Opened accounts

    @Test("An account is opened for the token, for whichever payee, by one signer")
    func openings() throws {
        let pay = Self.transfer()
        for data in [[], [0], [1]] as [[UInt8]] { #expect(try code([Self.opening(data: data), pay]) == "approved") }
        #expect(try code([Self.opening(data: [2]), pay]) == "solana-instruction")
        #expect(try code([Self.opening(data: [1, 0]), pay]) == "solana-instruction")
        #expect(try code([Self.opening(), Self.opening(), pay]) == "solana-instruction")
        #expect(try code([Self.opening(mint: Self.stranger), pay]) == "token")
        #expect(try code([Self.opening(by: Self.stranger), pay]) == "solana-signers")
        #expect(try code([Self.opening(of: Self.stranger), pay]) == "solana-ata")
        #expect(try code([Self.opening(program: SolanaDraft.token2022), pay]) == "solana-program")
        #expect(try code([Self.opening(program: SolanaDraft.memo), pay]) == "solana-program")
        #expect(try code([pay, Self.opening()]) == "approved")
        #expect(try code([Self.opening()]) == "list-no-payment")
        let elsewhere = SolanaDraft.account(of: Self.stranger, Self.mint, SolanaDraft.token)
        #expect(try code([Self.opening(elsewhere, of: Self.stranger), pay]) == "solana-ata")
        let own = SolanaDraft.account(of: Self.payer, Self.mint, SolanaDraft.token, bump: 9)
        #expect(try code([Self.opening(own, of: Self.payer), Self.transfer(to: own)]) == "recipient-invalid")
        let burnt = Self.key("1nc1nerator11111111111111111111111111111111")
        let fire = SolanaDraft.account(of: burnt, Self.mint, SolanaDraft.token)
        #expect(try code([Self.opening(fire, of: burnt), Self.transfer(to: fire)]) == "recipient-invalid")
        #expect(try code([Self.transfer(to: fire)]) == "recipient-invalid")
        var long = Self.opening()
        long.accounts.append(Self.stranger)
        #expect(try code([long, pay]) == "solana-instruction")
        var odd = Self.opening()
        odd.accounts[4] = Self.stranger
        #expect(try code([odd, pay]) == "solana-instruction")
        odd.accounts.append(Self.stranger)
        #expect(try code([odd, pay]) == "solana-instruction")
    }

    @Test("Of a mint that is not listed either token program may keep the accounts, and no other")
    func programs() throws {
        let unlisted = "caip19/\(SolanaDraft.chain)/token:\(Base58.encode(Self.stranger))"
        let (payer, owner, mint) = (Self.payer, Self.owner, Self.stranger)
        func code(_ opened: String, _ paid: String) throws -> String {
            let account = SolanaDraft.account(of: owner, mint, opened)
            let source = SolanaDraft.account(of: payer, mint, paid)
            let steps = [
                Self.opening(account, mint: mint, program: opened),
                Self.transfer(mint: mint, from: source, to: account, program: paid),
            ]
            var sample = try sample(SolanaDraft(signers: [payer], steps: steps).serialized)
            sample.json["option"]?["amount"]?["unit"] = .string(unlisted)
            sample.json["option"]?["amount"]?["display"]?["assetSymbol"] = "ZZTOP"
            sample.json["allow"] = [.string(String(unlisted.dropFirst(7)))]
            return try sample.code ?? "approved"
        }
        #expect(try code(SolanaDraft.token, SolanaDraft.token) == "approved")
        #expect(try code(SolanaDraft.token2022, SolanaDraft.token2022) == "approved")
        for program in [SolanaDraft.memo, SolanaDraft.system, SolanaDraft.associated] {
            #expect(try code(program, SolanaDraft.token) == "solana-program")
        }
    }

    @Test("Only an account that is opened in the same transaction has a proven owner")
    func owners() throws {
        let bare = try sample(SolanaDraft(signers: [Self.payer], steps: [Self.transfer()]).serialized)
        let account = Base58.encode(Self.destination)
        #expect(try bare.text.contains("to the token account \(account), whose owner is not proven (not seen before)"))
        let steps = [Self.opening(), Self.transfer()]
        let opened = try sample(SolanaDraft(signers: [Self.payer], steps: steps).serialized)
        #expect(try opened.text.contains("to \(Base58.encode(Self.owner)) (not seen before)"))
        #expect(try !opened.text.contains("not proven"))
        let coins = SolanaDraft(
            signers: [Self.payer], steps: [SolanaDraft.coins(7, from: Self.payer, to: Self.stranger)])
        #expect(try !sample(coins.serialized, coin: 7).text.contains("not proven"))
    }

    @Test("The payer of an account is shown")
    func rent() throws {
        func text(_ funder: [UInt8]) throws -> JSONValue {
            let draft = SolanaDraft(
                signers: [Self.sponsor, Self.payer], steps: [Self.opening(by: funder), Self.transfer()])
            return try sample(draft.serialized).verdict
        }
        let own = try text(Self.payer)
        #expect(own["text"]?.string?.contains("at your cost") == true)
        #expect(own["warnings"] == ["recipient-unknown", "solana-rent"])
        let sponsored = try text(Self.sponsor)
        #expect(sponsored["text"]?.string?.contains("at the sponsor's cost") == true)
        #expect(sponsored["warnings"] == ["recipient-unknown"])
    }

    // MARK: Fees, memos, signers

    @Test("The payer's fee ends at 0.001 SOL, a sponsor's does not")
    func fees() throws {
        func fee(_ steps: [SolanaDraft.Step], sponsored: Bool = false) throws -> String {
            try code(steps + [Self.transfer()], signers: (sponsored ? [Self.sponsor] : []) + [Self.payer])
        }
        // 995,000 lamports beside the 5000 for the signature.
        let (limit, dear) = (SolanaDraft.unitLimit(1_000_000), SolanaDraft.unitPrice(995_001))
        #expect(try fee([limit, SolanaDraft.unitPrice(995_000)]) == "approved")
        #expect(try fee([limit, dear]) == "solana-fee")
        #expect(try fee([limit, dear], sponsored: true) == "approved")
        #expect(try fee([dear, limit]) == "solana-fee")
        // A fraction of a lamport counts as a whole one.
        #expect(try fee([SolanaDraft.unitLimit(1_000_001), SolanaDraft.unitPrice(995_000)]) == "solana-fee")
        // Without a limit, 200,000 units for each instruction that does not set the budget.
        #expect(try fee([SolanaDraft.unitPrice(4_975_000)]) == "approved")
        #expect(try fee([SolanaDraft.unitPrice(4_975_001)]) == "solana-fee")
        let memos = [SolanaDraft.Step](repeating: SolanaDraft.Step(SolanaDraft.memo, [], [65]), count: 7)
        #expect(try fee([SolanaDraft.unitPrice(710_714)] + memos) == "approved")
        #expect(try fee([SolanaDraft.unitPrice(710_715)] + memos) == "solana-fee")
        #expect(try fee([SolanaDraft.unitLimit(.max), SolanaDraft.unitPrice(.max)]) == "solana-fee")
        #expect(try fee([limit, limit]) == "solana-instruction")
        #expect(try fee([SolanaDraft.unitPrice(1), SolanaDraft.unitPrice(0)]) == "solana-instruction")
        for data in [[], [0], [1, 0, 0, 0, 0], [4, 0, 0, 0, 0], [2, 0, 0, 0], [2, 0, 0, 0, 0, 0], [3, 0, 0, 0, 0]]
            as [[UInt8]]
        {
            #expect(try fee([SolanaDraft.Step(SolanaDraft.budget, [], data)]) == "solana-instruction")
        }
    }

    @Test("Memos are short text, and no other signature is needed")
    func memos() throws {
        func memo(_ data: [UInt8], _ accounts: [[UInt8]] = []) throws -> String {
            try code([Self.transfer(), SolanaDraft.Step(SolanaDraft.memo, accounts, data)])
        }
        #expect(try memo([UInt8](repeating: 65, count: 256), [Self.payer]) == "approved")
        #expect(try memo([UInt8](repeating: 65, count: 257)) == "solana-instruction")
        #expect(try memo([0xFF]) == "solana-instruction")
        #expect(try memo([65], [Self.stranger]) == "solana-instruction")
    }

    @Test("The payer signs last, behind one sponsor at most")
    func signers() throws {
        let (payer, sponsor, stranger) = (Self.payer, Self.sponsor, Self.stranger)
        #expect(try code([Self.transfer()], signers: [sponsor, payer]) == "approved")
        #expect(try code([Self.transfer()], signers: [payer, sponsor]) == "solana-signers")
        #expect(try code([Self.transfer()], signers: [sponsor, stranger, payer]) == "solana-signers")
        #expect(try code([Self.transfer()], signers: [stranger]) == "solana-signers")
        #expect(try code([Self.transfer()], signers: [payer, payer]) == "solana-malformed")
        #expect(try code([Self.transfer()], signers: []) == "solana-malformed")
        #expect(try code([SolanaDraft.Step(SolanaDraft.associated, [], [1]), Self.transfer()]) == "solana-instruction")
        #expect(
            try code([SolanaDraft.Step("L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95", [], [1]), Self.transfer()])
                == "solana-program")
    }

    @Test("A place for a signature that is taken is refused, but a sponsor's is not")
    func signatures() throws {
        let draft = SolanaDraft(signers: [Self.sponsor, Self.payer], steps: [Self.transfer()])
        var bytes = draft.serialized
        bytes[1] = 1
        #expect(try sample(bytes).code == nil)
        bytes[65] = 1
        #expect(try sample(bytes).code == "solana-signers")
    }

    // MARK: The layout

    @Test("Headers and numbers that readers disagree about are refused")
    func layout() throws {
        var draft = SolanaDraft(signers: [Self.sponsor, Self.payer], steps: [Self.transfer()])
        draft.isVersioned = true
        let good = draft.serialized
        let layout = try #require(SolanaLayout(good))
        func code(_ change: (inout [UInt8]) -> Void) throws -> String {
            var bytes = good
            change(&bytes)
            return try sample(bytes).code ?? "approved"
        }
        #expect(try code { $0[layout.header + 1] = 1 } == "approved")
        #expect(try code { $0[layout.header + 1] = 2 } == "solana-malformed")
        #expect(try code { $0[layout.header + 1] = 3 } == "solana-malformed")
        #expect(try code { $0[layout.header] = 1 } == "solana-malformed")
        #expect(try code { $0[layout.header] = 3 } == "solana-malformed")
        #expect(try code { $0[layout.header + 2] = UInt8(layout.keyCount) - 2 } == "approved")
        #expect(try code { $0[layout.header + 2] = UInt8(layout.keyCount) - 1 } == "solana-malformed")
        // The same number in two bytes and in three.
        #expect(try code { $0.replaceSubrange(layout.count...layout.count, with: [0x81, 0]) } == "solana-malformed")
        #expect(
            try code { $0.replaceSubrange(layout.count...layout.count, with: [0x81, 0x80, 0]) } == "solana-malformed")
        #expect(try code { $0.replaceSubrange(0...0, with: [0x82, 0]) } == "solana-malformed")
        #expect(try code { $0[layout.count] = 2 } == "solana-malformed")
        #expect(try code { $0[layout.count] = 0 } == "solana-lookup-table")
        let instruction = layout.instructions[0].lowerBound
        #expect(try code { $0[instruction] = 0 } == "solana-malformed")
        #expect(try code { $0[instruction] = UInt8(layout.keyCount) } == "solana-malformed")
        #expect(try code { $0[instruction + 2] = UInt8(layout.keyCount) } == "solana-malformed")
        #expect(try code { $0[layout.header - 1] = 0x81 } == "solana-version")
        #expect(try code { $0[layout.header - 1] = 0xFF } == "solana-version")
        #expect(try code { $0[$0.count - 1] = 1 } == "solana-lookup-table")
        #expect(try code { $0.append(0) } == "solana-malformed")
        #expect(try code { $0.removeLast() } == "solana-malformed")
        #expect(try code { $0.replaceSubrange($0.count - 1..<$0.count, with: [0x80, 0]) } == "solana-malformed")
        for length in [0, 1, 2, 65, 66, layout.header, layout.keys, layout.count] {
            #expect(try code { $0 = Array($0.prefix(length)) } == "solana-malformed", "\(length)")
        }
    }

    @Test("A transaction is no longer than the network takes")
    func size() throws {
        func code(_ padding: Int) throws -> String {
            let memos = [256, 256, 256, padding].map { length in
                SolanaDraft.Step(SolanaDraft.memo, [], [UInt8](repeating: 65, count: length))
            }
            let bytes = SolanaDraft(signers: [Self.payer], steps: [Self.transfer()] + memos).serialized
            return "\(bytes.count) \(try sample(bytes).code ?? "approved")"
        }
        let base = try #require(Int(try code(128).split(separator: " ")[0])) - 128
        #expect(try code(1232 - base) == "1232 approved")
        #expect(try code(1233 - base) == "1233 solana-malformed")
    }
}
