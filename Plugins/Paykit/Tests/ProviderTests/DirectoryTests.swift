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
        "An endpoint in a file stands alone, and empty or odd members are none",
        arguments: [
            (" lnbc1xyz\n", "lnbc1xyz"), (" \n", nil), (#"{"p2wpkh":"bc1q","p2tr":""}"#, "bc1q"),
            (#"{"p2tr":"bc1p"}"#, "bc1p"), (#"{"endpoint":7}"#, nil),
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
        #expect(PaykitEndpoint.isMethod("a"))
        let long = String(repeating: "a", count: 33)
        for name in ["noise", "supported.json", "", "Lightning", "../x", "a/b", "a b", "ä", long] {
            #expect(!PaykitEndpoint.isMethod(name))
            #expect(throws: PaykitNetworkError.self) {
                try PaykitDirectory.address(of: PubkySamples.pair(0x11).publicKey, method: name)
            }
        }
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

    @Test("A clock that is set back replaces no endpoint, and a threshold of none any that was used")
    func rotation() {
        let start = Date(timeIntervalSince1970: 1_000_000)
        var use = PaykitEndpointUse(publishedAt: start)
        let day = Duration.seconds(86_400)
        func due(_ policy: PaykitRotationPolicy, after seconds: Double = 0) -> Bool {
            policy.isDue(use, at: start.addingTimeInterval(seconds))
        }
        #expect(!due(.periodic(day)) && !due(.periodic(day), after: -86_400))
        use.note(at: start)
        #expect(due(.onThreshold(0)) && use.lastAt == start)
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
