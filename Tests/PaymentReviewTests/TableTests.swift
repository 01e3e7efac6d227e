import PaymentCore
import PaymentCrypto
import Testing

@testable import PaymentReview

/// The tables of tokens, coins and contracts.
struct TableTests {
    @Test("Addresses of tokens are exactly their ERC-55 spelling", arguments: EVMTokenRows.all.map(\.address))
    func spelling(address: String) throws {
        #expect(try EthereumAddress(parsing: address).checksummed == address)
    }

    @Test("No address is listed twice on one chain")
    func duplicates() {
        let places = EVMTokenRows.all.flatMap { row in row.chains.map { "\($0) \(row.address)" } }
        #expect(Set(places).count == places.count)
        #expect(places.count == 121)
    }

    @Test("Every row of the tokens has printable names, decimals and chains")
    func rows() {
        for row in EVMTokenRows.all {
            let token = row.token
            #expect(!row.chains.isEmpty && Set(row.chains).count == row.chains.count, "\(row.address)")
            #expect(row.chains.allSatisfy { Chain.known("eip155:\($0)") != nil }, "\(row.address)")
            #expect(token.symbol == token.symbols.first && !token.symbol.isEmpty, "\(row.address)")
            #expect(Set(token.symbols).count == token.symbols.count, "\(row.address)")
            for symbol in token.symbols {
                #expect(isPrintable(symbol) && !symbol.contains(" "), "\(symbol)")
            }
            #expect([6, 8, 18].contains(token.decimals), "\(row.address)")
            if let domain = token.domain {
                #expect(isPrintable(domain.name) && domain.version.utf8.allSatisfy(\.isASCIIDigit), "\(row.address)")
            }
        }
    }

    /// True for visible ASCII, and for the one letter of Tether's that is not ASCII.
    private func isPrintable(_ text: String) -> Bool {
        !text.isEmpty && text.unicodeScalars.allSatisfy { (0x20..<0x7F).contains($0.value) || $0 == "\u{20AE}" }
    }

    @Test("Tokens are found by chain and spelling, and nowhere else")
    func lookUp() throws {
        for row in EVMTokenRows.all {
            for chain in row.chains {
                #expect(KnownToken.known("erc20", row.address, on: "eip155:\(chain)")?.symbol == row.token.symbol)
            }
            #expect(KnownToken.known("erc20", row.address, on: "eip155:5") == nil)
            #expect(KnownToken.known("erc721", row.address, on: "eip155:\(row.chains[0])") == nil)
        }
        let usdc = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"
        #expect(KnownToken.known("token", usdc, on: Chain.solana)?.decimals == 6)
        #expect(KnownToken.known("token", usdc, on: "solana:4sGjMW1sUnHzSxGspuhpqLDx6wiyjNtZ") == nil)
        let tether = "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"
        #expect(KnownToken.known("trc20", tether, on: Chain.tron)?.decimals == 6)
        #expect(KnownToken.known("trc20", tether, on: "tron:0xcd8690dc") == nil)
    }

    /// A service with wrong decimals shows another amount: these are checked against the issuers' values.
    @Test(
        "Decimals that differ from what one would expect",
        arguments: [
            (56, "0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d", 18),
            (56, "0x55d398326f99059fF775485246999027B3197955", 18),
            (1, "0xcbB7C0000aB88B473b1f5aFd9ef808440eed33Bf", 8),
            (143, "0x00000000eFE302BEAA2b3e6e1b18d08D69a9012a", 6),
            (1, "0xdAC17F958D2ee523a2206206994597C13D831ec7", 6), (1, "0x39b8B6385416f4cA36a20319F70D28621895279D", 18),
        ] as [(Int, String, UInt8)])
    func decimals(chain: Int, address: String, decimals: UInt8) {
        #expect(KnownToken.known("erc20", address, on: "eip155:\(chain)")?.decimals == decimals)
    }

    @Test("Permit2 is where each chain has it")
    func permit2() throws {
        let usual = try EthereumAddress(parsing: "0x000000000022D473030F116dDEE9F6B43aC78BA3")
        let other = try EthereumAddress(parsing: "0x0000000000225e31D15943971F47aD3022F714Fa")
        for chain in [1, 10, 56, 137, 8453, 42161, 777] {
            #expect(KnownContracts.permit2(on: "eip155:\(chain)") == usual)
        }
        for chain in [324, 300, 260, 2741] { #expect(KnownContracts.permit2(on: "eip155:\(chain)") == other) }
        #expect(
            try KnownContracts.permit2(on: "eip155:2020")
                == EthereumAddress(parsing: "0x771ca29e483df5447e20a89e0f00e1daf09ef534"))
    }

    @Test("Contracts are known on the chains where they were seen, and on no other")
    func seen() throws {
        let seen: [(String, [Int])] = [
            ("0x5fae5310f257437fbfed0da3c417da410078058e", [1, 56]),
            ("0x35e6cb35647076539f8c4d14f51e03841bcd1f0e", [1]),
            ("0x57b2b4288220005234c0e88a04a7943193971d21", [1, 10]),
            ("0x4213f576334bcba157305abd16c6519d472819b3", []), ("0x0000000000000000000000000000000000000000", []),
        ]
        for (text, chains) in seen {
            let address = try EthereumAddress(parsing: text)
            for chain in [1, 10, 56, 137, 143, 8453, 42161, 42220] {
                #expect(
                    KnownContracts.hasBeenSeen(address, on: "eip155:\(chain)") == chains.contains(chain),
                    "\(text) \(chain)")
            }
        }
    }

    @Test("Coins have the numbers that payments were recorded with")
    func coins() {
        let numbers: [(Int, String, String)] = [
            (1, "60", "ETH"), (10, "60", "ETH"), (56, "714", "BNB"), (100, "700", "XDAI"), (137, "966", "POL"),
            (143, "268435779", "MON"), (8453, "60", "ETH"), (42220, "52752", "CELO"), (43114, "9005", "AVAX"),
        ]
        for (chain, number, symbol) in numbers {
            let coin = Chain.known("eip155:\(chain)")?.coin
            #expect(coin?.number == number && coin?.symbol == symbol && coin?.decimals == 18, "\(chain)")
        }
        #expect(Chain.known(Chain.solana)?.coin?.decimals == 9)
        #expect(Chain.known(Chain.tron)?.coin?.decimals == 6)
    }

    @Test("Wrapped coins are tokens that cannot be a payee")
    func wrapped() {
        let chains = EVMTokenRows.all.flatMap(\.chains)
        for chain in Set(chains) {
            guard let wrapped = Chain.known("eip155:\(chain)")?.wrapped else { continue }
            #expect(KnownToken.known("erc20", wrapped.checksummed, on: "eip155:\(chain)")?.decimals == 18, "\(chain)")
        }
    }
}
