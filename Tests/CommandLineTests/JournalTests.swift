import Foundation
import PaymentCore
import PaymentLoopback
import PaymentRouting
import PaymentStore
import PaymentTesting
import TestSupport
import Testing
import WalletConnectPaySandbox

@testable import PayrouteCommands

@Suite("journal")
struct JournalTests {
    private let folder = ScratchFolder()
    private var file: String { folder.file("journal") }

    private static func sandbox() -> WalletConnectPaySandbox {
        var configuration = WalletConnectPaySandbox.Configuration()
        configuration.pollInMs = 10
        return WalletConnectPaySandbox(configuration)
    }

    @Test("A payment is kept: listed, shown without signatures, and not made again")
    func kept() async throws {
        let sandbox = Self.sandbox()
        let server = try LoopbackServer(sandbox)
        defer { server.stop() }
        let payment = await sandbox.createPayment()
        let pay = ["pay", payment.link, "--sandbox", server.baseURL.text, "--journal", file, "--json"]
        #expect(await payroute(pay, input: []).code == 0)
        let listed = await payroute("journal", "list", "--journal", file, "--json")
        #expect(listed.code == 0)
        #expect(listed.lines.count == 1)
        let object = try JSONValue(parsing: listed.output.utf8.dropLast())
        #expect(
            object.object?.keys.sorted()
                == [
                    "amount", "attempt", "outcome", "provider", "reference", "started", "subject", "transaction",
                    "unit",
                ])
        #expect(object["amount"] == "12.500000" || object["amount"] == "12.50", "\(object.text)")
        #expect(object["outcome"] == "succeeded")
        #expect(object["reference"]?.string == payment.id && object["subject"] == "payment")
        let id = try #require(object["attempt"]?.string)
        let table = await payroute("journal", "list", "--journal", file)
        #expect(table.lines.count == 2 && table.lines[1].hasPrefix(id) && table.lines[1].hasSuffix("succeeded"))
        #expect(await payroute("journal", "list", "--journal", file, "--open", "--json").output == "")

        let shown = await payroute("journal", "show", id, "--journal", file)
        #expect(shown.code == 0)
        #expect(shown.output.contains("confirm (can move money, never repeated)"))
        #expect(!shown.output.contains("0x1b") && !shown.output.contains("signature"))
        let lines = await payroute("journal", "show", id, "--journal", file, "--json").lines
        #expect(try lines.map { try JSONValue(parsing: $0)["event"]?.string }.first == .some(nil))
        #expect(try lines.last.map { try JSONValue(parsing: $0)["event"]?.string } == "outcome")

