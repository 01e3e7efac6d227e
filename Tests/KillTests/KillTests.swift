import Foundation
import PaymentCore
import PaymentLoopback
import PaymentStore
import PaymentTesting
import TestSupport
import Testing
import WalletConnectPaySandbox

/// Real processes, a real disk, real signals. `PAYROUTE_KILLS` is the number of killed processes, `PAYROUTE_RACES` the
/// number of links with racing processes; these are few by default, `make kill-test` uses many.
@Suite("Processes that are killed or race", .serialized)
struct KillTests {
    private let folder = ScratchFolder()
    private var journal: String { folder.file("journal") }

    private static let kills = number("PAYROUTE_KILLS", default: 30)
    private static let races = number("PAYROUTE_RACES", default: 20)

    private static func number(_ name: String, default number: Int) -> Int {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) } ?? number
    }

    private static func sandbox() -> WalletConnectPaySandbox {
        var configuration = WalletConnectPaySandbox.Configuration()
        configuration.pollInMs = 10
        return WalletConnectPaySandbox(configuration)
    }

    @Test("Killed at any moment and resumed, each payment is captured once or cleanly not at all")
    func killed() async throws {
        let sandbox = Self.sandbox()
        let server = try LoopbackServer(sandbox)
        defer { server.stop() }
        let url = server.baseURL.text
        let random = SeededRandomSource(seed: 4)
        // The duration of an undisturbed payment here from its first line on, so that the moments spread over all of
        // it.
        let whole = try Program(
            ["pay", await sandbox.createPayment().link, "--sandbox", url, "--journal", journal])
        var start: ContinuousClock.Instant?
        for await _ in whole.lines where start == nil { start = .now }
        #expect(await whole.end().code == 0)
        let span = try ContinuousClock.now - #require(start)

        var endings: [String: Int] = [:]
        var killed: [String] = []
        for kill in 0..<Self.kills {
            let payment = await sandbox.createPayment(kill % 4 < 2 ? .paidAtOnce : .paidAfterPolling)
            let program = try Program(["pay", payment.link, "--sandbox", url, "--journal", journal])
            // Right after some line of the report, because `step`, `done` and the like mark the moments that matter; or
            // at any time after the first line, and now and then before it.
            var left = kill % 2 == 0 ? 1 + Int(random.next() % 18) : Int(random.next() % 8 == 0 ? 0 : 1)
            if left > 0 {
                for await _ in program.lines {
                    left -= 1
                    if left == 0 { break }
                }
            }
            if kill % 2 != 0 { try await Task.sleep(for: span * random.fraction()) }
            program.signal(SIGKILL)
            _ = await program.end()

            killed.append(payment.id)
            if killed.count % 5 == 0 || kill == Self.kills - 1 {
                try await settle(killed, sandbox, url)
                for id in killed { endings[try await ending(of: id, sandbox), default: 0] += 1 }
                killed = []
            }
        }
        #expect(endings.values.reduce(0, +) == Self.kills, "none is lost")
        #expect(endings["paid", default: 0] > 0)
        let summary = endings.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
        print("\(Self.kills) processes killed and resumed: \(summary)")
    }

    /// Resumes the interrupted payments among `killed`. One that was killed between its entry in the journal and the
    /// confirmation's arrival stays unknown while the service waits for it, and when the service has cancelled it,
    /// until its signature is no longer good.
    private func settle(_ killed: [String], _ sandbox: WalletConnectPaySandbox, _ url: String) async throws {
        let words = ["journal", "resume", "--journal", journal, "--sandbox", url, "--json"]
        let first = try await run(words)
        guard first.code != 0 else { return }
        let open = try await SQLiteJournal(path: journal).unfinished().map(\.attempt.reference.id)
        #expect(first.code == 1 && !open.isEmpty, "\(first)")
        for id in open where killed.contains(id) {
            let cancel = HTTPRequest(
                .post, try HTTPURL("\(url)/v1/payments/\(id)/cancel"),
                headers: [
                    "Api-Key": WalletConnectPaySandbox.liveKey.reveal(),
                    "Merchant-Id": WalletConnectPaySandbox.merchantID,
                ])
            // Unless the busy server has only just read the confirmation of a dead process.
            let isCancelled = await sandbox.respond(to: cancel).status == 200
            let requests = await sandbox.ledger.confirmRequests(of: id)
            #expect(isCancelled || requests == 1)
        }
        let second = try await run(words)
        let left = try await SQLiteJournal(path: journal).unfinished()
        #expect((second.code == 0) == left.isEmpty, "\(second)")
        #expect(left.allSatisfy { $0.authorities.signaturesEnd ?? .distantPast > Date() }, "\(second)")
    }

    private func run(_ words: [String]) async throws -> Captured {
        try await Program(words).captured()
    }

    /// The outcome of a killed payment, after checking that the journal and the service's ledger agree.
    private func ending(of id: String, _ sandbox: WalletConnectPaySandbox) async throws -> String {
        let history = try await SQLiteJournal(path: journal).histories(
            of: PaymentReference(provider: "walletconnect-pay", id: id)
        ).last
        let captures = await sandbox.ledger.captures(of: id)
        #expect(await sandbox.ledger.confirmRequests(of: id) <= 1)
        if case .succeeded? = history?.outcome {
            #expect(captures == 1)
            return "paid"
        }
        #expect(captures == 0, "\(String(describing: history?.outcome))")
        guard let history else { return "not begun" }
        return history.isFinished ? "not paid" : "signed"
    }

    @Test("Two processes pay the same links while a third recovers: one capture each, and both report it")
    func racing() async throws {
        let sandbox = Self.sandbox()
        let server = try LoopbackServer(sandbox)
        defer { server.stop() }
        let (url, journal) = (server.baseURL.text, journal)
        var payments: [WalletConnectPaySandbox.Payment] = []
        for _ in 0..<Self.races { payments.append(await sandbox.createPayment()) }
        for payment in payments {
            async let first = Program.run("pay", payment.link, "--sandbox", url, "--journal", journal, "--json")
            async let second = Program.run("pay", payment.link, "--sandbox", url, "--journal", journal, "--json")
            async let third = Program.run("journal", "resume", "--journal", journal, "--sandbox", url)
            for result in try await [first, second] {
                #expect(result.code == 0, "\(result.output)\(result.errors)")
                #expect(result.output.contains(#""outcome":"succeeded""#))
            }
            _ = try await third
            #expect(await sandbox.ledger.captures(of: payment.id) == 1)
            #expect(await sandbox.ledger.confirmRequests(of: payment.id) == 1)
        }
        var captures = 0
        for payment in payments { captures += await sandbox.ledger.captures(of: payment.id) }
        #expect(captures == payments.count)
        print("\(payments.count) links paid by two processes at once, recovered by a third: \(captures) captures")
    }
}
