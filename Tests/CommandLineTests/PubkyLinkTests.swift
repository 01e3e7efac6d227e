import PaymentCore
import TestSupport
import Testing

@testable import PayrouteCommands

/// Texts of the Pubky network on the command line.
@Suite("route and inspect: Pubky")
struct PubkyLinkTests {
    private static let key = "yg4gxe7z1r7mr6orids9fh95y7gxhdsxjqi6nngsxxtakqaxr5no"
    private static let secret = "kqnceEMgrNQM_xi06oQXjA3cJHX_RQmw1BY6JE1bse8"

    private func json(_ words: String...) async throws -> JSONValue {
        let ran = await payroute(words, input: [])
        return try JSONValue(parsing: Array(ran.output.utf8))
    }

    @Test(
        "A user is recognised in every spelling, and is there to be paid",
        arguments: ["", "pubky", "pubky://", "pk:", "paykit:"])
    func users(_ prefix: String) async throws {
        let object = try await json("inspect", "--json", prefix + Self.key)
        #expect(object["standard"]?.string == "pubky" || object["provider"]?.string == "paykit")
        #expect(object["role"]?.string == "payment" && object["valid"]?.bool == true)
    }

    @Test("A link that asks for a sign-in says so, and its secret is not shown")
    func authorization() async throws {
        let link = "pubkyauth://signin?caps=/pub/a/:rw&secret=\(Self.secret)&relay=https://r.example/link"
        for words in [["inspect", "--json", link], ["inspect", link], ["route", "--json", link], ["route", link]] {
            let ran = await payroute(words, input: [])
            #expect(!(ran.output + ran.errors).contains(Self.secret), "\(words[0])")
        }
        let object = try await json("route", "--json", link)
        #expect(object["role"]?.string == "authorization" && object["provider"]?.string == "paykit")
    }

    @Test("What comes back from a key manager says that it proves nothing, and shows no session")
    func callback() async throws {
        let link = "bitkit://paykit-session?pubky=\(Self.key)&session_secret=\(Self.key):ABCDEFGHJKMN&capabilities=/:rw"
        let object = try await json("inspect", "--json", link)
        #expect(object["role"]?.string == "callback" && object["reason"]?.string?.contains("proves nothing") == true)
        #expect(object["fields"]?["key"]?.string == Self.key)
        #expect(!object.text.contains("ABCDEFGHJKMN"))
    }
}
