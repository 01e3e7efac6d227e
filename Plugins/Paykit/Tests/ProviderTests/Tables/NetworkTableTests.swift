import PaymentCore
import TestSupport
import Testing

@testable import PaykitProvider
@testable import PaykitPubky

/// The answers of relays and the capabilities of sessions, against the reference's tables (Protocol 2.2 and 3.3).
@Suite("Paykit's tables: relays and capabilities")
struct NetworkTableTests {
    @Test("What a relay answers is told apart: stored or not, known or not, and why not (Protocol 2.2)")
    func relays() async throws {
        let pair = try PubkySamples.pair(0x11)
        let name = try #require(SignedPacket.name("", under: pair.publicKey))
        let packet = try SignedPacket(signing: [DNSRecord(name, .a([1, 0, 0, 1]))], at: 5, by: pair)
        for row in try Table.rows("relayAnswers") {
            let (status, isPut) = (Int(try #require(row["status"]?.int64)), try row.word("method") == "PUT")
            var response = HTTPResponse(status: status, body: isPut ? [] : packet.payload)
            for (name, value) in row["headers"]?.object ?? [:] { response.headers[name] = value.string }
            let client = PkarrClient(
                relays: [try HTTPURL("https://relay.example")], http: RecordingTransport(answers: [response]),
                clock: VirtualClock())
            var found: String
            do throws(PaykitNetworkError) {
                if isPut {
                    found = try await client.publish(packet) == 1 ? "stored" : "nowhere"
                } else {
                    found = try await client.resolve(packet.key) == packet ? "packet" : "nobody"
                }
            } catch { found = "\(error.code.rawValue)" }
            #expect(found == (try row.word("is")), "\(row.text)")
        }
    }

    @Test("Capabilities are read, merged by scope and printed in order (Protocol 3.3)")
    func capabilities() throws {
        for row in try Table.rows("capabilities") {
            do throws(PubkyCapabilityDefect) {
                let list = try PubkyCapability.list(row["text"]?.string ?? "-")
                #expect(PubkyCapability.text(list) == row["printed"]?.string, "\(row.text)")
            } catch {
                let wanted: [String: PubkyCapabilityDefect] = ["scope": .scope, "form": .form, "action": .action]
                #expect(row["defect"]?.string.flatMap { wanted[$0] } == error, "\(row.text)")
            }
        }
    }
}
