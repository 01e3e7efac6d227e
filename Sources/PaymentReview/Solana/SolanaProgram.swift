import PaymentCrypto

/// The programs that payments on Solana use.
enum SolanaProgram: String, CaseIterable {
    case system = "11111111111111111111111111111111"
    case token = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"
    case token2022 = "TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb"
    case associatedToken = "ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL"
    case computeBudget = "ComputeBudget111111111111111111111111111111"
    case memo = "MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr"
    case firstMemo = "Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo"

    /// The program's key.
    var key: [UInt8] { Self.keys[self] ?? [] }

    init?(key: [UInt8]) {
        guard let program = Self.keys.first(where: { $0.value == key })?.key else { return nil }
        self = program
    }

    private static let keys = Dictionary(
        uniqueKeysWithValues: allCases.compactMap { program in Base58.decode(program.rawValue).map { (program, $0) } })
}

/// The account that keeps a wallet's tokens of one mint, as the Associated Token Account program derives it.
enum AssociatedTokenAccount {
    /// Returns true if `account` is the one of `wallet` and `mint` under a token program.
    ///
    /// Every bump is accepted: a wrong one gives an address that the program never makes, or a point whose key is
    /// unknown. Neither can be a thief's account, so no curve arithmetic is needed.
    static func isAccount(_ account: [UInt8], of wallet: [UInt8], mint: [UInt8], program: [UInt8]) -> Bool {
        let suffix = SolanaProgram.associatedToken.key + Array("ProgramDerivedAddress".utf8)
        return (UInt8.min...UInt8.max).reversed().contains { bump in
            Digest.sha256.hash(wallet + program + mint + [bump] + suffix) == account
        }
    }
}
