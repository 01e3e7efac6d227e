import PaymentCore
import PaymentTesting

/// The service behind `ann@pay.example` (LUD-06, LUD-16). It has an invoice for each request of 21 satoshi that comes.
actor AddressService: SandboxService {
    /// The purpose of the payment. Each invoice carries its hash.
    static let metadata = #"[["text/plain","a coffee for Ann"]]"#

    private var invoices = Invoice.asked[...]
    private var asksForMore = false
    /// The number of invoices given out.
    private(set) var invoiceCount = 0

    /// Gives out an invoice over more than was asked for from now on.
    func askForMore() { asksForMore = true }

    func respond(to request: HTTPRequest) -> HTTPResponse {
        guard request.url.path == "/invoice" else {
            return answer([
                "tag": "payRequest", "callback": "https://pay.example/invoice", "minSendable": 1000,
                "maxSendable": 1_000_000, "metadata": .string(Self.metadata),
            ])
        }
        // In thousandths of a satoshi.
        guard request.url.query == "amount=21000", let invoice = asksForMore ? .tooHigh : invoices.popFirst() else {
            return answer(["status": "ERROR", "reason": "there is no invoice over this amount"])
        }
        invoiceCount += 1
        return answer(["pr": .string(invoice.text), "routes": []])
    }

    private func answer(_ body: JSONValue) -> HTTPResponse { HTTPResponse(status: 200, body: body.serialized()) }
}
