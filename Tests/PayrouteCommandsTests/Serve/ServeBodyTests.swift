import PaymentCore
import TestSupport
import Testing

@testable import PayrouteCommands

/// The bodies of calls to `payroute serve`, member by member.
@Suite("serve: bodies")
struct ServeBodyTests {
    private static func body(_ json: JSONValue) throws -> ServeBody { try ServeBody(json.serialized(), ["it"]) }

    @Test("A list has at most 50 elements", arguments: [(50, true), (51, false)])
    func lists(count: Int, isTaken: Bool) throws {
        let account: JSONValue = "eip155:1:0x2B5AD5c4795c026514f8317c7a215E218DcCD6cF"
        let accounts = try Self.body(["it": .array(Array(repeating: account, count: count))])
        #expect((try? accounts.accounts("it"))?.count == (isTaken ? count : nil))
        let amount: JSONValue = ["amount": "1", "unit": "sat"]
        let amounts = try Self.body(["it": .array(Array(repeating: amount, count: count))])
        #expect((try? amounts.moneys("it") ?? [])?.count == (isTaken ? count : nil))
    }

    @Test("A text has at most 65,536 bytes", arguments: [(65536, true), (65537, false)])
    func texts(count: Int, isTaken: Bool) throws {
        let body = try Self.body(["it": .string(String(repeating: "x", count: count))])
        #expect((try? body.text("it") ?? "")?.utf8.count == (isTaken ? count : nil))
    }

    @Test("A member that is missing is no text, no list and no amount, and not true")
    func missing() throws {
        let body = try ServeBody([], ["it"])
        #expect(!body.has("it"))
        #expect(try body.text("it") == nil)
        #expect(try body.accounts("it") == [])
        #expect(try body.money("it") == nil)
        #expect(try body.moneys("it") == nil)
        #expect(try !body.flag("it"))
        #expect(throws: ServeError.self) { try body.texts("it") }
    }

    @Test("Decimals are a number up to 38", arguments: [(1, true), (38, true), (39, false), (256, false)])
    func decimals(count: Int, isTaken: Bool) throws {
        let token: JSONValue = [
            "amount": "0.5", "unit": "caip19/eip155:1/erc20:0x6b175474e89094c44da98b954eedeac495271d0f",
            "decimals": .number(JSONNumber(count)),
        ]
        let money = try? Self.body(["it": token]).money("it")
        #expect(money.map { Int($0.exponent) } == (isTaken ? count : nil))
    }

    @Test("The digest is of the members, whatever their order, and of nothing else")
    func digest() throws {
        let one = try ServeBody(Array(#"{"a":"1","b":"2"}"#.utf8), ["a", "b"]).digest
        #expect(try ServeBody(Array(#"{ "b":"2", "a":"\u0031" }"#.utf8), ["a", "b", "c"]).digest == one)
        #expect(try ServeBody(Array(#"{"a":"1","b":"3"}"#.utf8), ["a", "b"]).digest != one)
        #expect(try ServeBody(Array(#"{"a":"1"}"#.utf8), ["a", "b"]).digest != one)
    }

    @Test("An unknown member is named with those that are known")
    func unknown() {
        for (names, words) in [([], "none is known here"), (["b", "c"], "the known ones are b, c")] {
            let error = #expect(throws: ServeError.self) { try ServeBody(Array(#"{"z":1,"a":1}"#.utf8), Set(names)) }
            #expect(error?.message == "the member 'a' is not known; \(words)")
        }
    }
}
