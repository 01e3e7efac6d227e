import PaymentCore
import PaymentCrypto
import PaymentTesting
import SandboxSupport

/// The wallet on the chain of Core Lightning: `plugins/txprepare.c` for what each call finds.
extension CoreLightningFace {
    /// Answers a call; nil for one that is about something else.
    func chainAnswer(_ method: String, _ body: JSONValue) -> SandboxAnswer? {
        switch method {
        case "txprepare": prepare(body)
        case "txsend": send(body)
        case "txdiscard":
            taken(body) { id in
                node.chain.discard(id).map {
                    json(["unsigned_tx": .string(Hex.encode($0.bytes)), "txid": .string($0.id)])
                }
            }
        case "listfunds": json(["outputs": .array(node.chain.coins.map(output)), "channels": []])
        case "sql": query(body["query"]?.string ?? "")
        default: nil
        }
    }

    private func prepare(_ body: JSONValue) -> SandboxAnswer {
        guard let (address, value) = body["outputs"]?[0]?.object?.first, let amount = value.uint64 else {
            return error(500, -32602, "Expected an array of outputs")
        }
        guard amount >= 546 else { return error(500, 302, "Output is below the dust limit") }
        guard let transaction = node.chain.prepare(address, amount) else {
            return error(500, 301, "Could not afford \(amount)sat")
        }
        // The simulated wallet keeps no partially signed form: the settler needs none.
        return json([
            "psbt": "cHNidP8=", "unsigned_tx": .string(Hex.encode(transaction.bytes)), "txid": .string(transaction.id),
        ])
    }

    private func send(_ body: JSONValue) -> SandboxAnswer {
        taken(body) { id in
            guard let (transaction, isAcknowledged) = node.chain.send(id, at: node.height) else { return nil }
            guard isAcknowledged else { return error(500, -1, "Error broadcasting transaction") }
            return json([
                "psbt": "cHNidP8=", "tx": .string(Hex.encode(transaction.bytes)), "txid": .string(transaction.id),
            ])
        }
    }

    /// Answers a call about a prepared transaction.
    private func taken(_ body: JSONValue, _ take: (String) -> SandboxAnswer?) -> SandboxAnswer {
        let id = body["txid"]?.string ?? ""
        return take(id) ?? error(500, -32602, "not an unreleased txid '\(id)'")
    }

    private func output(_ coin: SimulatedChain.Coin) -> JSONValue {
        var output: JSONValue = [
            "txid": .string(coin.transaction), "output": number(UInt64(coin.index)),
            "amount_msat": number(coin.amount * 1000), "scriptpubkey": "0014", "status": "confirmed",
            "blockheight": 100, "reserved": .bool(coin.isReserved),
        ]
        if coin.isReserved { output["reserved_to_block"] = 182 }
        return output
    }

    /// The one query that a wallet makes of the table of transactions.
    private func query(_ text: String) -> SandboxAnswer {
        let head = "SELECT hash FROM transactions WHERE hash = x'"
        guard text.hasPrefix(head), text.hasSuffix("'") else {
            return error(500, -1, "query failed with near \"\(text.prefix(9))\": syntax error")
        }
        let id = text.dropFirst(head.count).dropLast()
        return json(["rows": .array(node.chain.published.filter { $0.id == id }.map { [.string($0.id)] })])
    }
}
