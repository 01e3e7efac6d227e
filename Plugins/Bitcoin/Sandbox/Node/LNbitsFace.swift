import PaymentCore
import PaymentTesting
import SandboxSupport

/// The interface of LNbits 1.6, as observed.
struct LNbitsFace {
    let node: SimulatedNode

    func answer(_ path: [String], _ request: HTTPRequest) -> SandboxAnswer {
        guard path.prefix(2) == ["api", "v1"] else { return detail(404, "Not Found") }
        guard let key = request.headers["X-Api-Key"] else { return detail(401, "No Api Key provided.") }
        guard key == SimulatedNode.key else { return detail(404, "Wallet not found.") }
        switch (request.method, Array(path.dropFirst(2))) {
        case (.get, ["wallet"]):
            return json(["id": .string(SimulatedNode.id), "name": "A", "balance": number(node.balance)])
        case (.get, ["payments", "fee-reserve"]):
            guard let text = FormItems(Substring(request.url.query ?? ""))["invoice"], let invoice = node.invoice(text),
                let amount = invoice.amount
            else { return detail(400, "Invoice has no amount.") }
            return json(["fee_reserve": number(max(2000, amount / 100))])
        case (.post, ["payments"]): return pay(request)
        case (.get, let rest) where rest.count == 2 && rest[0] == "payments":
            guard let payment = node.payment(rest[1]) else { return detail(404, "Payment does not exist.") }
            return json(state(payment))
        default: return detail(404, "Not Found")
        }
    }

    private func pay(_ request: HTTPRequest) -> SandboxAnswer {
        guard let text = (try? JSONValue(parsing: request.body))?["bolt11"]?.string else {
            return detail(400, "Missing BOLT11 invoice")
        }
        switch node.pay(text, nil, isOnce: true) {
        case .unknownInvoice: return detail(520, "Bolt11 decoding failed.", "failed")
        case .tooLittleBalance: return detail(520, "Insufficient balance.", "failed")
        case .sent(let payment):
            return status(payment) == .failed
                ? detail(520, "Payment failed: FAILURE_REASON_NO_ROUTE", "failed") : json(row(payment), 201)
        case .known(let payment):
            switch status(payment) {
            case .inFlight: return detail(520, "Payment is still pending.", "pending")
            case .succeeded: return detail(520, "Payment already paid.", "success")
            case .failed: return json(row(payment), 201)
            }
        }
    }

    private func state(_ payment: SimulatedNode.Payment) -> JSONValue {
        let details = row(payment)
        return switch status(payment) {
        case .succeeded: ["paid": true, "preimage": preimage(payment), "details": details]
        case .failed: ["paid": false, "status": "failed", "details": details]
        case .inFlight: ["paid": false, "status": "pending", "preimage": nil, "details": details]
        }
    }

    private func row(_ payment: SimulatedNode.Payment) -> JSONValue {
        let status =
            switch status(payment) {
            case .inFlight: "pending"
            case .succeeded: "success"
            case .failed: "failed"
            }
        let text = JSONValue.string(payment.invoice.text)
        return [
            "checking_id": .string(payment.invoice.hash), "payment_hash": .string(payment.invoice.hash),
            "wallet_id": .string(SimulatedNode.id), "amount": .number(JSONNumber(-Int64(payment.amount))),
            "fee": -1500, "status": .string(status), "bolt11": text, "payment_request": text,
            "preimage": preimage(payment), "memo": nil, "external_id": nil, "webhook": nil, "tag": nil,
            "labels": [], "extra": [:],
        ]
    }

    /// The server's opinion of a payment.
    private func status(_ payment: SimulatedNode.Payment) -> SimulatedNode.Payment.Status {
        let status = payment.status(at: node.now)
        return status == .inFlight && payment.scenario.isCalledFailed ? .failed : status
    }

    private func preimage(_ payment: SimulatedNode.Payment) -> JSONValue {
        payment.status(at: node.now) == .succeeded ? .string(payment.preimage) : .null
    }

    private func detail(_ status: Int, _ text: String, _ word: String? = nil) -> SandboxAnswer {
        var body: JSONValue = ["detail": .string(text)]
        body["status"] = word.map { .string($0) }
        return json(body, status)
    }

    private func json(_ body: JSONValue, _ status: Int = 200) -> SandboxAnswer {
        .response(.json(body, status: status))
    }
    private func number(_ value: UInt64) -> JSONValue { .number(JSONNumber(value)) }
}
