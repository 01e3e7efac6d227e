import PaymentCore
import PaymentTesting

/// The shop's address, which is there before the shop is: the sandbox has to be told it.
actor Door: SandboxService {
    private var shop: Shop?

    func open(to shop: Shop) { self.shop = shop }

    func respond(to request: HTTPRequest) async -> HTTPResponse {
        await shop?.respond(to: request) ?? HTTPResponse(status: 503)
    }
}
