public import PaymentCore
import PaymentSecp256k1
public import PaymentWallet

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A wallet that can do everything that the sandbox requests: for demonstrations and tests.
///
/// On EVM chains it is a ``DevelopmentWallet``. There is no chain behind the sandbox, so transactions are not
/// broadcast: their hash is made up. Solana transactions get a made-up signature. Tron's are signed by the private key
/// 1, whose account is the sandbox's Tron account.
public struct SandboxWallet: PaymentSigner {
    private static let solanaAccount =
        "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp:4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T"
    private static let tronAccount = "tron:0x2b6653dc:TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC"

    private let wallet: DevelopmentWallet
    private let random: any RandomSource

    /// Creates a wallet around `wallet`; made-up hashes come from `random`.
    public init(
        _ wallet: DevelopmentWallet = DevelopmentWallet(seed: 1), random: any RandomSource = SystemRandomSource()
    ) {
        self.wallet = wallet
        self.random = random
    }

    /// Returns true if the wallet answers calls of this method.
    public func supports(method: String) -> Bool {
        ["eth_sendTransaction", "solana_signTransaction", "tron_signTransaction"].contains(method)
            || wallet.supports(method: method)
    }

    /// Answers a wallet call.
    ///
    /// - Throws: ``WalletError``.
    public func sign(_ request: SigningRequest) async throws -> String {
        switch request.method {
        case "eth_sendTransaction": "0x" + random.hex(64)
        case "solana_signTransaction": try solana(request.parameters)
        case "tron_signTransaction": try tron(request.parameters)
        default: try await wallet.sign(request)
        }
    }

    /// Returns a payer with this wallet, accounts on all chains of the sandbox, and made-up personal data. Without a
    /// chooser it takes the first option at any cost: the money is not real.
    public func payer(chooser: Payer.Chooser? = nil) -> Payer {
        var payer = wallet.payer(chooser: chooser, policy: .firstWhateverItCosts)
        payer.accounts += [Self.solanaAccount, Self.tronAccount].compactMap { try? AccountID($0) }
        payer.signer = self
        payer.dataCollector = { _ in Self.data.mapValues { Redacted($0) } }
        return payer
    }

    private static let data = [
        "fullName": "Ada Example", "dob": "1990-01-15", "pobCountry": "AT", "pobAddress": "Vienna",
        "tosConfirmed": "true",
    ]

    /// Returns the transaction with its one signature filled in.
    private func solana(_ parameters: JSONValue) throws -> String {
        let transaction = (parameters[0] ?? parameters)["transaction"]?.string
        guard let data = transaction.flatMap({ Data(base64Encoded: $0) }), data.count > 65 else {
            throw WalletError.invalidParameters("[{transaction: base64}]")
        }
        var signed = Array(data)
        signed.replaceSubrange(1...64, with: repeatElement(0x5A, count: 64))
        return Data(signed).base64EncodedString()
    }

    private func tron(_ parameters: JSONValue) throws -> String {
        let transaction = parameters[0] ?? parameters
        guard let id = transaction["txID"]?.string.flatMap({ Hex.decode($0) }) else {
            throw WalletError.invalidParameters("{txID, raw_data_hex, raw_data}")
        }
        let key = try Secp256k1PrivateKey([UInt8](repeating: 0, count: 31) + [1])
        let signature = try DevelopmentWallet(privateKey: key).sign(digest: id)
        let answer: JSONValue = [
            "raw_data_hex": transaction["raw_data_hex"] ?? .null,
            "signature": [.string(String(signature.dropFirst(2)))],
        ]
        return answer.text
    }
}
