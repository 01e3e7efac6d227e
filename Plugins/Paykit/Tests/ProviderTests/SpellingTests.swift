import PaykitProvider
import PaymentCore
import PaymentStandards
import PaymentTesting
import Testing

/// One payment has one name, however its link is written.
@Suite("Spellings of Paykit's links")
struct SpellingTests {
    private static let key = "8pinxxgqs41n4aididenw5apqp1urfmzdztr8jt4abrkdn435ewo"
    private static let id = "11111111-1111-4111-8111-000000000002"
    private static let offer = "lno1zcss9mk8y3wkklfvevcrszlmu23kfrxh49px20665dqwmn4p72pksese"
    private static let address = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"
    private let provider: PaykitProvider

    init() throws {
        provider = PaykitProvider(
            network: try .sandbox(try HTTPURL("http://127.0.0.1:6287")), reader: StandardsReader(), callbacks: [])
    }

    private func match(_ text: String) -> LinkMatch? { (try? PaymentLink(text)).flatMap(provider.recognize) }

    @Test(
        "Every link has one name in every spelling",
        arguments: [
            "pubky://\(key)", "pk:\(key)", "paykit:\(key)", key, "pubky\(key)",
            "paykit:request?request_id=a%20b%2F7&from=pubky%3A%2F%2F\(key)",
            "paykit:request?request_id=\(id)&from=pubky://\(key)&app=bitkit/wallet&recurs=true",
            "paykit:invoice?method=lightning&data=\(offer)", "paykit:invoice?method=onchain&data=\(address)",
            "paykit:invoice?method=onchain&data=bitcoin%3A\(address)%3Famount%3D0.5%26label%3Da%2520b",
        ])
    func spellings(_ link: String) throws {
        let match = try #require(self.match(link))
        #expect(match.reference != nil)
        var same = 0
        for (difference, text) in SecondSpellings.all(of: link) {
            // A link that has an item twice is refused, as readers disagree.
            guard let other = self.match(text) else { continue }
            same += 1
            #expect(other == match, "\(difference)")
        }
        #expect(same >= 2)
    }

    @Test(
        "The endpoint of an invoice has the name that it has anywhere",
        arguments: [
            ("method=lightning&data=\(offer)", "method=lightning&data=\(offer.uppercased())"),
            ("method=lightning&data=\(offer)", "data=lightning%3A\(offer)&method=lightning"),
            ("method=onchain&data=\(address)", "method=onchain&data=\(address.uppercased())"),
            ("method=onchain&data=\(address)", "method=onchain&data=BITCOIN%3A\(address.uppercased())"),
            (
                "method=onchain&data=bitcoin%3A\(address)%3Famount%3D0.5%26label%3Da",
                "method=onchain&data=BITCOIN%3A\(address.uppercased())%3FLABEL%3D%2561%26amount%3D0.50"
            ),
        ])
    func endpoints(_ one: String, _ other: String) throws {
        let match = try #require(self.match("paykit:invoice?\(one)"))
        #expect(self.match("paykit:invoice?\(other)") == match)
    }

    @Test("Another label, amount or id is another payment")
    func others() throws {
        let link = "paykit:invoice?method=onchain&data=bitcoin%3A\(Self.address)%3Famount%3D0.5%26label%3D"
        let names = [
            "\(link)a", "\(link)b", "\(link)a%252D", "\(link)a%25252D", "\(link.replacing("0.5", with: "0.6"))a",
            "paykit:request?request_id=a&from=pubky://\(Self.key)",
            "paykit:request?request_id=A&from=pubky://\(Self.key)",
            "paykit:request?request_id=%C3%A9&from=pubky://\(Self.key)",
            "paykit:request?request_id=e%CC%81&from=pubky://\(Self.key)",
            "paykit:request?request_id=b/request/\(Self.id)&from=pubky://\(Self.key)",
            "paykit:request?request_id=\(Self.id)&from=pubky://\(Self.key)&app=request/wallet",
        ].compactMap { match($0)?.reference }
        #expect(names.count == 11 && Set(names).count == 11, "\(names)")
    }
}
