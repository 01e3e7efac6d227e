import PaymentCore
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
        case "getinfo": return json(["id": .string(SimulatedNode.id), "network": "regtest"])
        case "decode":
            guard let invoice = body["string"]?.string.flatMap(node.invoice) else { return json(["valid": false]) }
            var answer: JSONValue = ["type": "bolt11 invoice", "valid": true, "payment_hash": .string(invoice.hash)]
            answer["amount_msat"] = invoice.amount.map { .number(JSONNumber($0)) }
            return json(answer)
        case "xpay": return pay(body)
        case "listpays": return json(["pays": .array(payment.map { [row($0)] } ?? [])])
        case "listsendpays": return json(["payments": .array(payment.map { [row($0)] } ?? [])])
        default: return error(404, -32601, "Unknown command '\(path[1])'")
        }
    }

    private func pay(_ body: JSONValue) -> SandboxAnswer {
        guard let text = body["invstring"]?.string else { return error(500, -32602, "missing required parameter") }
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
                    "amount_sent_msat": number(payment.amount + 1500),
                ])
            }
        }
    }

    private func row(_ payment: SimulatedNode.Payment) -> JSONValue {
        var row: JSONValue = [
            "payment_hash": .string(payment.invoice.hash), "bolt11": .string(payment.invoice.text),
            "amount_msat": number(payment.amount), "created_at": 0,
        ]
        switch payment.status(at: node.now) {
        case .inFlight: row["status"] = "pending"
        case .failed: row["status"] = "failed"
        case .succeeded:
            row["status"] = "complete"
            row["preimage"] = .string(payment.preimage)
            row["amount_sent_msat"] = number(payment.amount + 1500)
        }
        return row
    }

    private func error(_ status: Int, _ code: Int64, _ message: String) -> SandboxAnswer {
        json(["code": .number(JSONNumber(code)), "message": .string(message)], status)
    }

    private func json(_ body: JSONValue, _ status: Int = 201) -> SandboxAnswer {
        .response(.json(body, status: status))
    }
    private func number(_ value: UInt64) -> JSONValue { .number(JSONNumber(value)) }
}
