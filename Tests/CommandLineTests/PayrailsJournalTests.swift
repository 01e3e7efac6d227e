import PaymentCore
import PaymentLoopback
import PaymentTesting
import PayrailsSandbox
import TestSupport
import Testing

@testable import payroute

@Suite("journal, for payments whose link holds a token")
struct PayrailsJournalTests {
    private let folder = ScratchFolder()

    @Test("What cannot be resumed without its link says what to give, and goes on from the link")
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
}