        let resumed = await payroute(
            "journal", "resume", id, "--journal", file, "--sandbox", server.baseURL.text, "--json")
        #expect(resumed.code == 0)
        #expect(try JSONValue(parsing: resumed.output.utf8.dropLast())["settled"] == true)
        #expect(await payroute(pay, input: []).code == 0)
        #expect(await sandbox.ledger.captures(of: payment.id) == 1)
    }

    @Test("What was interrupted stays open while the service is away, and is settled when it is back")
    func interrupted() async throws {
        let sandbox = Self.sandbox()
        let gate = GatedService(sandbox, holding: "/confirm")
        let server = try LoopbackServer(gate)
        let payment = await sandbox.createPayment()
        let program = try Program(["pay", payment.link, "--sandbox", server.baseURL.text, "--journal", file])
        for await _ in gate.arrivals { break }
        program.signal(SIGKILL)
        _ = await program.end()
        server.stop()
        let list = ["journal", "list", "--journal", file, "--open", "--json"]
        #expect(await payroute(list, input: []).output.contains(#""outcome":"interrupted""#))

        let other = try LoopbackServer(sandbox)
        defer { other.stop() }
        let resume = ["journal", "resume", "--journal", file, "--sandbox", other.baseURL.text, "--json"]
        let unsettled = await payroute(resume, input: [])
        // The confirmation never arrived: the service still waits for it, and the payment can only expire.
        #expect(unsettled.code == 1)
        let object = try JSONValue(parsing: unsettled.output.utf8.dropLast())
        #expect(object["settled"] == false)
        #expect(object["outcome"] == "unknown")
        #expect(object["askAgain"]?.string?.hasSuffix("Z") == true)
        #expect(unsettled.errors == "Not everything is settled. Run the same command again later.\n")
        #expect(await sandbox.ledger.confirmRequests(of: payment.id) == 0)
    }

    @Test("A file that is no journal, or not there, is named with exit code 1 before anything is sent")
    func refused() async throws {
        let sandbox = Self.sandbox()
        let faults = FaultInjector(sandbox)
        let server = try LoopbackServer(faults)
        defer { server.stop() }
        let payment = await sandbox.createPayment()
        let diary = folder.file("diary")
        try Data(String(repeating: "dear diary ", count: 99).utf8).write(to: URL(filePath: diary))
        let pay = await payroute("pay", payment.link, "--sandbox", server.baseURL.text, "--journal", diary)
        #expect(pay.code == 1)
        #expect(pay.errors.contains("'\(diary)' is not a payment journal"))
        #expect(faults.requests.isEmpty)
        let list = await payroute("journal", "list", "--journal", folder.file("none"))
        #expect(list.code == 1)
        #expect(list.errors.contains("No such file"))
        #expect(try folder.names == ["diary"])
        #expect(await payroute(pay: payment.link, server, folder.file("new")).code == 0)
        let show = await payroute("journal", "show", "att_none", "--journal", folder.file("new"))
        #expect(show.code == 1)
        #expect(show.errors.contains("holds no attempt att_none"))
    }

    @Test("Lists and prunes what is asked for, and keeps what has not ended")
    func pruned() async throws {
        let day = 86400.0
        do {
            let journal = try SQLiteJournal(path: file)
            for (index, provider) in ["acme", "acme", "other"].enumerated() {
                let reference = PaymentReference(provider: ProviderID(rawValue: provider), id: "p\(index)")
                let lease = PaymentLease(payment: reference, holder: "h", duration: .seconds(60))
                let start = Date(timeIntervalSinceNow: -40 * day)
                #expect(try await journal.acquire(lease, at: start))
                let amount = try Money(minorUnits: 150, currency: .eur)
                let attempt = PaymentAttempt(
                    id: AttemptID(rawValue: "att_\(index)"), reference: reference,
                    option: PaymentMethodOption(id: "o", title: "Euros", amount: amount), idempotencyKey: "k",
                    startedAt: start, expiresAt: nil)
                try await journal.open(attempt, under: lease)
                guard index > 0 else { continue }
                try await journal.append(
                    JournalEntry(date: start, event: .abandoned(reason: "no")), to: attempt.id, under: lease)
            }
        }
        func listed(_ flags: String...) async -> [String] {
            let list = ["journal", "list", "--journal", file] + flags
            return await payroute(list, input: []).lines.dropFirst().map { String($0.prefix(5)) }
        }
        #expect(await listed() == ["att_0", "att_1", "att_2"])
        #expect(await listed("--limit", "2") == ["att_1", "att_2"])
        #expect(await listed("--provider", "acme") == ["att_0", "att_1"])
        #expect(await listed("--open") == ["att_0"])
        let prune = ["journal", "prune", "--journal", file]
        #expect(await payroute(prune, input: []).code == 64)
        #expect(await payroute(prune + ["--older-than", "-1"], input: []).code == 64)
        #expect(await payroute(prune + ["--older-than", "41"], input: []).output == "0 attempts removed\n")
        #expect(await payroute(prune + ["--older-than", "39"], input: []).output == "2 attempts removed\n")
        #expect(await listed() == ["att_0"])
    }

    @Test("end keeps a person's decision with its evidence, and the payment is not made again")
    func end() async throws {
        let sandbox = Self.sandbox()
        let server = try LoopbackServer(sandbox)
        defer { server.stop() }
        let payment = await sandbox.createPayment()
        try await leave(PaymentReference(provider: "walletconnect-pay", id: payment.id))
        let end = ["journal", "end", "att_left", "--journal", file]
        for (words, missing) in [
            (["--evidence", "x"], "--as"), (["--as", "paid"], "--evidence"), (["--as", "lost"], "--as"),
            (["--as", "paid", "--evidence", "x"], "--by"),
        ] {
            let result = await payroute(end + words, input: [])
            #expect(result.code == 64 && result.errors.contains("'\(missing) <"), "\(result)")
        }
        let ended = await payroute(
            end + ["--as", "paid", "--by", "Mina", "--evidence", "statement 11", "--json"], input: [])
        #expect(try ended.code == 0 && ended.ending["outcome"] == "succeeded", "\(ended)")
        #expect(try ended.ending["reason"] == "paid, as Mina decided: statement 11")
        let shown = await payroute("journal", "show", "att_left", "--journal", file)
        #expect(shown.output.contains("paid, as Mina decided: statement 11"), "\(shown)")
        let again = await payroute(end + ["--as", "not-paid", "--by", "Mina", "--evidence", "x"], input: [])
        #expect(again.code == 1 && again.errors.contains("has ended already"), "\(again)")
        #expect(await payroute(pay: payment.link, server, file).code == 0)
        #expect(await sandbox.ledger.captures(of: payment.id) == 0)
    }

    /// Leaves an attempt in the journal whose request may have arrived.
    private func leave(_ payment: PaymentReference) async throws {
        let journal = try SQLiteJournal(path: file)
        let (now, lease) = (Date(), PaymentLease(payment: payment, holder: "before", duration: .seconds(60)))
        #expect(try await journal.acquire(lease, at: now))
        let option = PaymentMethodOption(id: "o", title: "USDC", amount: try Money(decimal: "12.50", currency: .eur))
        let attempt = PaymentAttempt(
            id: AttemptID(rawValue: "att_left"), reference: payment, option: option, idempotencyKey: "key",
            startedAt: now, expiresAt: nil)
        try await journal.open(attempt, under: lease)
        try await journal.append(
            JournalEntry(date: now, event: .stepStarted(name: "confirm", kind: .mutation(replay: .never))),
            to: attempt.id, under: lease)
        try await journal.release(lease)
    }

    @Test("Help reaches the commands below", arguments: ["list", "show", "resume", "end", "prune"])
    func help(name: String) async {
        let viaHelp = await payroute("help", "journal", name)
        let viaFlag = await payroute("journal", name, "--help")
        #expect(viaHelp.output == viaFlag.output && viaHelp.code == 0)
        #expect(viaHelp.output.contains("USAGE: payroute journal \(name)"))
        #expect(await payroute("journal").output.contains("  \(name) "))
    }
}

private func payroute(pay link: String, _ server: LoopbackServer, _ journal: String) async -> Captured {
    await payroute("pay", link, "--sandbox", server.baseURL.text, "--journal", journal)
}
