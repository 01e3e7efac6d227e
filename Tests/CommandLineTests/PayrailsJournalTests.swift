import Foundation
import PaymentCore
import PaymentLoopback
import PaymentRouting
import PaymentStore
import PaymentTesting
import PayrailsSandbox
import TestSupport
import Testing

@testable import PayrouteCommands

@Suite("journal, for payments whose link holds a token")
struct PayrailsJournalTests {
    private let folder = ScratchFolder()

    @Test("An attempt that cannot be resumed without its link says what to pass, and is resumed with the link")
    func resume() async throws {
        var pace = PayrailsSandbox.Configuration()
        pace.longestHold = .milliseconds(5)
        let sandbox = PayrailsSandbox(pace)
        let server = try LoopbackServer(sandbox)
        defer { server.stop() }
        let session = await sandbox.createSession(.pending, base: server.baseURL)
        let file = folder.file("journal")
        let place = ["--sandbox", server.baseURL.text, "--journal", file]
        let pay = ["pay", session.link, "--trust-host", "--json"] + place
        let paid = await payroute(pay, input: [])
        #expect(paid.code == 1 && paid.output.contains(#""outcome":"pending""#))

        let resumed = await payroute(["journal", "resume"] + place, input: [])
        #expect(resumed.code == 1)
        #expect(resumed.output.contains("pay its link again"))
        #expect(resumed.output.contains("'payrails.session.\(session.id)'"))

        let again = await payroute(pay, input: [])
        #expect(again.output.contains(#""outcome":"pending""#))
        #expect(await sandbox.ledger.confirmRequests(of: session.id) == 1)
    }

    @Test("status compares the merchant's status with the payer's attempt that the journal has open")
    func statusWithJournal() async throws {
        let sandbox = PayrailsSandbox()
        let server = try LoopbackServer(sandbox)
        defer { server.stop() }
        let session = await sandbox.createSession(.declined, base: server.baseURL)
        let file = folder.file("journal")
        let reference = PaymentReference(provider: "payrails", id: session.id)
        try await leave(reference, in: file)
        let place = ["--sandbox", server.baseURL.text, "--json"]
        #expect(await payroute(["pay", session.link, "--trust-host"] + place, input: []).code == 1)
        let alone = await payroute(["status", session.link] + place, input: [])
        #expect(try alone.ending["outcome"] == "declined", "\(alone)")
        for name in [session.link, reference.description] {
            let status = await payroute(["status", name, "--journal", file] + place, input: [])
            #expect(try status.code == 1 && status.ending["outcome"] == "unknown", "\(status)")
            #expect(status.output.contains("is open here"))
        }
    }

    /// Leaves an attempt at a payment in the journal that has sent nothing yet.
    private func leave(_ payment: PaymentReference, in file: String) async throws {
        let journal = try SQLiteJournal(path: file)
        let (now, lease) = (Date(), PaymentLease(payment: payment, holder: "before", duration: .seconds(60)))
        #expect(try await journal.acquire(lease, at: now))
        let option = PaymentMethodOption(
            id: "card", title: "Card", amount: try Money(decimal: "99.00", currency: .eur))
        try await journal.open(
            PaymentAttempt(
                id: AttemptID(rawValue: "att_left"), reference: payment, option: option, idempotencyKey: "key",
                startedAt: now, expiresAt: nil), under: lease)
        try await journal.release(lease)
    }
}
