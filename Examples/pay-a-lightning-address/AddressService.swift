import BitcoinSandbox
import PaymentCore
import PaymentTesting
import Synchronization

/// The service behind `ann@pay.example` (LUD-06, LUD-16), whose invoices the simulated node can pay.
final class AddressService: SandboxService {
    private let node: SimulatedNode
    private let state = Mutex((invoices: 0, surcharge: 0 as UInt64))

    init(node: SimulatedNode) { self.node = node }

    /// The number of invoices made.
    var invoiceCount: Int { state.withLock { $0.invoices } }

    /// Makes invoices over more than was asked for from now on.
    func asksForMore() { state.withLock { $0.surcharge = 1000 } }

    func respond(to request: HTTPRequest) async -> HTTPResponse {
        guard request.url.path == "/invoice" else {
            return answer([
                "tag": "payRequest", "callback": "https://pay.example/invoice", "minSendable": 1000,
                "maxSendable": 1_000_000, "metadata": #"[["text/plain","a coffee for Ann"]]"#,
            ])
        }
        let asked = request.url.query.flatMap { UInt64($0.dropFirst("amount=".count)) } ?? 0
        let surcharge = state.withLock { state in
            state.invoices += 1
            return state.surcharge
        }
        let invoice = try? node.invoice(asked + surcharge)
        return answer(["pr": .string(invoice?.text ?? ""), "routes": []])
    }

    private func answer(_ body: JSONValue) -> HTTPResponse { HTTPResponse(status: 200, body: body.serialized()) }
}
