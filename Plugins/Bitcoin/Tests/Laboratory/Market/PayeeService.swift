import BitcoinSandbox
import PaymentCore
import PaymentCrypto
import PaymentSimulation
import PaymentStandards
import PaymentTesting
import SandboxSupport

/// The service of a payee with a Lightning address: it makes another invoice for each request.
struct PayeeService: SandboxService {
    static let host = "pay.example"
    /// The address.
    static let name = "ann@pay.example"
    /// The amount that the payer states where it is left open, in satoshi.
    static let amount: UInt64 = 2100
    private static let metadata = #"[["text/plain","tea"],["text/identifier","ann@pay.example"]]"#

    private let node: WalletNode

    init(_ node: WalletNode) { self.node = node }

    func respond(to request: HTTPRequest) async -> HTTPResponse {
        guard request.url.path == "/callback" else {
            return .json([
                "tag": "payRequest", "callback": "https://pay.example/callback", "minSendable": 1000,
                "maxSendable": 10_000_000, "metadata": .string(Self.metadata),
            ])
        }
        let amount = FormItems(Substring(request.url.query ?? ""))["amount"].flatMap { UInt64($0) }
        let invoice = node.invoice(
            amount, node.plan(), lifetime: 600, purpose: .hash(Digest.sha256.hash(Array(Self.metadata.utf8))),
            isToPayee: true)
        return .json(["pr": .string(invoice.text), "routes": []])
    }
}
