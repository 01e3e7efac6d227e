import PaymentCore
import PaymentStandards
import PaymentTesting

/// An LNbits server with one wallet: the four requests that `LNbitsWallet` sends. It pays the example's invoices, with
/// money that does not exist.
actor SimulatedLNbits: SandboxService {
    /// The admin key of the wallet.
    static let key = "0123456789abcdef0123456789abcdef"

    /// The records of what was sent, by payment hash.
    private var payments: [String: JSONValue] = [:]

    /// The number of payments sent.
    var sentCount: Int { payments.count }

    func respond(to request: HTTPRequest) -> HTTPResponse {
        guard request.headers["X-Api-Key"] == Self.key else { return answer(404, ["detail": "Wallet not found."]) }
        let path = request.url.path.split(separator: "/").map(String.init)
        switch (request.method, path.dropFirst(2)) {
        case (.get, ["wallet"]): return answer(200, ["id": "wallet-1", "name": "Ben", "balance": 1_000_000])
        case (.get, ["payments", "fee-reserve"]): return answer(200, ["fee_reserve": 2000])
        case (.post, ["payments"]): return pay(request)
        case (.get, let rest) where rest.count == 2 && rest.first == "payments":
            guard let payment = payments[path[3]] else { return answer(404, ["detail": "Payment does not exist."]) }
            return answer(200, ["paid": true, "details": payment])
        default: return answer(404, ["detail": "Not Found"])
        }
    }

    private func pay(_ request: HTTPRequest) -> HTTPResponse {
        guard let text = (try? JSONValue(parsing: request.body))?["bolt11"]?.string,
            let invoice = Invoice.all.first(where: { $0.text == text }),
            let fields = try? Bolt11(text: text).fields, let hash = fields["paymentHash"]?.string,
            let amount = fields["amountMsat"]?.int64
        else { return answer(520, ["detail": "Bolt11 decoding failed.", "status": "failed"]) }
        guard payments[hash] == nil else {
            return answer(520, ["detail": "Payment already paid.", "status": "success"])
        }
        let payment: JSONValue = [
            "wallet_id": "wallet-1", "payment_hash": .string(hash), "bolt11": .string(text), "status": "success",
            "amount": .number(JSONNumber(-amount)), "fee": 0, "preimage": .string(invoice.preimage),
        ]
        payments[hash] = payment
        return answer(201, payment)
    }

    private func answer(_ status: Int, _ body: JSONValue) -> HTTPResponse {
        HTTPResponse(status: status, body: body.serialized())
    }
}
