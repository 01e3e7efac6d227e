public import PaymentCore
import PaymentCrypto

extension DevelopmentWallet: PaymentSigner {
    private static let methods: Set<String> = [
        "eth_signTypedData_v4", "eth_signTypedData_v3", "eth_signTypedData", "personal_sign",
    ]

    /// Returns true if the wallet answers calls of this method; it cannot send transactions.
    public func supports(method: String) -> Bool { Self.methods.contains(method) }

    /// Answers a wallet call. Typed data that was reviewed is signed only if it hashes to the review's digest.
    ///
    /// - Parameter request: the call, with its review where there is one.
    /// - Returns: the signature.
    /// - Throws: ``WalletError``; ``WalletError/otherThanReviewed`` for a call that changed after its review.
    public func sign(_ request: SigningRequest) async throws -> String {
        if let reviewed = request.review?.digest, request.method == "eth_signTypedData_v4" {
            guard let data = request.parameters[1], (try? TypedData(parsing: data))?.digest == reviewed else {
                throw WalletError.otherThanReviewed
            }
        }
        return try respond(method: request.method, params: request.parameters)
    }

    /// Returns the wallet's accounts on EVM chains, by chain number, in order.
    ///
    /// - Parameter chains: chain numbers of EIP-155.
    public func accounts(onChains chains: [Int]) -> [AccountID] {
        chains.compactMap { try? AccountID("eip155:\($0):\(address.checksummed)") }
    }

    /// Returns a payer with this wallet and its accounts on Ethereum, Optimism, BNB Smart Chain, Polygon, Base and
    /// Arbitrum.
    ///
    /// - Parameters:
    ///   - chooser: picks one of the options.
    ///   - policy: takes an option without a question.
    public func payer(chooser: Payer.Chooser? = nil, policy: OptionPolicy? = nil) -> Payer {
        Payer(
            accounts: accounts(onChains: [1, 10, 56, 137, 8453, 42161]), signer: self, chooser: chooser, policy: policy)
    }
}
