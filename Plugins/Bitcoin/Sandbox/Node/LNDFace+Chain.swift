import PaymentCore
import PaymentCrypto
import PaymentTesting
import SandboxSupport

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The wallet on the chain of LND: `lnrpc/walletrpc` for what each call finds.
extension LNDFace {
    /// Answers a call; nil for one that is about something else.
    func chainAnswer(_ request: HTTPRequest, _ path: [String], _ body: JSONValue) -> SandboxAnswer? {
        switch (request.method, path) {
        case (.get, ["v2", "wallet", "tx"]): find(FormItems(Substring(request.url.query ?? ""))["txid"] ?? "")
        case (.post, ["v2", "wallet", "psbt", "fund"]): fund(body)
        case (.post, ["v2", "wallet", "psbt", "finalize"]): finalize(body)
        case (.post, ["v2", "wallet", "tx"]): publish(body)
        case (.post, ["v2", "wallet", "utxos", "leases"]):
            json(["locked_utxos": .array(node.chain.coins.filter(\.isReserved).map(lease))])
        case (.post, ["v2", "wallet", "utxos", "release"]): release(body)
        default: nil
        }
    }

    private func fund(_ body: JSONValue) -> SandboxAnswer {
        guard let (address, value) = body["raw"]?["outputs"]?.object?.first,
            let amount = value.string.flatMap({ UInt64($0) })
        else { return error(400, 3, "invalid request") }
        guard body["target_conf"]?.uint64 != nil else {
            return error(500, 2, "fee definition missing, need to specify either target_conf or sat_per_vbyte")
        }
        guard amount >= 294 else { return error(500, 2, "transaction output is dust") }
        guard let transaction = node.chain.prepare(address, amount) else {
            return error(500, 2, "insufficient funds available to construct transaction")
        }
        return json([
            "funded_psbt": base64(Self.draft(transaction.bytes)), "change_output_index": 1,
            "locked_utxos": [lease(node.chain.coins[transaction.coin])],
        ])
    }

    /// A partially signed transaction (BIP-174) with nothing beside the transaction: it has one input and two outputs,
    /// and the simulated wallet needs nothing else to sign.
    private static func draft(_ transaction: [UInt8]) -> [UInt8] {
        head + [1, 0, UInt8(transaction.count)] + transaction + [0, 0, 0, 0]
    }

    private static let head: [UInt8] = [0x70, 0x73, 0x62, 0x74, 0xFF]

    private func finalize(_ body: JSONValue) -> SandboxAnswer {
        guard let draft = bytes(body["funded_psbt"]), draft.count > 12,
            let transaction = node.chain.prepared(Array(draft.dropFirst(Self.head.count + 3).dropLast(4)))
        else { return error(500, 2, "error parsing PSBT: unexpected EOF") }
        return json(["signed_psbt": base64(draft), "raw_final_tx": base64(transaction.signed)])
    }

    private func publish(_ body: JSONValue) -> SandboxAnswer {
        guard let bytes = bytes(body["tx_hex"]), !bytes.isEmpty else {
            return error(500, 2, "must provide a transaction to publish")
        }
        // A node takes what it has published already.
        if node.chain.published.contains(where: { $0.signed == bytes }) { return json(["publish_error": ""]) }
        guard let transaction = node.chain.prepared(bytes),
            let (_, isAcknowledged) = node.chain.send(transaction.id, at: node.height), isAcknowledged
        else { return error(500, 2, "transaction rejected: output already spent") }
        return json(["publish_error": ""])
    }

    private func find(_ id: String) -> SandboxAnswer {
        node.chain.known(id).map { json(row($0)) } ?? error(500, 2, "can not find transaction")
    }

    private func release(_ body: JSONValue) -> SandboxAnswer {
        guard body["id"] == Self.lock, let id = body["outpoint"]?["txid_str"]?.string,
            let index = body["outpoint"]?["output_index"]?.uint64, node.chain.free(id, UInt32(index))
        else { return error(500, 2, "output already unlocked") }
        return json(["status": "output released"])
    }

    // MARK: Members

    /// The id under which the wallet itself reserves.
    private static let lock: JSONValue = .string(Data(repeating: 0xED, count: 32).base64EncodedString())

    private func lease(_ coin: SimulatedChain.Coin) -> JSONValue {
        [
            "id": Self.lock,
            "outpoint": [
                "txid_bytes": base64((Hex.decode(coin.transaction) ?? []).reversed()),
                "txid_str": .string(coin.transaction), "output_index": .number(JSONNumber(UInt64(coin.index))),
            ],
            "expiration": .string("\(UInt64(node.now.timeIntervalSince1970) + 600)"), "pk_script": base64([0, 20]),
            "value": .string("\(coin.amount)"),
        ]
    }

    private func row(_ transaction: SimulatedChain.Transaction) -> JSONValue {
        [
            "tx_hash": .string(transaction.id), "amount": .string("-\(transaction.amount + node.chain.fee)"),
            "num_confirmations": .number(JSONNumber(node.height - transaction.height)), "block_hash": "",
            "block_height": 0, "time_stamp": "0",
            "total_fees": .string("\(node.chain.fee)"), "dest_addresses": [], "output_details": [],
            "raw_tx_hex": .string(Hex.encode(transaction.signed)), "label": "external", "previous_outpoints": [],
        ]
    }

    private func base64(_ bytes: some Sequence<UInt8>) -> JSONValue { .string(Data(bytes).base64EncodedString()) }

    private func bytes(_ text: JSONValue?) -> [UInt8]? {
        text?.string.flatMap { Data(base64Encoded: $0) }.map { Array($0) }
    }
}
