import PaymentCore
import PaymentReview
import PaymentWallet
import Testing

/// Typed data whose types lack the domain's, over whose digest wallets differ.
struct CompletionTests {
    private static let withDomain = [Sample.permit, Sample.receive]

    @Test("The domain's type is put in before a wallet sees the call, as text and as an object", arguments: withDomain)
    func completed(_ name: String) throws {
        let whole = try Sample(name)
        let call = try #require(whole.json["calls"]?.array?.last)
        let data = try #require(Self.data(call))
        for isText in [false, true] {
            var bare = data
            bare["types"]?["EIP712Domain"] = nil
            var sent = call
            var params = try #require(call["params"]?.array)
            params[1] = isText ? .string(bare.text) : bare
            sent["params"] = .array(params)
            let completed = SigningReviewer.completed(sent)
            #expect((completed["params"]?[1]?.string != nil) == isText)
            let read = try #require(Self.data(completed))
            #expect(read["types"]?["EIP712Domain"]?.array?.count == data["types"]?["EIP712Domain"]?.array?.count)
            var sample = whole
            sample.json["calls"] = [completed]
            #expect(try sample.verdict["digest"] == whole.verdict["digest"])
            #expect(try sample.code == nil)
        }
    }

    @Test("Nothing else is changed, and what is there stays")
    func unchanged() throws {
        for example in VectorTests.Case.all where example.testDescription != Sample.transfer {
            for call in example.json["calls"]?.array ?? [] {
                let types = Self.data(call)?["types"]?.object
                guard types == nil || types?["EIP712Domain"] != nil else { continue }
                #expect(SigningReviewer.completed(call) == call, "\(example)")
            }
        }
    }

    private static func data(_ call: JSONValue) -> JSONValue? {
        let data = call["params"]?[1]
        return data?.string.map { try? JSONValue(parsing: $0) } ?? data
    }
}
