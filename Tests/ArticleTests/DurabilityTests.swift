import Foundation
import PaymentCore
import PaymentRouting
import PaymentStore
import PaymentTesting
import Testing
import WalletConnectPaySandbox

/// The code of DurablePayments.md.
@Suite("Article: durable payments")
struct DurabilityTests {
    @Test("The journal's lines are those that the article shows")
    func figure() async throws {
        let world = await ArticleWorld()
        guard case .succeeded(let receipt) = try await world.router.pay(world.link, as: world.wallet.payer()) else {
            Issue.record("it is not paid")
            return
        }
        let history = try #require(await world.journal.histories(of: receipt.reference).first)
        var lines = ["attempt opened: \(history.attempt.option.title)"]
        for entry in history.entries {
            switch entry.event {
            case .stepStarted(let name, let kind): lines.append("step started: \(name) (\(Self.word(kind)))")
            case .stepFinished(let name, _): lines.append("step finished: \(name)")
            case .stepFailed(let name, _, _): lines.append("step failed: \(name)")
            case .outcome(let outcome): lines.append("outcome: \(outcome.isFinal ? "paid" : "open")")
            case let event: lines.append("\(event)")
            }
        }
        let article = try String(
            contentsOf: Snippet.root.appending(path: "Sources/PaymentRouting/PaymentRouting.docc/DurablePayments.md"),
            encoding: .utf8)
        #expect(
            article.contains("```text\n" + lines.joined(separator: "\n") + "\n```"), "\(lines.joined(separator: "\n"))")
    }

    private static func word(_ kind: StepKind) -> String {
        switch kind {
        case .query: "query"
        case .interaction: "interaction"
        case .signature: "signature"
        case .mutation(.sameKey): "mutation, same key"
        case .mutation(.never): "mutation, never repeated"
        default: "\(kind)"
        }
    }

    @Test("A file keeps paid payments, and recovery reports them")
    func file() async throws {
        let world = await ArticleWorld()
        let folder = FileManager.default.temporaryDirectory.appending(path: "durability-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "payments.sqlite").path
        let (registry, transport) = (try world.registry, SandboxTransport(world.sandbox))
        let journal = try SQLiteJournal(path: path)
        let router = PaymentRouter(registry: registry, transport: transport, journal: journal)
        for report in try await router.recover(as: Payer()) { print(report) }
        let outcome = try await router.pay(world.link, as: world.wallet.payer())
        guard case .succeeded = outcome else { Issue.record("\(outcome)"); return }
        #expect(try await router.recover(as: Payer()).isEmpty)
    }

    @Test("A journal that another program changed is not acted on")
    func sealed() async throws {
        let world = await ArticleWorld()
        let (registry, transport, journal) = (try world.registry, SandboxTransport(world.sandbox), InMemoryJournal())
        let bytes = Redacted([UInt8](repeating: 7, count: 32))
        let router = PaymentRouter(
            registry: registry, transport: transport, journal: journal, journalKey: try JournalKey(bytes))
        let outcome = try await router.pay(world.link, as: world.wallet.payer())
        guard case .succeeded = outcome else { Issue.record("\(outcome)"); return }
    }
}
