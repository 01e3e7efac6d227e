import Foundation
import PaymentCore
import PaymentPostgres
import PaymentRouting
import PaymentStore
import PaymentTransport
import PaymentWallet
import SimulatedShop
import WalletConnectPayProvider
import WalletConnectPaySandbox

// Pays one link of WalletConnect Pay or the simulated shop, or resumes everything, as a process that tests stop and
// kill:
//
//     PayingProcess JOURNAL SANDBOX CHAIN LEASE LINK|resume|work
//
// JOURNAL is a file, or the address of a PostgreSQL database, over which it can `work` until SIGTERM. CHAIN is a file,
// one line for each transfer that the wallet sends: a simulated chain, which outlives the process. LEASE is in
// milliseconds. Every step is a line on standard output, and the last line is the payer's outcome.

/// A wallet that broadcasts to a file.
struct FileWallet: PaymentSigner {
    let base: any PaymentSigner
    let chain: String

    func supports(method: String) -> Bool { base.supports(method: method) }

    func sign(_ request: SigningRequest) async throws -> String {
        tell("wallet \(request.method)")
        let call = request.parameters[0] ?? request.parameters
        if request.method == "eth_sendTransaction", let value = call["value"]?.string {
            // One write that is appended: two processes cannot mix their lines.
            guard let file = fopen(chain, "a") else { throw PaymentError(.payer, "the chain cannot be written") }
            fputs("\(value) \(ProcessInfo.processInfo.processIdentifier)\n", file)
            fclose(file)
        }
        let result = try await base.sign(request)
        tell("signed")
        return result
    }
}

/// Sends requests for the simulated shop to the sandbox's server.
struct ShopTransport: HTTPTransport {
    let base: any HTTPTransport
    let server: String

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        var request = request
        if request.url.host == ShopService.host, let url = try? HTTPURL(server + request.url.path) { request.url = url }
        return try await base.send(request)
    }
}

func tell(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
}

let words = Array(CommandLine.arguments.dropFirst())
guard words.count == 5, let lease = Int(words[3]) else {
    print("usage: PayingProcess JOURNAL SANDBOX CHAIN LEASE LINK|resume|work")
    exit(64)
}
var shared: PostgresJournal?
if words[0].hasPrefix("postgresql://") {
    shared = PostgresJournal(try await PostgresStore(try PostgresConfiguration(url: Redacted(words[0]))))
}
let provider = WalletConnectPayProvider(
    configuration: try GatewayConfiguration(credentials: .apiKey(Redacted("key")), baseURL: words[1]))
let router = PaymentRouter(
    registry: try ProviderRegistry([provider, ShopProvider(clock: SystemPaymentClock())]),
    transport: ShopTransport(base: StandardTransport(), server: words[1]),
    journal: try shared ?? SQLiteJournal(path: words[0]),
    log: PaymentLog { tell("\($0)") },
    leases: LeasePolicy(duration: .milliseconds(lease), timeout: .seconds(3)))
var payer = SandboxWallet(DevelopmentWallet(seed: 1)).payer()
payer.signer = payer.signer.map { FileWallet(base: $0, chain: words[2]) }

switch (words[4], shared) {
case ("work", let journal?):
    let rhythm = PostgresWorker.Rhythm(longest: .seconds(1), claim: .milliseconds(lease))
    let worker = PostgresWorker(router, journal, as: payer, rhythm: rhythm) { tell($0.line) }
    let work = Task { await worker.run() }
    signal(SIGTERM, SIG_IGN)
    let stop = DispatchSource.makeSignalSource(signal: SIGTERM, queue: .main)
    stop.setEventHandler { work.cancel() }
    stop.activate()
    tell("works")
    await work.value
    tell("drained")
case ("resume", _): for report in try await router.recover(as: payer) { tell(report.line) }
default:
    do { tell("told \(word(try await router.pay(words[4], as: payer, acceptingUnverified: true)))") } catch {
        tell("told \(error.phase.rawValue)")
    }
}

extension RecoveryReport {
    var line: String {
        switch result {
        case .success(let outcome): "told \(attempt.reference.id) \(word(outcome))"
        case .failure(let error): "told \(attempt.reference.id) \(error.phase.rawValue)"
        }
    }
}

@Sendable func word(_ outcome: PaymentOutcome) -> String {
    switch outcome {
    case .succeeded: "paid"
    case .declined, .cancelled, .expired: "not-paid"
    case .pending, .unknown: "unknown"
    }
}
