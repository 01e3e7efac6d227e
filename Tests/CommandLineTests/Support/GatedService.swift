import PaymentCore
import PaymentTesting

/// Forwards every request except the first one of a kind, which it reports and then never answers.
final class GatedService: SandboxService {
    private let service: any SandboxService
    private let suffix: String
    private let report: AsyncStream<Void>.Continuation
    /// Yields when the request has arrived.
    let arrivals: AsyncStream<Void>

    init(_ service: any SandboxService, holding suffix: String) {
        self.service = service
        self.suffix = suffix
        (arrivals, report) = AsyncStream.makeStream()
    }

    func respond(to request: HTTPRequest) async -> HTTPResponse {
        guard request.url.path.hasSuffix(suffix) else { return await service.respond(to: request) }
        report.yield()
        // Ends when the server stops and cancels its tasks.
        while !Task.isCancelled { try? await Task.sleep(for: .seconds(3600)) }
        return HTTPResponse(status: 500)
    }
}
