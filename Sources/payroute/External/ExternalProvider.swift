import PaymentCore
import Synchronization

/// A payment provider that is another program, in any language: an executable called `payroute-provider-<name>`.
///
/// The program only requests actions. Requests are sent here, to the hosts that it declared, steps are journaled here,
/// and the meaning of an error for the money is decided here. A program that crashes, hangs or lies is no worse than
/// any other provider that does.
struct ExternalProvider: PaymentProvider {
    /// The times to wait for the program.
    struct Limits: Sendable {
        /// For its answer to the handshake.
        var handshake = Duration.seconds(10)
        /// For each of its messages: slower work is done for it.
        var message = Duration.seconds(10)
        /// The highest number of messages in one call.
        var messages = 1000
    }

    /// The path of the program.
    let path: String
    let manifest: ExternalManifest
    let limits: Limits
    private let start: Start
    private let builtIn: BuiltInClaims?
    private let idle = IdleProcesses()

    var descriptor: ProviderDescriptor { manifest.descriptor }

    /// The settings and secrets that the program receives when it starts.
    struct Start: Sendable {
        let name: String
        /// The sandbox that it should call instead of its service.
        let sandbox: HTTPURL?
        let environment: [String: String]
        /// Receives each line of its standard error, escaped.
        let report: ErrorLines.Report
    }

    /// Starts the program once, and asks for its manifest.
    ///
    /// - Parameter builtIn: The texts that it may not take.
    /// - Throws: ``ExternalManifest/Defect`` when it cannot be used.
    init(
        name: String, path: String, sandbox: HTTPURL? = nil, environment: [String: String] = [:],
        limits: Limits = Limits(), builtIn: BuiltInClaims? = nil, report: @escaping ErrorLines.Report = { _ in }
    ) throws(ExternalManifest.Defect) {
        self.path = path
        self.limits = limits
        self.builtIn = builtIn
        start = Start(name: name, sandbox: sandbox, environment: environment, report: report)
        do {
            let process = try ExternalProcess(path, environment: environment, report: start.report)
            manifest = try ExternalManifest(try Self.hello(process, start, limits), name: name)
            idle.keep(process)
        } catch let defect as ExternalManifest.Defect {
            throw defect
        } catch {
            let reason = (error as? ExternalProcess.ProcessError).map { $0.words } ?? "\(error)"
            throw ExternalManifest.Defect(description: "the external provider '\(name)' \(reason)")
        }
    }

    /// Matches a link by the manifest, unless it belongs to a built-in provider.
    func recognize(_ link: PaymentLink) -> LinkMatch? {
        guard let match = manifest.links.lazy.compactMap({ $0.match(link) }).first, builtIn?.owner(of: link) == nil
        else { return nil }
        return match
    }

    func quote(_ request: QuoteRequest, in context: ProviderContext) async throws -> ProviderQuote {
        try await call(
            [
                "type": "call", "call": "quote", "reference": .string(request.reference.id),
                "link": .string(request.link.text),
            ], ending: "quote", context
        ) { try ExternalNames.quote($0, of: request.reference) }
    }

    func pay(_ attempt: PaymentAttempt, in context: ProviderContext) async throws -> ServiceReport {
        let option = attempt.option
        var message: JSONValue = [
            "type": "call", "call": "pay", "reference": .string(attempt.reference.id),
            "key": .string(attempt.idempotencyKey),
            "option": [
                "id": .string(option.id), "amount": ExternalNames.amount(option.amount),
                "data": option.providerData ?? .null,
            ],
        ]
        if let link = context.link { message["link"] = .string(link.text) }
        return try await call(message, ending: "outcome", context, key: attempt.idempotencyKey) {
            try ExternalNames.report($0, of: attempt.reference)
        }
    }

    func status(of payment: PaymentReference, in context: ProviderContext) async throws -> ServiceReport {
        try await call(
            ["type": "call", "call": "status", "reference": .string(payment.id)], ending: "outcome", context
        ) { try ExternalNames.report($0, of: payment) }
    }

    // MARK: Calls

    private func call<Answer>(
        _ message: JSONValue, ending: String, _ context: ProviderContext, key: String? = nil,
        _ read: (JSONValue) throws -> Answer
    ) async throws -> Answer {
        let call = ExternalCall(manifest: manifest, limits: limits, context: context, key: key)
        do {
            let process = try idle.take() ?? newProcess()
            // After any failure the program's state is unknown: it ends with the call.
            let answer = try await call.run(message, ending: ending, process)
            idle.keep(process)
            return try call.judging { try read(answer) }
        } catch let failure as ExternalProcess.ProcessError {
            throw call.error(failure)
        }
    }

    private func newProcess() throws -> ExternalProcess {
        let process = try ExternalProcess(path, environment: start.environment, report: start.report)
        let now: ExternalManifest
        do { now = try ExternalManifest(try Self.hello(process, start, limits), name: start.name) } catch {
            if let failure = error as? ExternalProcess.ProcessError { throw failure }
            throw PaymentError(.providerFault, "\(error)", provider: descriptor.id)
        }
        guard now == manifest else {
            throw PaymentError(
                .providerFault, "the external provider says other things of itself than before; start again",
                provider: descriptor.id)
        }
        return process
    }

    private static func hello(
        _ process: ExternalProcess, _ start: Start, _ limits: Limits
    ) throws(ExternalProcess.ProcessError) -> JSONValue {
        let hello: JSONValue = [
            "type": "hello", "protocol": [.number(JSONNumber(ExternalManifest.protocolVersion))],
            "sandbox": start.sandbox.map { .string($0.text) } ?? .null,
        ]
        try process.send(hello, within: limits.handshake)
        return try process.receive(within: limits.handshake)
    }
}

extension ExternalProcess.ProcessError {
    /// The error in words, after the provider's name.
    var words: String {
        switch self {
        case .cannotStart(let reason): "cannot be started: \(reason)"
        case .late(let limit): "said nothing for \(Int(limit / .seconds(1))) seconds and was stopped"
        case .ended: "ended, or closed its output, before it had answered"
        case .tooLong: "sent a line of more than \(ExternalProcess.lineLimit >> 20) MiB"
        case .malformed: "sent a line that is no JSON object"
        case .cancelled: "was stopped, because its caller was cancelled"
        }
    }
}

/// Processes that wait for a call. They end with the provider.
private final class IdleProcesses: Sendable {
    private static let most = 4
    private let processes = Mutex<[ExternalProcess]>([])

    func take() -> ExternalProcess? {
        while let process = processes.withLock({ $0.popLast() }) {
            if process.isReady { return process }
        }
        return nil
    }

    func keep(_ process: ExternalProcess) {
        processes.withLock { list in
            if list.count < Self.most { list.append(process) }
        }
    }
}
