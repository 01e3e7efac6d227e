import Foundation
import PaymentCore
import PaymentSimulation
import PaymentTesting

/// A gateway that refuses some signatures, keeps them all the same, and cashes them minutes later, or never.
actor KeepingGateway: SandboxService {
    private let sandbox: any SandboxService
    private let clock: any PaymentClock
    private let random: SeededRandomSource
    /// The probability that a signature is refused.
    private let share: Double
    private let cashes: Bool
    private var kept: [(request: HTTPRequest, due: Date)] = []

    init(
        _ sandbox: any SandboxService, _ clock: any PaymentClock, _ random: SeededRandomSource, share: Double,
        cashes: Bool
    ) {
        (self.sandbox, self.clock, self.random, self.share) = (sandbox, clock, random, share)
        self.cashes = cashes
    }

    func respond(to request: HTTPRequest) async -> HTTPResponse {
        let due = kept.filter { $0.due <= clock.now }
        kept.removeAll { $0.due <= clock.now }
        for signed in due { _ = await sandbox.respond(to: signed.request) }
        guard request.url.path.hasSuffix("/confirm"), random.happens(share) else {
            return await sandbox.respond(to: request)
        }
        if cashes { kept.append((request, clock.now.addingTimeInterval(Double(random.below(600))))) }
        return HTTPResponse(
            status: 422, headers: ["Content-Type": "application/json"],
            body: Array(#"{"code":"invalid_params","message":"the signature could not be verified"}"#.utf8))
    }
}
