import PaymentCore
import PaymentCrypto
import PaymentStandards
import PaymentTesting
import SandboxSupport

/// The REST interface of Core Lightning 26.06 (`clnrest`): every call is a POST, and 201 is success.
struct CoreLightningFace {
    let node: SimulatedNode

    func answer(_ path: [String], _ request: HTTPRequest) -> SandboxAnswer {
        guard request.headers["Rune"] == SimulatedNode.key else { return error(401, 1502, "Not permitted") }
        guard request.method == .post, path.count == 2, path[0] == "v1",
            let body = try? JSONValue(parsing: request.body)
        else { return error(404, -32601, "Unknown command") }
        let payment = body["payment_hash"]?.string.flatMap(node.payment)
        switch path[1] {
        case "getinfo":
            return json([
                "id": .string(SimulatedNode.id), "alias": "SIMULATED", "color": "025e5e", "num_peers": 1,
                "num_pending_channels": 0, "num_active_channels": 1, "num_inactive_channels": 0, "address": [],
                "version": "v26.06", "blockheight": number(node.height), "network": "regtest", "fees_collected_msat": 0,
                "lightning-dir": "/simulated/regtest",
            ])
        case "decode":
            guard let invoice = body["string"]?.string.flatMap(node.invoice) else {
                return error(500, -32602, "string: not a readable text")
            }
            return json(body["string"]?.string?.hasPrefix("lni") == true ? offered(invoice) : decoded(invoice))
        case "fetchinvoice": return fetch(body)
        case "xpay": return pay(body)
        case "listpays": return json(["pays": .array(payment.map { [row($0)] } ?? [])])
        case "listsendpays": return json(["payments": .array(payment.map { [part($0)] } ?? [])])
        default: return chainAnswer(path[1], body) ?? error(404, -32601, "Unknown command '\(path[1])'")
        }
    }

    private func offered(_ invoice: SimulatedInvoice) -> JSONValue {
        [
            "type": "bolt12 invoice", "valid": true, "invoice_payment_hash": .string(invoice.hash),
            "invoice_amount_msat": number(invoice.amount ?? 0),
            "invoice_created_at": number(invoice.draft.timestamp),
            "invoice_relative_expiry": number(invoice.draft.lifetime), "invoice_paths": [],
            "invreq_metadata": .string(Hex.encode(invoice.draft.paymentHash.prefix(16))),
            "invreq_payer_id": .string(invoice.payee), "signature": .string(Hex.encode(invoice.signature)),
        ]
    }

    private func fetch(_ body: JSONValue) -> SandboxAnswer {
        guard let offer = body["offer"]?.string, let amount = body["amount_msat"]?.uint64 else {
            return error(500, -32602, "missing required parameter")
        }
        do {
            guard let invoice = try node.invoice(of: offer, over: amount) else {
                return error(500, 1003, "Could not find a way to the node of the offer")
            }
            return json(["invoice": .string(invoice.text), "changes": [:]])
        } catch { return self.error(500, 1004, "\(error)") }
    }

    private func decoded(_ invoice: SimulatedInvoice) -> JSONValue {
        let draft = invoice.draft
        var answer: JSONValue = [
            "type": "bolt11 invoice", "valid": true, "payment_hash": .string(invoice.hash),
            "currency": draft.network == .mainnet ? "bc" : "bcrt", "created_at": number(draft.timestamp),
            "expiry": number(draft.lifetime), "payee": .string(invoice.payee), "min_final_cltv_expiry": 40,
            "payment_secret": .string(Hex.encode(draft.paymentSecret)),
            "signature": .string(Hex.encode(invoice.signature)),
        ]
        answer["amount_msat"] = invoice.amount.map(number)
        switch draft.purpose {
        case .words(let words): answer["description"] = .string(words)
        case .hash(let hash): answer["description_hash"] = .string(Hex.encode(hash))
        }
        return answer
    }

    private func pay(_ body: JSONValue) -> SandboxAnswer {
        guard let text = body["invstring"]?.string else { return error(500, -32602, "missing required parameter") }
        guard !node.isExpired(text) else { return error(500, 207, "Invoice expired") }
        switch node.pay(text, body["amount_msat"]?.uint64) {
        case .unknownInvoice: return error(500, -32602, "invstring: invalid invoice")
        case .tooLittleBalance: return error(500, 205, "We could not find a usable set of paths")
        case .known(let payment):
            return payment.status(at: node.now) == .succeeded
                ? error(500, 219, "Already paid this invoice successfully")
                : error(500, -3, "Unexpected injectpaymentonion error 200: still in progress")
        case .sent(let payment):
            switch payment.status(at: node.now) {
            // The call ends with the payment.
            case .inFlight: return .drop
            case .failed: return error(500, 205, "We could not find a usable set of paths")
            case .succeeded:
                return json([
                    "payment_preimage": .string(payment.preimage), "amount_msat": number(payment.amount),
                    "amount_sent_msat": number(payment.amount + 1500), "failed_parts": 0, "successful_parts": 1,
                ])
            }
        }
    }

    /// The members of a payment and of a part alike.
    private func common(_ payment: SimulatedNode.Payment) -> JSONValue {
        var row: JSONValue = [
            "payment_hash": .string(payment.invoice.hash),
            (payment.invoice.isOffered ? "bolt12" : "bolt11"): .string(payment.invoice.text),
            "created_at": number(payment.sentSecond), "created_index": 1,
        ]
        switch payment.status(at: node.now) {
        case .inFlight: row["status"] = "pending"
        case .failed: row["status"] = "failed"
        case .succeeded:
            row["status"] = "complete"
            row["completed_at"] = row["created_at"]
        }
        return row
    }

    private func row(_ payment: SimulatedNode.Payment) -> JSONValue {
        var row = common(payment)
        let status = payment.status(at: node.now)
        if status != .inFlight { row["amount_sent_msat"] = number(payment.amount + 1500) }
        if status == .succeeded {
            row["amount_msat"] = number(payment.amount)
            row["preimage"] = .string(payment.preimage)
        }
        return row
    }

    private func part(_ payment: SimulatedNode.Payment) -> JSONValue {
        var part = common(payment)
        part["id"] = 1
        part["groupid"] = 1
        part["amount_msat"] = number(payment.amount)
        part["amount_sent_msat"] = number(payment.amount + 1500)
        if payment.status(at: node.now) == .succeeded { part["payment_preimage"] = .string(payment.preimage) }
        return part
    }

    func error(_ status: Int, _ code: Int64, _ message: String) -> SandboxAnswer {
        json(["code": .number(JSONNumber(code)), "message": .string(message)], status)
    }

    func json(_ body: JSONValue, _ status: Int = 201) -> SandboxAnswer {
        .response(.json(body, status: status))
    }
    func number(_ value: UInt64) -> JSONValue { .number(JSONNumber(value)) }
}

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
