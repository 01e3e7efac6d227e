import PaykitProvider
import PaykitSandbox
import PaymentCore
import PaymentSimulation
import PaymentTesting
import Synchronization

/// A simulated Pubky network in which some payees publish a new invoice after each read: the endpoint that a payer has
/// chosen is never the published one at the time of payment. All of their invoices are over ``amount``, and stay valid.
final class ChangingPayees: SandboxService {
    /// In satoshi.
    static let amount: UInt64 = 2100

    private static let path = "/pub/paykit.app/v0/lightning"
    private let sandbox: PubkySandbox
    private let keys = Mutex<[String: PubkyKey]>([:])

    init(_ sandbox: PubkySandbox) { self.sandbox = sandbox }

    /// Makes a payee change its invoice from now on.
    func add(_ key: PubkyKey) async {
        keys.withLock { $0[key.text] = key }
        await change(key)
    }

    func respond(to request: HTTPRequest) async -> HTTPResponse {
        var response = await sandbox.respond(to: request)
        guard request.method == .get, request.url.path == Self.path, response.status == 200,
            let key = keys.withLock({ $0[request.headers["pubky-host"] ?? ""] })
        else { return response }
        // Two concurrent readers get one invoice each.
        response.body = await change(key)
        response.headers["Content-Length"] = nil
        return response
    }

    @discardableResult
    private func change(_ key: PubkyKey) async -> [UInt8] {
        let invoice = Array(await sandbox.createInvoice(Self.amount, for: key).utf8)
        await sandbox.publish(invoice, at: Self.path, of: key)
        return invoice
    }
}
