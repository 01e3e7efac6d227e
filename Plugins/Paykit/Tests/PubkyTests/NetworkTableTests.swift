import PaymentCore
import PaymentCrypto
import TestSupport
import Testing

@testable import PaykitProvider

/// Keys, addresses, the answers of relays and the capabilities of sessions, against the reference's tables
/// (Protocol 1.1, 1.3, 2.2 and 3.3).
@Suite("Pubky's tables: keys, relays and capabilities")
struct NetworkTableTests {
    private func defect(_ text: String) -> String? {
        do throws(PubkyKeyDefect) {
            _ = try PubkyKey(text)
            return nil
        } catch {
            if case .length(let count) = error { return "length \(count)" }
            return error == .encoding ? "encoding" : "point"
        }
    }

    @Test("Every text that names a key names the right one, and every other says why not (Protocol 1.1)")
    func keys() throws {
        for row in try PubkyTable.rows("keys") {
            let text = try row.word("text")
            guard let hex = (row["here"] ?? row["hex"])?.string else {
                #expect(defect(text) == row["defect"]?.string, "\(text)")
                continue
            }
            do throws(PubkyKeyDefect) { #expect(Hex.encode(try PubkyKey(text).bytes) == hex, "\(text)") } catch {
                // The vendor's parser takes these; everybody can sign for them.
                #expect(error == .weak && hex == String(repeating: "00", count: 32), "\(text)")
            }
        }
        for row in try PubkyTable.rows("texts") {
            let bytes = try #require(Hex.decode(try row.word("bytes")))
            #expect(Base32.human.encode(bytes) == (try row.word("text")))
        }
        for row in try PubkyTable.rows("seeds") {
            let seed = try #require(Hex.decode(try row.word("seed")))
            #expect(try PubkyKeyPair(seed: seed).publicKey.text == row.word("text"))
        }
    }

    @Test("Addresses are read in both forms, printed in one, and never climb (Protocol 1.3)")
    func addresses() throws {
        for row in try PubkyTable.rows("addresses") {
            #expect((try? PubkyAddress(try row.word("text")))?.text == row["printed"]?.string, "\(row.text)")
        }
    }

    @Test("A relay's answers are distinguished: stored or not, known or not, and why not (Protocol 2.2)")
    func relays() async throws {
        let pair = try PubkyKeyPair(seed: [UInt8](repeating: 0x11, count: 32))
        let name = try #require(SignedPacket.name("", under: pair.publicKey))
        let packet = try SignedPacket(signing: [DNSRecord(name, .a([1, 0, 0, 1]))], at: 5, by: pair)
        for row in try PubkyTable.rows("relayAnswers") {
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
        for row in try PubkyTable.rows("capabilities") {
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
