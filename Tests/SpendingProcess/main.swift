import Foundation
import PaymentCore
import PaymentRouting
import PaymentStore
import PaymentTesting
import TestSupport

// Pays without a question, by four workers, as a process that tests kill:
//
//     SpendingProcess JOURNAL TILL SEED COUNT
//
// TILL is a file, one line for each payment: a simulated service, which outlives the process. COUNT is the number of
// payments that each worker tries; with 0 the process only recovers. Every outcome is a line on standard output.
//
//     SpendingProcess --plans PLANS JOURNAL TILL HOURS LOOKS
//
// charges the due periods of the plans in the file PLANS, HOURS hours after noon, in LOOKS looks.

let words = Array(CommandLine.arguments.dropFirst())
/// The limits, which the tests have as well: three euros a day for each payee, and forty for all.
let limits =
    [SpendingLimit(try Money(decimal: "40.00", currency: .eur), per: .day)]
    + (try (0..<20).map {
        SpendingLimit(try Money(decimal: "3.00", currency: .eur), per: .day, on: .payee("payee \($0)"))
    })

func tell(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

if words.first == "--plans", let recurring = Recurring(Array(words.dropFirst())) {
    try await recurring.run(within: limits)
    exit(0)
}
guard words.count == 4, let seed = UInt64(words[2]), let count = Int(words[3]) else {
    print("usage: SpendingProcess JOURNAL TILL SEED COUNT")
    exit(64)
}

let journal = try SQLiteJournal(path: words[0])
let router = PaymentRouter(
    registry: try ProviderRegistry([TillProvider(file: words[1])]), transport: NoNetwork(), journal: journal,
    clock: NoonClock(), leases: LeasePolicy(duration: .seconds(600), timeout: .seconds(3)),
    autoPay: AutoPay(within: limits, timeZone: .gmt))

/// The result of a payment.
@Sendable func pay(_ link: String) async -> String {
    do {
        switch try await router.pay(link, as: Payer()) {
        case .succeeded: return "paid"
        case .declined(let reason): return reason.code.rawValue
        case .cancelled, .expired: return "not-paid"
        case .pending, .unknown: return "unknown"
        }
    } catch {
        return error.phase.rawValue
    }
}

await withTaskGroup(of: Void.self) { group in
    for worker in 0..<4 {
        group.addTask {
            let random = SeededRandomSource(seed: seed &* 31 &+ UInt64(worker))
            for number in 0..<count {
                let (payee, cents) = (random.next() % 20, 1 + random.next() % 60)
                // Every tenth is refused by the service.
                let id = "\(seed)-\(worker)-\(number)" + (random.next() % 10 == 0 ? "-refused" : "")
                tell("\(id) \(await pay("https://till.example/\(id)/\(payee)/\(cents)"))")
            }
        }
    }
    if count > 0 {
        group.addTask { _ = try? await router.recover(as: Payer()) }
    }
}
if count == 0 {
    let reports = try await router.recover(as: Payer())
    tell("recovered \(reports.count)")
}
