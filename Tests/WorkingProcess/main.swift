import Foundation
import PaymentCore
import PaymentPostgres
import PaymentRouting
import PaymentTransport
import SimulatedShop

// A machine that pays the simulated shop and settles what was left open, as a process that tests kill:
//
//     WorkingProcess DATABASE SHOP LEASE
//
// DATABASE is the address of a PostgreSQL database, SHOP that of the shop's server, and LEASE is in milliseconds. The
// links on standard input, a line each, are paid one after the other while the worker works, until SIGTERM. Every step
// is a line on standard output: `works`, `all read` behind the last link, and `drained` at the end.

/// Sends requests for the simulated shop to its server.
struct ShopTransport: HTTPTransport {
    let base = StandardTransport()
    let server: String

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        var request = request
        if request.url.host == ShopService.host, let url = try? HTTPURL(server + request.url.path) { request.url = url }
        return try await base.send(request)
    }
}

@Sendable func tell(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
}

let words = Array(CommandLine.arguments.dropFirst())
guard words.count == 3, let lease = Int(words[2]) else {
    print("usage: WorkingProcess DATABASE SHOP LEASE")
    exit(64)
}
let journal = PostgresJournal(
    try await PostgresStore(try PostgresConfiguration(url: Redacted(words[0]))), reportsEnds: true)
let router = PaymentRouter(
    registry: try ProviderRegistry([ShopProvider(clock: SystemPaymentClock())]),
    transport: ShopTransport(server: words[1]), journal: journal,
    log: PaymentLog { tell("\($0)") },
    leases: LeasePolicy(duration: .milliseconds(lease), timeout: .seconds(3)))
let payer = Payer(policy: .firstWhateverItCosts)
let rhythm = PostgresWorker.Rhythm(longest: .seconds(1), claim: .milliseconds(lease))
let worker = PostgresWorker(router, journal, as: payer, rhythm: rhythm) {
    tell("told \($0)")
} ended: {
    tell("ended \($0.attempt.reference.id)")
} notified: {
    tell("notified \($0.reference.id)")
}
let work = Task { await worker.run() }
signal(SIGTERM, SIG_IGN)
let stopping = DispatchSource.makeSignalSource(signal: SIGTERM, queue: .main)
stopping.setEventHandler { work.cancel() }
stopping.activate()
tell("works")
while !work.isCancelled, let link = readLine() {
    do { tell("\(link): \(try await router.pay(link, as: payer, acceptingUnverified: true))") } catch {
        tell("\(link): \(error)")
    }
}
tell("all read")
await work.value
tell("drained")
