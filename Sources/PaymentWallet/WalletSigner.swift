public import PaymentCore

extension DevelopmentWallet: PaymentSigner {
    private static let methods: Set<String> = [
        "eth_signTypedData_v4", "eth_signTypedData_v3", "eth_signTypedData", "personal_sign",
    ]

    /// Whether the wallet answers calls of this method; it cannot send transactions.
    public func supports(method: String) -> Bool { Self.methods.contains(method) }

    /// Answers a wallet call.
    ///
    /// - Throws: ``WalletError``.
    public func sign(_ request: SigningRequest) async throws -> String {
        try respond(method: request.method, params: request.parameters)
    }

    /// The wallet's accounts on EVM chains, by chain number, in order.
    public func accounts(onChains chains: [Int]) -> [AccountID] {
        chains.compactMap { try? AccountID("eip155:\($0):\(address.checksummed)") }
    }

    /// A payer with this wallet and its accounts on Ethereum, Optimism, BNB Smart Chain, Polygon, Base and Arbitrum.
    public func payer(chooser: Payer.Chooser? = nil) -> Payer {
        Payer(accounts: accounts(onChains: [1, 10, 56, 137, 8453, 42161]), signer: self, chooser: chooser)
    }
}
