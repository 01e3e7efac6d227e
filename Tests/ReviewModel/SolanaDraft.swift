import PaymentCore
import PaymentCrypto

/// A transaction of Solana that is assembled from its instructions.
package struct SolanaDraft: Sendable {
    package static let chain = "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp"
    package static let system = "11111111111111111111111111111111"
    package static let token = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"
    package static let token2022 = "TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb"
    package static let associated = "ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL"
    package static let budget = "ComputeBudget111111111111111111111111111111"
    package static let memo = "MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr"

    /// One instruction.
    package struct Step: Sendable {
        package var program: String
        package var accounts: [[UInt8]]
        package var data: [UInt8]

        package init(_ program: String, _ accounts: [[UInt8]] = [], _ data: [UInt8]) {
            self.program = program
            self.accounts = accounts
            self.data = data
        }
    }

    package var signers: [[UInt8]]
    package var steps: [Step]
    package var isVersioned = false
    package var hash = [UInt8](repeating: 7, count: 32)
    /// Keys that no instruction names.
    package var others: [[UInt8]] = []

    package init(signers: [[UInt8]], steps: [Step]) {
        self.signers = signers
        self.steps = steps
    }

    /// The bytes, with zeros for signatures.
    package var serialized: [UInt8] {
        var keys = signers
        for key in steps.flatMap(\.accounts) + others where !keys.contains(key) { keys.append(key) }
        let programs = steps.compactMap { Base58.decode($0.program) }
        // The programs last: they are read only, unless they are also named as accounts.
        var readOnly: UInt8 = 0
        for program in programs where !keys.contains(program) {
            keys.append(program)
            readOnly += 1
        }
        let place = { (key: [UInt8]) in UInt8(keys.firstIndex(of: key) ?? 0) }
        var bytes = [UInt8(signers.count)] + [UInt8](repeating: 0, count: 64 * signers.count)
        if isVersioned { bytes.append(0x80) }
        bytes += [UInt8(signers.count), 0, readOnly, UInt8(keys.count)] + keys.joined() + hash
        bytes.append(UInt8(steps.count))
        for (step, program) in zip(steps, programs) {
            bytes += [place(program)] + Self.compact(step.accounts.count) + step.accounts.map(place)
            bytes += Self.compact(step.data.count) + step.data
        }
        return bytes + (isVersioned ? [0] : [])
    }

    private static func compact(_ number: Int) -> [UInt8] {
        number < 0x80 ? [UInt8(number)] : [UInt8(number & 0x7F) | 0x80] + compact(number >> 7)
    }

    /// The account with a wallet's tokens, with the first bump: the right one counts only on the chain.
    package static func account(of wallet: [UInt8], _ mint: [UInt8], _ program: String, bump: UInt8 = 255) -> [UInt8] {
        let seeds = wallet + (Base58.decode(program) ?? []) + mint + [bump] + (Base58.decode(associated) ?? [])
        return Digest.sha256.hash(seeds + Array("ProgramDerivedAddress".utf8))
    }

    /// Least significant byte first.
    package static func bytes(_ number: UInt64, _ count: Int = 8) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * $0)) }
    }

    package static func transfer(
        _ amount: UInt64, of mint: [UInt8], decimals: UInt8, from source: [UInt8], to destination: [UInt8],
        by owner: [UInt8], program: String = token
    ) -> Step {
        Step(program, [source, mint, destination, owner], [12] + bytes(amount) + [decimals])
    }

    package static func coins(_ amount: UInt64, from source: [UInt8], to destination: [UInt8]) -> Step {
        Step(system, [source, destination], [2, 0, 0, 0] + bytes(amount))
    }

    package static func opening(
        _ account: [UInt8], of wallet: [UInt8], _ mint: [UInt8], by funder: [UInt8], program: String = token,
        data: [UInt8] = [1]
    ) -> Step {
        let programs = [Base58.decode(system) ?? [], Base58.decode(program) ?? []]
        return Step(associated, [funder, account, wallet, mint] + programs, data)
    }

    package static func unitLimit(_ units: UInt32) -> Step { Step(budget, [], [2] + bytes(UInt64(units), 4)) }
    package static func unitPrice(_ price: UInt64) -> Step { Step(budget, [], [3] + bytes(price)) }
}
