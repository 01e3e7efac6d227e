import PaymentCore
import PaymentTesting
import SandboxSupport

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The interface of phoenixd 0.8: forms in, JSON out, plain text for errors.
struct PhoenixdFace {
    let node: SimulatedNode

    func answer(_ path: [String], _ request: HTTPRequest) -> SandboxAnswer {
        let key = "Basic " + Data((":" + SimulatedNode.key).utf8).base64EncodedString()
        guard request.headers["Authorization"] == key else { return text(401, "Invalid authentication") }
        switch (request.method, path) {
        case (.get, ["getinfo"]):
            return json([
                "nodeId": .string(SimulatedNode.id), "channels": [], "chain": "regtest",
                "blockHeight": .number(JSONNumber(node.height)),
                "version": "0.8.0",
            ])
        case (.get, ["getbalance"]):
            return json(["balanceSat": .number(JSONNumber(node.balance / 1000)), "feeCreditSat": 0])
        case (.post, ["payinvoice"]): return pay(FormItems(Substring(String(decoding: request.body, as: UTF8.self))))
        case (.get, let rest) where rest.count == 3 && rest[1] == "outgoingbyhash":
            return node.payment(rest[2]).map { json(row($0)) } ?? text(404, "Not found")
        default: return text(404, "Unknown endpoint (check api doc)")
        }
    }

    private func pay(_ form: FormItems) -> SandboxAnswer {
        guard let invoice = form["invoice"] else { return text(400, "Missing parameter: invoice") }
        let amount = form["amountSat"].flatMap { UInt64($0) }.map { $0 * 1000 }
        let hash = node.invoice(invoice)?.hash ?? ""
        func reason(_ words: String) -> SandboxAnswer {
            json(["paymentHash": .string(hash), "reason": .string(words)])
        }
        switch node.pay(invoice, amount) {
        case .unknownInvoice: return text(400, "Cannot parse parameter: invoice")
        case .tooLittleBalance: return reason("not enough funds in wallet to afford payment")
        case .known(let payment):
            return reason(
                payment.status(at: node.now) == .succeeded
                    ? "this invoice has already been paid" : "another payment is in progress for that invoice")
        case .sent(let payment):
            switch payment.status(at: node.now) {
            // The call ends with the payment.
            case .inFlight: return .drop
            case .failed: return reason("the recipient was offline or did not have enough liquidity to receive")
            case .succeeded:
                return json([
                    "recipientAmountSat": .number(JSONNumber(payment.amount / 1000)), "routingFeeSat": 8,
                    "paymentId": id(payment), "paymentHash": .string(payment.invoice.hash),
                    "paymentPreimage": .string(payment.preimage),
                ])
            }
        }
    }

    private func row(_ payment: SimulatedNode.Payment) -> JSONValue {
        let status = payment.status(at: node.now)
        var row: JSONValue = [
            "type": "outgoing_payment", "subType": "lightning", "paymentId": id(payment),
            "paymentHash": .string(payment.invoice.hash), "isPaid": .bool(status == .succeeded),
            "sent": .number(JSONNumber(payment.amount / 1000 + 8)),
            "fees": 8000, "invoice": .string(payment.invoice.text), "createdAt": 1_712_779_990_000,
        ]
        if status == .succeeded { row["preimage"] = .string(payment.preimage) }
        if status != .inFlight { row["completedAt"] = 1_712_780_000_000 }
        return row
    }

    /// The payment's id: the first digits of its hash, in the form of a UUID.
    private func id(_ payment: SimulatedNode.Payment) -> JSONValue {
        var rest = Substring(payment.invoice.hash)
        let groups = [8, 4, 4, 4, 12].map { count in
            defer { rest = rest.dropFirst(count) }
            return rest.prefix(count)
        }
        return .string(groups.joined(separator: "-"))
    }

    private func json(_ body: JSONValue) -> SandboxAnswer { .response(.json(body)) }

    private func text(_ status: Int, _ words: String) -> SandboxAnswer {
        .response(HTTPResponse(status: status, headers: ["Content-Type": "text/plain"], body: Array(words.utf8)))
    }
}
