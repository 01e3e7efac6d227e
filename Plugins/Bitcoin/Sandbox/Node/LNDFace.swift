import PaymentCore
import PaymentCrypto
import PaymentStandards
import PaymentTesting
import SandboxSupport

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The REST interface of LND 0.21: streams are lines, numbers of 64 bits are strings.
struct LNDFace {
    let node: SimulatedNode

    func answer(_ path: [String], _ request: HTTPRequest) -> SandboxAnswer {
        guard request.headers["Grpc-Metadata-macaroon"] == SimulatedNode.key else {
            return error(500, 2, "verification failed: signature mismatch after caveat verification")
        }
        if let answer = chainAnswer(request, path, (try? JSONValue(parsing: request.body)) ?? .null) {
            return answer
        }
        switch (request.method, path) {
        case (.get, ["v1", "getinfo"]):
            return json([
                "version": "0.21.0-beta", "commit_hash": "", "identity_pubkey": .string(SimulatedNode.id),
                "alias": "simulated", "color": "#025e5e", "num_pending_channels": 0, "num_active_channels": 1,
                "num_inactive_channels": 0, "num_peers": 1, "block_height": .number(JSONNumber(node.height)),
                "block_hash": .string(String(repeating: "0", count: 64)), "best_header_timestamp": "0",
                "synced_to_chain": true, "synced_to_graph": true, "testnet": false,
                "chains": [["chain": "bitcoin", "network": "regtest"]], "uris": [], "features": Self.features,
                "require_htlc_interceptor": false, "store_final_htlc_resolutions": false, "wallet_synced": true,
            ])
        case (.get, ["v1", "balance", "channels"]):
            let zero = amount(0)
            return json([
                "balance": .string("\(node.balance / 1000)"), "pending_open_balance": "0",
                "local_balance": amount(node.balance), "remote_balance": zero, "unsettled_local_balance": zero,
                "unsettled_remote_balance": zero, "pending_open_local_balance": zero,
                "pending_open_remote_balance": zero, "custom_channel_data": "",
            ])
        case (.get, let rest) where rest.count == 3 && rest[1] == "payreq":
            guard let invoice = node.invoice(rest[2]) else { return error(500, 2, "checksum failed") }
            return json(decoded(invoice))
        case (.post, ["v2", "router", "send"]): return pay(request)
        case (.get, let rest) where rest.count == 4 && rest[2] == "track":
            let text = PercentCoding.decode(rest[3], plusIsSpace: false) ?? ""
            guard text.hasSuffix("="), let hash = Base64URL.decode(text.dropLast()) else {
                return error(400, 3, "invalid hash")
            }
            guard let payment = node.payment(Hex.encode(hash)) else {
                return error(404, 5, "payment isn't initiated", isStream: true)
            }
            return line(payment)
        default: return error(404, 5, "Not Found")
        }
    }

    /// The features of invoices and of the node: payments have secrets.
    private static let features: JSONValue = [
        "8": ["name": "tlv-onion", "is_required": true, "is_known": true],
        "14": ["name": "payment-addr", "is_required": true, "is_known": true],
    ]

    private func amount(_ msat: UInt64) -> JSONValue {
        ["sat": .string("\(msat / 1000)"), "msat": .string("\(msat)")]
    }

    private func decoded(_ invoice: SimulatedInvoice) -> JSONValue {
        let draft = invoice.draft
        let (words, hash): (String, [UInt8]) =
            switch draft.purpose {
            case .words(let words): (words, [])
            case .hash(let hash): ("", hash)
            }
        return [
            "destination": .string(invoice.payee), "payment_hash": .string(invoice.hash),
            "num_satoshis": .string("\((invoice.amount ?? 0) / 1000)"), "timestamp": .string("\(draft.timestamp)"),
            "expiry": .string("\(draft.lifetime)"), "description": .string(words),
            "description_hash": .string(Hex.encode(hash)), "fallback_addr": "", "cltv_expiry": "40",
            "route_hints": [], "payment_addr": .string(Data(draft.paymentSecret).base64EncodedString()),
            "num_msat": .string("\(invoice.amount ?? 0)"), "features": Self.features, "blinded_paths": [],
        ]
    }

