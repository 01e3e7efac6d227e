import Foundation
import PaymentCore
import PaymentLoopback
import PaymentRouting
import PaymentStore
import PaymentTesting
import PaymentTransport
import WalletConnectPayProvider
import WalletConnectPaySandbox

/// Pays in another process, which dies as soon as the service has answered, and settles its payment afterwards.
/// Run it with `swift run crash-recovery`.
@main
struct CrashRecovery {
    static func main() async throws {
        let words = Array(CommandLine.arguments.dropFirst())
        if words.count == 3 { return try await payAndDie(journal: words[0], service: words[1], link: words[2]) }

        let folder = FileManager.default.temporaryDirectory.appending(path: "crash-recovery-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "payments.sqlite").path
        let sandbox = WalletConnectPaySandbox(random: SeededRandomSource(seed: 1))
        let server = try LoopbackServer(sandbox)
        defer { server.stop() }
        let payment = await sandbox.createPayment(.paidAtOnce)

        let code = try run([path, server.baseURL.text, payment.link])
        print("the paying process ended with signal \(code)")
        print("the sandbox took money \(await sandbox.ledger.captures(of: payment.id)) time, and nothing was reported")

        let journal = try SQLiteJournal(path: path)
        for history in try await journal.unfinished() {
            print("left in the journal:")
            for entry in history.entries { print("  \(Self.words(entry.event))") }
        }
        // A server has no user to ask, and needs none: with an empty payer, the service's status decides.
        let router = try Self.router(journal, server.baseURL.text, StandardTransport())
        for report in try await router.recover(as: Payer()) { print("recovered: \(Self.word(report.result))") }
        print("left after that: \(try await journal.unfinished().count)")
        let again = try await router.pay(payment.link, as: SandboxWallet().payer())
        print("paying the link again: \(Self.word(.success(again)))")
        let ledger = await sandbox.ledger
        print(
            "\(ledger.confirmRequests(of: payment.id)) request to confirm, \(ledger.captures(of: payment.id)) payment")
    }

    private static func router(
        _ journal: any PaymentJournal, _ service: String, _ transport: any HTTPTransport
    ) throws -> PaymentRouter {
        let gateway = try GatewayConfiguration(credentials: .apiKey(Redacted("wallet")), baseURL: service)
        return PaymentRouter(
            registry: try ProviderRegistry([WalletConnectPayProvider(configuration: gateway)]), transport: transport,
            journal: journal)
    }

    // MARK: The process that dies

    private static func payAndDie(journal path: String, service: String, link: String) async throws {
        let router = try router(try SQLiteJournal(path: path), service, Deadly(base: StandardTransport()))
        _ = try await router.pay(link, as: SandboxWallet().payer())
        print("it should be dead by now")
    }

    /// Ends the process when the answer to the confirmation arrives: paid, and unknown to the application.
    private struct Deadly: HTTPTransport {
        let base: StandardTransport

        func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
            let answer = try await base.send(request)
            if request.url.path.hasSuffix("/confirm") { kill(getpid(), SIGKILL) }
            return answer
        }
    }

    /// Runs this program once more and returns the signal that ended it.
    private static func run(_ words: [String]) throws -> Int32 {
        let process = Process()
        process.executableURL = Bundle.main.executableURL
        process.arguments = words
        try process.run()
        process.waitUntilExit()
        return process.terminationReason == .uncaughtSignal ? process.terminationStatus : 0
    }

    // MARK: Words

    private static func words(_ event: JournalEntry.Event) -> String {
        switch event {
        case .stepStarted(let name, _): "step started: \(name)"
        case .stepFinished(let name, _): "step finished: \(name)"
        case .stepFailed(let name, _, _): "step failed: \(name)"
        case .outcome: "outcome"
        case .abandoned: "given up"
        @unknown default: "\(event)"
        }
    }

    private static func word(_ result: Result<PaymentOutcome, PaymentError>) -> String {
        switch result {
        case .success(.succeeded): "paid"
        case .success(let outcome): outcome.description
        case .failure(let error): error.message
        }
    }
}
