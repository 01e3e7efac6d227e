import PaymentCore
import PaymentCrypto
import PaymentTesting
import SandboxSupport

/// The REST interface of LND 0.21: streams are lines, numbers of 64 bits are strings.
struct LNDFace {
    let node: SimulatedNode

    func answer(_ path: [String], _ request: HTTPRequest) -> SandboxAnswer {
        guard request.headers["Grpc-Metadata-macaroon"] == SimulatedNode.key else {
            return error(500, 2, "verification failed: signature mismatch after caveat verification")
        }
        switch (request.method, path) {
        case (.get, ["v1", "getinfo"]):
            return json([
                "identity_pubkey": .string(SimulatedNode.id),
                "chains": [["chain": "bitcoin", "network": "regtest"]],
            ])
        case (.get, ["v1", "balance", "channels"]): return json(["balance": .string("\(node.balance / 1000)")])
        case (.get, let rest) where rest.count == 3 && rest[1] == "payreq":
            guard let invoice = node.invoice(rest[2]) else { return error(500, 2, "checksum failed") }
            return json([
                "payment_hash": .string(invoice.hash), "num_msat": .string("\(invoice.amount ?? 0)"),
                "features": ["9": ["name": "tlv-onion"]],
            ])
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

    private func pay(_ request: HTTPRequest) -> SandboxAnswer {
        guard let body = try? JSONValue(parsing: request.body), let text = body["payment_request"]?.string else {
            return error(400, 3, "invalid request")
        }
        switch node.pay(text, body["amt_msat"]?.string.flatMap { UInt64($0) }) {
        case .unknownInvoice:
            return error(
                500, 2, "amount must be specified when paying a zero amount invoice", isStream: true)
        case .tooLittleBalance:
            return .response(
                .json(["result": ["status": "FAILED", "failure_reason": "FAILURE_REASON_INSUFFICIENT_BALANCE"]]))
        case .sent(let payment): return line(payment)
        case .known(let payment):
            return error(
                409, 6,
                payment.status(at: node.now) == .succeeded ? "invoice is already paid" : "payment is in transition",
                isStream: true)
        }
    }

    /// The only line of a stream.
    private func line(_ payment: SimulatedNode.Payment) -> SandboxAnswer {
        let status = payment.status(at: node.now)
        let words =
            switch status {
            case .inFlight: "IN_FLIGHT"
            case .succeeded: "SUCCEEDED"
            case .failed: "FAILED"
            }
        let preimage = status == .succeeded ? payment.preimage : String(repeating: "0", count: 64)
        let result: JSONValue = [
            "payment_hash": .string(payment.invoice.hash), "payment_preimage": .string(preimage),
            "value_msat": .string("\(payment.amount)"), "fee_msat": "1500", "status": .string(words),
            "payment_request": .string(payment.invoice.text),
            "failure_reason": .string(status == .failed ? "FAILURE_REASON_NO_ROUTE" : "FAILURE_REASON_NONE"),
        ]
        return .response(
            HTTPResponse(
                status: 200, headers: ["Content-Type": "application/json"],
                body: JSONValue.object(["result": result]).serialized() + [0x0A]))
    }

    private func error(_ status: Int, _ code: Int64, _ message: String, isStream: Bool = false) -> SandboxAnswer {
        let error: JSONValue = ["code": .number(JSONNumber(code)), "message": .string(message), "details": []]
        return json(isStream ? ["error": error] : error, status)
    }

    private func json(_ body: JSONValue, _ status: Int = 200) -> SandboxAnswer {
        .response(.json(body, status: status))
    }
}
