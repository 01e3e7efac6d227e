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

    /// The only line of a stream. That of a payment in flight comes at once, where a node that is asked for the last
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