    private func pay(_ request: HTTPRequest) -> SandboxAnswer {
        guard let body = try? JSONValue(parsing: request.body), let text = body["payment_request"]?.string else {
            return error(400, 3, "invalid request")
        }
        let amount = body["amt_msat"]?.string.flatMap { UInt64($0) }
        guard !node.isExpired(text) else {
            return error(500, 2, "invoice expired. Valid until 2026-01-01 00:00:00 +0000 UTC", isStream: true)
        }
        switch node.pay(text, amount) {
        case .unknownInvoice:
            return error(
                500, 2, "amount must be specified when paying a zero amount invoice", isStream: true)
        case .tooLittleBalance:
            guard let invoice = node.invoice(text) else { return error(500, 2, "checksum failed", isStream: true) }
            let attempt = SimulatedNode.Payment(
                invoice: invoice, amount: invoice.amount ?? amount ?? 0, scenario: .refuses, sentAt: node.now)
            return line(attempt, "FAILURE_REASON_INSUFFICIENT_BALANCE")
        case .sent(let payment): return line(payment)
        case .known(let payment):
            return error(
                409, 6,
                payment.status(at: node.now) == .succeeded ? "invoice is already paid" : "payment is in transition",
                isStream: true)
        }
    }

    /// The only line of a stream. That of a payment in flight comes at once, whereas a node that is asked for the last
    /// line only would wait for the payment's end.
    private func line(
        _ payment: SimulatedNode.Payment, _ reason: String = "FAILURE_REASON_NO_ROUTE"
    ) -> SandboxAnswer {
        let status = payment.status(at: node.now)
        let words =
            switch status {
            case .inFlight: "IN_FLIGHT"
            case .succeeded: "SUCCEEDED"
            case .failed: "FAILED"
            }
        let preimage = status == .succeeded ? payment.preimage : String(repeating: "0", count: 64)
        let (fee, satoshi): (UInt64, JSONValue) = (status == .failed ? 0 : 1500, .string("\(payment.amount / 1000)"))
        let result: JSONValue = [
            "payment_hash": .string(payment.invoice.hash), "payment_preimage": .string(preimage), "value": satoshi,
            "value_sat": satoshi, "value_msat": .string("\(payment.amount)"), "fee": .string("\(fee / 1000)"),
            "fee_sat": .string("\(fee / 1000)"), "fee_msat": .string("\(fee)"), "status": .string(words),
            "creation_date": .string("\(payment.sentSecond)"),
            "creation_time_ns": .string("\(payment.sentSecond * 1_000_000_000)"),
            "payment_request": .string(payment.invoice.text), "payment_index": "1", "htlcs": [],
            "failure_reason": .string(status == .failed ? reason : "FAILURE_REASON_NONE"),
            "first_hop_custom_records": [:],
        ]
        return .response(
            HTTPResponse(
                status: 200, headers: ["Content-Type": "application/json"],
                body: JSONValue.object(["result": result]).serialized() + [0x0A]))
    }

    func error(_ status: Int, _ code: Int64, _ message: String, isStream: Bool = false) -> SandboxAnswer {
        let error: JSONValue = ["code": .number(JSONNumber(code)), "message": .string(message), "details": []]
        return json(isStream ? ["error": error] : error, status)
    }

    func json(_ body: JSONValue, _ status: Int = 200) -> SandboxAnswer {
        .response(.json(body, status: status))
    }
}

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

    /// A partially signed transaction (BIP-174) with nothing but the transaction: it has one input and two outputs,
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
        // A node accepts a transaction that it has published already.
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

    /// The id of the wallet's own reservations.
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
