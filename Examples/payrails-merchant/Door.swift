import PaymentCore
import PaymentTesting

/// The shop's address, which exists before the shop does: the sandbox needs it first.
actor Door: SandboxService {
    private var shop: Shop?

    func open(to shop: Shop) { self.shop = shop }

    func respond(to request: HTTPRequest) async -> HTTPResponse {
        await shop?.respond(to: request) ?? HTTPResponse(status: 503)
    }
}
