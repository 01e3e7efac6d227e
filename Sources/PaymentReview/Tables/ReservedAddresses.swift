import PaymentCrypto

/// The addresses that no payee has: those of a chain itself, and those that stand for no account.
enum ReservedAddresses {
    /// The number of zero bytes in a row that no key's and no contract's address has by chance: finding one takes some
    /// 2⁹² tries. Addresses that were assigned have them: the zero address, precompiled contracts (`0x…01` to `0x…11`,
    /// `0x…0100`), the system contracts of Arbitrum, BNB Smart Chain, Polygon and zkSync, the predeployed ones of the
    /// OP Stack (`0x4200…`) and Scroll (`0x5300…`), those of Avalanche (`0x0100…`), and burning (`0x…dEaD`).
    private static let run = 12

    /// The system contracts whose addresses were searched for (EIP-4788, EIP-2935, EIP-7002, EIP-7251), the system's
    /// own account (EIP-4788), and the placeholder of a chain's own coin.
    private static let others = Set(
        [
            "0x000F3df6D732807Ef1319fB7B8bB8522d0Beac02", "0x0000F90827F1C53a10cb7A02335B175320002935",
            "0x00000961Ef480Eb55e80D19ad83579A64c007002", "0x0000BBdDc7CE488642fb579F8B00f3a590007251",
            "0xfffffffffffffffffffffffffffffffffffffffe", "0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee",
        ].compactMap { try? EthereumAddress(parsing: $0).bytes })

    /// Returns true if money that is sent to `address` is lost.
    static func contain(_ address: EthereumAddress) -> Bool {
        others.contains(address.bytes) || address.bytes.split { $0 != 0 }.contains { $0.count >= run }
    }

    // MARK: Solana

    /// The number of ones in a row, in Base58, that no key has by chance: finding one takes some 2⁹³ tries. The keys
    /// that were assigned have them: the default key, built-in programs (`Vote111…`), the state that the chain itself
    /// keeps (`Sysvar…111…`), the mint of wrapped coins (`So111…112`), and burning (``incinerator``).
    private static let ones = 16

    /// The account whose coins are burnt at the end of each block.
    private static let incinerator = Base58.decode("1nc1nerator11111111111111111111111111111111") ?? []

    /// Returns true if coins, or the tokens of a wallet with this key, are lost.
    static func contain(solana key: [UInt8]) -> Bool {
        SolanaProgram(key: key) != nil
            || Base58.encode(key).utf8.split { $0 != UInt8(ascii: "1") }.contains { $0.count >= ones }
    }

    /// Returns true if a token account is one for burning.
    static func contain(tokenAccount: [UInt8], mint: [UInt8], program: [UInt8]) -> Bool {
        contain(solana: tokenAccount)
            || [incinerator, SolanaProgram.system.key].contains {
                AssociatedTokenAccount.isAccount(tokenAccount, of: $0, mint: mint, program: program)
            }
    }
}
