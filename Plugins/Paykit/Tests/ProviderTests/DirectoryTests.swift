import Foundation
import PaymentCore
import Testing

@testable import PaykitProvider

@Suite("Endpoints and what is chosen among them")
struct DirectoryTests {
    private static func endpoint(_ method: String, _ text: String = "x") -> PaykitEndpoint {
        PaykitEndpoint(methodID: method, endpoint: text)
    }

    @Test(
        "A file holds an endpoint as it is, or in one of the older forms",
        arguments: [
            ("lnbc1xyz", "lnbc1xyz"), (" lnbc1xyz\n", "lnbc1xyz"), ("", nil), (" \n", nil),
            (#"{"method_id":"lightning","endpoint":"lnbc1","enabled":true,"updated_at":1}"#, "lnbc1"),
            (#"{"endpoint":"lnbc1","enabled":false}"#, nil), (#"{"bolt11":"lnbc1","lnurl":"lnurl1"}"#, "lnbc1"),
            (#"{"lnurl":"lnurl1"}"#, "lnurl1"), (#"{"p2wpkh":"bc1q","p2tr":""}"#, "bc1q"),
            (#"{"p2tr":"bc1p"}"#, "bc1p"), ("{}", nil), (#"{"endpoint":7}"#, nil),
        ] as [(String, String?)])
    func files(_ content: String, _ endpoint: String?) throws {
        #expect(try EndpointFile.read(Array(content.utf8), method: "lightning") == endpoint)
    }

    @Test("A file that is no text, no JSON or too long is refused, with the method's name")
    func badFiles() {
        for bytes in [[0xFF, 0xFE], Array("{".utf8), [UInt8](repeating: 65, count: 8193)] as [[UInt8]] {
            #expect {
                try EndpointFile.read(bytes, method: "onchain")
            } throws: {
                ($0 as? PaykitNetworkError)?.code == .invalidData && ($0 as? PaykitNetworkError)?.methodID == "onchain"
            }
        }
    }

    @Test("What is no method is never taken for one")
    func names() throws {
        for name in ["lightning", "onchain", "silent-payments", "custom:bolt12", "a"] {
            #expect(PaykitEndpoint.isMethod(name))
        }
        let long = String(repeating: "a", count: 33)
        for name in ["noise", "supported.json", "", "Lightning", "../x", "a/b", "a b", "ä", long] {
            #expect(!PaykitEndpoint.isMethod(name))
            #expect(throws: PaykitNetworkError.self) {
                try PaykitDirectory.address(of: PubkySamples.pair(0x11).publicKey, method: name)
            }
        }
    }

    @Test("The preferred method is taken where there is one, then lightning, onchain, and the first by name")
    func checkout() {
        let all = [Self.endpoint("onchain"), Self.endpoint("bolt12"), Self.endpoint("lightning")]
        func choice(_ endpoints: [PaykitEndpoint], _ preferred: String? = nil) -> String? {
            SmartCheckout.choice(among: endpoints, preferring: preferred)?.methodID
        }
        #expect(choice(all) == "lightning")
        #expect(choice(all, "onchain") == "onchain")
        #expect(choice(all, "bolt12") == "bolt12")
        #expect(choice(all, "paypal") == "lightning")
        #expect(choice([Self.endpoint("z"), Self.endpoint("onchain")]) == "onchain")
        #expect(choice([Self.endpoint("z"), Self.endpoint("b")]) == "b")
        #expect(choice([]) == nil)
    }

    @Test("Private offers are kept by method, bounded, and not beyond their time")
    func offers() throws {
        let user = try PubkySamples.pair(0x11).publicKey
        let now = Date(timeIntervalSince1970: 1_000_000)
        var offers = ChannelOffers()
        offers.add(
            PaykitChannelOffer(Self.endpoint("lightning", "old"), expiresAt: now.addingTimeInterval(9)), of: user,
            at: now)
        offers.add(
            PaykitChannelOffer(Self.endpoint("lightning", "new"), expiresAt: now.addingTimeInterval(10)), of: user,
            at: now)
        offers.add(PaykitChannelOffer(Self.endpoint("onchain")), of: user, at: now)
        #expect(offers.current(of: user, at: now).map(\.endpoint.endpoint) == ["new", "x"])
        #expect(offers.current(of: user, at: now.addingTimeInterval(10)).map(\.endpoint.methodID) == ["onchain"])
        let month = ChannelOffers.lifetime / .seconds(1)
        #expect(offers.current(of: user, at: now.addingTimeInterval(month)).isEmpty)
        for index in 0..<20 {
            offers.add(PaykitChannelOffer(Self.endpoint("m\(index)")), of: user, at: now)
        }
        #expect(offers.current(of: user, at: now).count == ChannelOffers.most)
        offers.remove("m19", of: user)
        #expect(offers.current(of: user, at: now).count == ChannelOffers.most - 1)
    }

    @Test("An endpoint is replaced as its policy says")
    func rotation() {
        let start = Date(timeIntervalSince1970: 1_000_000)
        var use = PaykitEndpointUse(publishedAt: start)
        let day = Duration.seconds(86_400)
        func due(_ policy: PaykitRotationPolicy, after seconds: Double = 0) -> Bool {
            policy.isDue(use, at: start.addingTimeInterval(seconds))
        }
        #expect(!due(.onUse) && !due(.onThreshold(2)) && !due(.periodic(day)) && !due(.manual))
        #expect(due(.periodic(day), after: 86_400) && !due(.periodic(day), after: 86_399))
        #expect(!due(.periodic(day), after: -86_400))
        use.note(at: start)
        #expect(due(.onUse) && !due(.onThreshold(2)) && !due(.manual, after: 1e9))
        use.note(at: start)
        #expect(due(.onThreshold(2)) && due(.onThreshold(0)))
        #expect(use.lastAt == start)
    }

    @Test("Profiles of both forms are read, and what is odd in them is left out")
    func profiles() throws {
        let profile = PubkyProfile(
            try JSONValue(
                parsing: Array(
                    #"""
                    {"name":"Anna","bio":7,"image":"https://a.example/a.png","status":null,"more":{},
                     "links":["https://b.example",{"title":"C","url":"https://c.example"},{"title":"D"},9]}
                    """#.utf8)))
        #expect(profile.name == "Anna" && profile.bio == nil && profile.status == nil)
        #expect(profile.links == ["https://b.example", "https://c.example"])
        #expect(profile.namedLinks.map(\.title) == [nil, "C"])
        #expect(PubkyProfile(profile.json).links == profile.links)
        #expect(PubkyProfile([]) == PubkyProfile())
    }
}
