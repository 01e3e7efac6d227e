import PaymentCore

/// Tampering with Solana transactions.
extension WalletConnectPaySandbox.TamperedAnswer {
    private static let transactionText = "\(call)/params/0/transaction"

    /// The byte offsets of the honest transaction's parts: one signature, three keys, one transfer. See
    /// ``ForeignCalls``.
    private enum Place {
        static let signature = 1..<65
        static let header = 65
        static let keys = 69
        static let instructions = keys + 3 * 32 + 32
    }

    private static func bytes(
        _ name: String, _ summary: String, rejection: String, _ change: @escaping @Sendable (inout [UInt8]) -> Void
    ) -> Self {
        Self(name, .solana, summary, rejection: rejection, .bytes(transactionText, change))
    }

    /// Another instruction of the System program, after the transfer.
    private static func instruction(
        _ name: String, _ data: [UInt8], _ summary: String, rejection: String, first: Bool = false
    ) -> Self {
        bytes(name, summary, rejection: rejection) { bytes in
            bytes[Place.instructions] = 2
            let added: [UInt8] = [2, 2, 0, 1, UInt8(data.count)] + data
            bytes.insert(contentsOf: added, at: first ? Place.instructions + 1 : bytes.count)
        }
    }

    private static let transfer: [UInt8] = [2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]

    static let solana: [Self] = [
        Self(
            "solana-more", .solana, "has more sent than it shows", rejection: "(amount, ", .set("/0/amount/value", "1")),
        Self(
            "solana-with-6-decimals", .solana, "shows SOL with a token's digits", rejection: "display-decimals",
            .set("/0/amount/display/decimals", 6)),
        Self(
            "solana-other-name", .solana, "calls SOL by another name", rejection: "display-symbol",
            .set("/0/amount/display/assetSymbol", "USDC")),
        Self(
            "solana-other-network", .solana, "names a test network", rejection: "option-",
            .set("/0/amount/unit", "caip19/solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1/slip44:501")),
        Self(
            "solana-unreadable", .solana, "sends what is no transaction", rejection: "solana-malformed",
            .set(transactionText, "AAAA!")),
        Self(
            "solana-with-options", .solana, "hides a member beside the transaction", rejection: "params-shape",
            .set("\(call)/params/0/skipPreflight", true)),
        Self(
            "solana-two-transactions", .solana, "hides a second transaction", rejection: "params-shape",
            .copy("\(call)/params/0", to: "\(call)/params/1")),
        bytes("solana-trailing", "hides bytes behind the transaction", rejection: "solana-malformed") { $0.append(0) },
        bytes("solana-cut", "leaves the end out", rejection: "solana-malformed") { $0.removeLast() },
        bytes("solana-version-1", "uses a version that is not known", rejection: "solana-version") {
            $0.insert(0x81, at: Place.header)
        },
        bytes("solana-lookup-table", "names accounts by a table", rejection: "solana-lookup-table") { bytes in
            bytes.insert(0x80, at: Place.header)
            bytes += [1] + [UInt8](repeating: 7, count: 32) + [1, 0, 0]
        },
        bytes("solana-signed-already", "fills the payer's signature in", rejection: "solana-signers") {
            $0[Place.signature.lowerBound] = 1
        },
        bytes("solana-another-payer", "has another account pay", rejection: "solana-signers") { $0[Place.keys] ^= 1 },
        bytes("solana-unknown-program", "calls an unknown program", rejection: "solana-program") {
            $0[Place.keys + 64] = 9
        },
        bytes("solana-to-the-payer", "sends in a circle", rejection: "solana-") { bytes in
            bytes.replaceSubrange(Place.keys + 32..<Place.keys + 64, with: bytes[Place.keys..<Place.keys + 32])
        },
        instruction("solana-two-transfers", transfer, "has two transfers made", rejection: "list-two-payments"),
        instruction(
            "solana-assign", [1, 0, 0, 0] + [UInt8](repeating: 9, count: 32), "has the account given to a program",
            rejection: "solana-instruction"),
        instruction(
            "solana-allocate", [8, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0], "has the account made a program's",
            rejection: "solana-instruction"),
        instruction(
            "solana-durable-nonce", [4, 0, 0, 0], "has a signature made that never ends",
            rejection: "solana-durable-nonce", first: true),
    ]
}
