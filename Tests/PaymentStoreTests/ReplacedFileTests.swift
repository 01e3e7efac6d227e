import Foundation
import PaymentCore
import PaymentRouting
import PaymentStore
import PaymentTesting
import PaymentWallet
import TestSupport
import Testing
import WalletConnectPayProvider
import WalletConnectPaySandbox

/// Two processes that assume a shared journal, but have two files.
@Suite("A journal file that is deleted or replaced")
struct ReplacedFileTests {
    private let folder = ScratchFolder()
    private var path: String { folder.file("journal") }

    /// The way in which the file disappears.
    enum Loss: String, CaseIterable, Sendable {
        case deleted, deletedWithAll, replaced, moved, linkedElsewhere
    }

    private func lose(_ loss: Loss) throws {
        let manager = FileManager.default
        switch loss {
        case .deleted: try manager.removeItem(atPath: path)
        case .deletedWithAll: for name in try folder.names { try manager.removeItem(atPath: folder.file(name)) }
        case .moved:
            for name in try folder.names {
                try manager.moveItem(atPath: folder.file(name), toPath: folder.file("old-" + name))
            }
        case .replaced:
            _ = try SQLiteJournal(path: folder.file("other"))
            for end in ["", "-wal", "-shm"] { try manager.removeItem(atPath: path + end) }
            try manager.moveItem(atPath: folder.file("other"), toPath: path)
        case .linkedElsewhere:
            _ = try SQLiteJournal(path: folder.file("other"))
            try manager.moveItem(atPath: path, toPath: folder.file("mine"))
            try manager.createSymbolicLink(atPath: path, withDestinationPath: folder.file("other"))
        }
    }

    @Test("Nothing more is written to a file that others do not see", arguments: Loss.allCases)
    func noticed(loss: Loss) async throws {
        let journal = try SQLiteJournal(path: path)
        let id = try Samples.attempt().id
        #expect(try await journal.acquire(Samples.lease(), at: Samples.now))
        try await journal.open(try Samples.attempt(), under: Samples.lease())
        try lose(loss)
        let entry = Samples.entry(.stepStarted(name: "pay", kind: .mutation(replay: .never)))
        await #expect(throws: JournalError.replaced(path: path)) {
            try await journal.append(entry, to: id, under: Samples.lease())
        }
        await #expect(throws: JournalError.replaced(path: path)) {
            _ = try await journal.acquire(Samples.lease("p2"), at: Samples.now)
        }
        #expect(JournalError.replaced(path: path).description.contains(path))
    }

    @Test("A link to the file that leads to another one is noticed as well")
    func relinked() async throws {
        _ = try SQLiteJournal(path: folder.file("a"))
        _ = try SQLiteJournal(path: folder.file("b"))
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: folder.file("a"))
        let journal = try SQLiteJournal(path: path)
        #expect(try await journal.acquire(Samples.lease(), at: Samples.now))
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: folder.file("b"))
        await #expect(throws: JournalError.replaced(path: path)) {
            try await journal.open(try Samples.attempt(), under: Samples.lease())
        }
    }

    @Test("No new journal is made in the place of one that is still in use")
    func inUse() async throws {
        do {
            let journal = try SQLiteJournal(path: path)
            #expect(try await journal.acquire(Samples.lease(), at: Samples.now))
            try lose(.deleted)
            #expect(throws: JournalError.replaced(path: path)) { try SQLiteJournal(path: path) }
            #expect(try !folder.names.contains("journal"))
        }
        // No process is left that could pay by the old one.
        _ = try SQLiteJournal(path: path)
    }

    // MARK: Payments

    private func router(_ service: any SandboxService) throws -> PaymentRouter {
        let gateway = try GatewayConfiguration(credentials: .apiKey(Redacted("key")))
        return PaymentRouter(
            registry: try ProviderRegistry([WalletConnectPayProvider(configuration: gateway)]),
            transport: SandboxTransport(service), journal: try SQLiteJournal(path: path))
    }

    /// A wallet that runs some work before it signs for the first time.
    private struct Interrupted: PaymentSigner {
        let base: any PaymentSigner
        let meanwhile: @Sendable () async throws -> Void
        func supports(method: String) -> Bool { base.supports(method: method) }
        func sign(_ request: SigningRequest) async throws -> String {
            try await meanwhile()
            return try await base.sign(request)
        }
    }

    @Test("Two routers on two files do not both charge", arguments: [Loss.deletedWithAll, .replaced, .moved])
    func oneCharge(loss: Loss) async throws {
        let sandbox = WalletConnectPaySandbox()
        let payment = await sandbox.createPayment()
        let first = try router(sandbox)
        let payer = DevelopmentWallet(seed: 3).payer(policy: .firstWhateverItCosts)
        var slow = payer
        slow.signer = Interrupted(base: try #require(payer.signer)) {
            try lose(loss)
            guard case .succeeded = try await router(sandbox).pay(payment.link, as: payer) else {
                throw CancellationError()
            }
        }
        let error = await #expect(throws: PaymentError.self) { try await first.pay(payment.link, as: slow) }
        #expect(error?.code == .journal)
        // The missing file may return, and its attempt be resumed.
        #expect(error?.phase == .maybeSent)
        #expect(error?.message.contains(path) == true)
        #expect(await sandbox.ledger.captures(of: payment.id) == 1)
        #expect(await sandbox.ledger.confirmRequests(of: payment.id) == 1)
    }
}
