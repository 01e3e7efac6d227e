import Foundation
import PaymentCore
import PaymentRouting
import PaymentStore
import PaymentTransport
import PaymentWallet
import WalletConnectPayProvider
import WalletConnectPaySandbox

// Pays one WalletConnect Pay link, or resumes everything, as a process that tests stop and kill:
//
//     PayingProcess JOURNAL SANDBOX CHAIN LEASE LINK|resume
//
// CHAIN is a file, one line for each transfer that the wallet sends: a simulated chain, which outlives the process.
// LEASE is in milliseconds. Every step is a line on standard output, and the last line is the payer's outcome.

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

func tell(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
}

let words = Array(CommandLine.arguments.dropFirst())
guard words.count == 5, let lease = Int(words[3]) else {
    print("usage: PayingProcess JOURNAL SANDBOX CHAIN LEASE LINK|resume")
    exit(64)
}
let provider = WalletConnectPayProvider(
    configuration: try GatewayConfiguration(credentials: .apiKey(Redacted("key")), baseURL: words[1]))
let router = PaymentRouter(
    registry: try ProviderRegistry([provider]), transport: StandardTransport(),
    journal: try SQLiteJournal(path: words[0]),
    log: PaymentLog { tell("\($0)") },
    leases: LeasePolicy(duration: .milliseconds(lease), timeout: .seconds(3)))
var payer = SandboxWallet(DevelopmentWallet(seed: 1)).payer()
payer.signer = payer.signer.map { FileWallet(base: $0, chain: words[2]) }

if words[4] == "resume" {
    for report in try await router.recover(as: payer) {
        switch report.result {
        case .success(let outcome): tell("told \(report.attempt.reference.id) \(word(outcome))")
        case .failure(let error): tell("told \(report.attempt.reference.id) \(error.phase.rawValue)")
        }
    }
} else {
    do { tell("told \(word(try await router.pay(words[4], as: payer, acceptingUnverified: true)))") } catch {
        tell("told \(error.phase.rawValue)")
    }
}

func word(_ outcome: PaymentOutcome) -> String {
    switch outcome {
    case .succeeded: "paid"
    case .declined, .cancelled, .expired: "not-paid"
    case .pending, .unknown: "unknown"
    }
}
