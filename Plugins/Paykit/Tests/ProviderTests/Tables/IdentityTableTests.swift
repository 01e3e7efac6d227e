import PaymentCore
import PaymentRouting
import PaymentStandards
import TestSupport
import Testing

@testable import PaykitProvider

/// Scopes, scanned texts and questions, against the reference's tables (Protocol 1.2 and 1.4 to 1.6).
@Suite("Paykit's tables: who, and what is asked")
struct IdentityTableTests {
    @Test("Things are filed for a peer under the scope of their key (Protocol 1.2)")
    func scopes() throws {
        for row in try PubkyTable.rows("scopes") {
            let expected = row["here"] ?? row["scope"]
            #expect((try? PubkyKey(try row.word("text")))?.scope == expected?.string, "\(row.text)")
        }
    }

    @Test("Keys in messages are read in all their spellings (Protocol 6.1)")
    func keysInMessages() throws {
        for row in try PubkyTable.rows("keysInJSON") {
            let object: JSONValue = ["provider": row["json"] ?? .null]
            let key = try object.user("provider")
            #expect(key.text == "yg4gxe7z1r7mr6orids9fh95y7gxhdsxjqi6nngsxxtakqaxr5no", "\(row.text)")
        }
    }

    @Test("Scanned texts are Paykit's, of a payment standard, or of no provider (Protocol 1.4)")
    func scanned() throws {
        let reader = StandardsReader()
        let registry = try ProviderRegistry([
            PaykitProvider(network: try .sandbox(HTTPURL("http://127.0.0.1:6287")), reader: reader)
        ])
        for row in try PubkyTable.rows("scanned") {
            let text = try row.word("text")
            let (match, standard): (String?, String?) =
                switch registry.route(text, readers: [reader]) {
                case .matched(let route):
                    (route.match.payee != nil ? "payee" : route.match.reference ?? "nothing", nil)
                case .recognized(let instruction): (nil, instruction.standard)
                case .defective: (nil, "defective")
                default: (nil, nil)
                }
            #expect(match == row["match"]?.string && standard == row["standard"]?.string, "\(text)")
        }
    }

    @Test(
        "Data of other generations are distinguished from this one's, and keys in their links are hidden (Protocol 4)")
    func generations() throws {
        let key = "yg4gxe7z1r7mr6orids9fh95y7gxhdsxjqi6nngsxxtakqaxr5no"
        for row in try PubkyTable.rows("generations") {
            let link = try PaymentLink("pubky://\(key)\(try row.word("path"))")
            let wanted = row["generation"]?.string
            guard case .otherGeneration(let word)? = try PaykitLink.read(link) else {
                #expect(wanted == nil, "\(row.text)")
                continue
            }
            #expect(wanted.map { word.contains($0) } == true, "\(row.text)")
            let match = try #require(PayableLink.match(link, StandardsReader(), []))
            if case .verified = match.trust { Issue.record("\(row.text) is trusted") }
            let isSecret = row["isSecret"]?.bool ?? false
            #expect(match.holdsSecret == isSecret, "\(row.text)")
            guard case .instruction(let instruction) = StandardsReader().read(link) else {
                Issue.record("\(row.text) is not recognised")
                continue
            }
            #expect(instruction.holdsSecret == isSecret, "\(row.text)")
            #expect(instruction.fields["generation"]?.string?.hasPrefix(wanted ?? "-") == true, "\(row.text)")
        }
    }

    @Test("Links that ask for authorisation say for what, and what is wrong with them (Protocol 1.5)")
    func authorizations() throws {
        for row in try PubkyTable.rows("authorizations") {
            let text = try row.word("text")
            do throws(PaykitLinkDefect) {
                guard let payment = try? PaymentLink(text) else { throw .form }
                let link = try PubkyAuthorizationLink(payment)
                #expect(link.intent.rawValue == row["intent"]?.string, "\(text)")
                #expect(link.relay?.text == row["relay"]?.string, "\(text)")
                #expect(link.capabilities.map(\.text) == row["caps"]?.array?.compactMap(\.string), "\(text)")
                #expect(link.homeserver?.text == row["homeserver"]?.string, "\(text)")
                #expect(link.signUpToken?.reveal() == row["token"]?.string, "\(text)")
                #expect(link.callbacks.success == row["success"]?.string, "\(text)")
            } catch {
                let wanted = row["defect"]?.string ?? "nothing"
                #expect(error == (wanted == "form" ? .form : .parameter(wanted)), "\(text)")
            }
        }
    }

    @Test("Key managers are asked and answer as their own links have it (Protocol 1.6)")
    func keyManager() throws {
        for row in try PubkyTable.rows("keyManager") {
            let wanted = row["is"]?.string
            guard let question = try? KeyManagerLink(PaymentLink(try row.word("question"))) else {
                #expect(wanted == "no question", "\(row.text)")
                continue
            }
            let answer = try? KeyManagerAnswer(PaymentLink(try row.word("answer")), to: question)
            let kind: String? =
                switch answer?.content {
                case .session: "session"
                case .handoff: "handoff"
                case .profile: "profile"
                case .follows: "follows"
                case .failure: "failure"
                case .cancelled: "cancelled"
                default: nil
                }
            #expect(kind == wanted, "\(row.text)")
        }
    }
}
