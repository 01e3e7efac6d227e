import PaymentCore
import PaymentCrypto
import PaymentTesting
import Testing

@testable import PaykitProvider

@Suite("Subscriptions as they are written and signed")
struct SubscriptionWireTests {
    static func subscription(
        id: String = "sub_test_123", amount: String = "1000", frequency: PaykitFrequency = .monthly(dayOfMonth: 1),
        most: String? = "5000", metadata: JSONValue = [:], startsAt: Int64 = 1000, endsAt: Int64? = nil
    ) throws -> PaykitSubscription {
        try PaykitSubscription(
            id: id, subscriber: PubkySamples.pair(0x11).publicKey, provider: PubkySamples.pair(0x22).publicKey,
            terms: PaykitSubscriptionTerms(
                amount: amount, frequency: frequency, maximumPerPeriod: most, description: "Test subscription"),
            metadata: metadata, createdAt: 1000, startsAt: startsAt, endsAt: endsAt)
    }

    private static let nonce = [UInt8](repeating: 0x2A, count: 32)

    @Test("The computed signature: the bytes, their hash and what the subscriber's key makes of them")
    func vector() throws {
        let bytes = PaykitSubscriptionSignature.signedBytes(
            try Self.subscription(), nonce: Self.nonce, timestamp: 1000, expiresAt: 2000)
        #expect(
            Hex.encode(bytes)
                == "165041594b49545f535542534352495054494f4e5f56320c7375625f746573745f313233"
                + "d04ab232742bb4ab3a1368bd4615e4e6d0224ab71a016baf8520a332c9778737"
                + "a09aa5f47a6759802ff955f8dc2d2a14a5c99d23be97f864127ff9383455a4f0"
                + "0431303030035341540201096c696768746e696e67010435303030115465737420737562736372697074696f6e"
                + "00d00fd00f002a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2ad00fa01f")
        #expect(
            Hex.encode(Digest.sha256.hash(bytes)) == "88cf36ad0015748b9066016514ea0c1dd7a122cbe30f4e971eb59287e92a7b3d")
        let signature = try PaykitSubscriptionSignature(
            of: Self.subscription(), by: PubkySamples.pair(0x11), nonce: Self.nonce, timestamp: 1000, expiresAt: 2000)
        #expect(
            Hex.encode(signature.signature)
                == "d82e073cf25d30482b144fdbffa002bba794940773adc045ef7f792d3bc60c15"
                + "425aaf66631c87626b8837ab75b6dc5d2d820c258bd5d78481762fd9ae2dd208")
        try signature.verify(Self.subscription(), by: PubkySamples.pair(0x11).publicKey, at: 2000)
    }

    @Test(
        "Frequencies, as JSON and as they are signed",
        arguments: [
            (PaykitFrequency.daily, #""Daily""#, "00"), (.weekly, #""Weekly""#, "01"),
            (.monthly(dayOfMonth: 31), #"{"Monthly":{"day_of_month":31}}"#, "021f"),
            (.yearly(month: 2, day: 29), #"{"Yearly":{"month":2,"day":29}}"#, "03021d"),
            (.custom(intervalSeconds: 3600), #"{"Custom":{"interval_seconds":3600}}"#, "04901c"),
        ])
    func frequencies(_ frequency: PaykitFrequency, _ json: String, _ bytes: String) throws {
        #expect(frequency.json.text == json)
        #expect(Hex.encode(frequency.signedBytes) == bytes)
        #expect(try PaykitFrequency(JSONValue(parsing: json)) == frequency)
    }

    @Test(
        "Frequencies that are none",
        arguments: [
            #""daily""#, "null", "{}", #"{"Monthly":{"day_of_month":0}}"#, #"{"Monthly":{"day_of_month":32}}"#,
            #"{"Monthly":{"day_of_month":1},"Yearly":{"month":1,"day":1}}"#, #"{"Yearly":{"month":2,"day":30}}"#,
            #"{"Yearly":{"month":300,"day":1}}"#, #"{"Custom":{"interval_seconds":0}}"#,
            #"{"Custom":{"interval_seconds":18446744073709551615}}"#, #"{"Monthly":{}}"#,
        ])
    func noFrequencies(_ json: String) throws {
        #expect(throws: WireDefect.self) { try PaykitFrequency(JSONValue(parsing: json)) }
    }

    @Test("A subscription is written in the library's order, keys as numbers, and read again")
    func json() throws {
        let subscription = try Self.subscription(metadata: ["note": "a \"b\""], endsAt: 9000)
        let key = OrderedJSON.numbers(subscription.subscriber.bytes).text
        #expect(
            subscription.text
                == #"{"subscription_id":"sub_test_123","subscriber":"# + key + #","provider":"#
                + OrderedJSON.numbers(subscription.provider.bytes).text
                + #","terms":{"amount":"1000","currency":"SAT","frequency":{"Monthly":{"day_of_month":1}},"#
                + #""method":"lightning","max_amount_per_period":"5000","description":"Test subscription"},"#
                + #""metadata":{"note":"a \"b\""},"created_at":1000,"starts_at":1000,"ends_at":9000}"#)
        #expect(try PaykitSubscription(JSONValue(parsing: subscription.text)) == subscription)
        var open = try JSONValue(parsing: Self.subscription(most: nil).text)
        #expect(open["ends_at"]?.isNull == true && open["terms"]?["max_amount_per_period"]?.isNull == true)
        open["ends_at"] = nil
        #expect(try PaykitSubscription(open) == Self.subscription(most: nil))
        open["ends_at"] = "9000"
        #expect(throws: WireDefect.self) { try PaykitSubscription(open) }
    }

    @Test("Both signatures travel with it, and come back as they were")
    func signed() throws {
        let subscription = try Self.subscription()
        var signed = PaykitSignedSubscription(subscription)
        #expect(try PaykitSignedSubscription(JSONValue(parsing: signed.text)) == signed)
        for byte in [UInt8(0x11), 0x22] {
            let signature = try PaykitSubscriptionSignature(
                of: subscription, by: PubkySamples.pair(byte), random: SeededRandomSource(seed: UInt64(byte)), at: 1000)
            if byte == 0x11 { signed.subscriberSignature = signature } else { signed.providerSignature = signature }
        }
        let read = try PaykitSignedSubscription(JSONValue(parsing: signed.text))
        #expect(read == signed)
        try read.providerSignature?.verify(read.subscription, by: subscription.provider, at: 1000)
        #expect(signed.subscriberSignature?.nonce != signed.providerSignature?.nonce)
        #expect(signed.subscriberSignature?.expiresAt == Int64(605_800))
        for broken in [
            #"{"subscription":null}"#,
            signed.text.replacing(#""nonce":["#, with: #""nonce":[256,"#),
        ] {
            #expect(throws: WireDefect.self) { try PaykitSignedSubscription(JSONValue(parsing: broken)) }
        }
    }

    @Test("Each field of what was signed counts, and so does whose signature it is")
    func bound() throws {
        let pair = try PubkySamples.pair(0x11)
        let subscription = try Self.subscription()
        let signature = try PaykitSubscriptionSignature(
            of: subscription, by: pair, nonce: Self.nonce, timestamp: 1000, expiresAt: 2000)
        for other in [
            try Self.subscription(id: "sub_test_124"), try Self.subscription(amount: "1001"),
            try Self.subscription(frequency: .monthly(dayOfMonth: 2)), try Self.subscription(frequency: .daily),
            try Self.subscription(most: nil), try Self.subscription(most: "5001"),
            try Self.subscription(metadata: ["a": "b"]), try Self.subscription(startsAt: 1001),
            try Self.subscription(endsAt: 5000),
        ] {
            #expect(throws: PaykitSubscriptionDefect.signature) {
                try signature.verify(other, by: pair.publicKey, at: 1000)
            }
        }
        // The library would accept the subscriber's signature as the provider's.
        #expect(throws: PaykitSubscriptionDefect.foreignKey) {
            try signature.verify(subscription, by: subscription.provider, at: 1000)
        }
        let longer = PaykitSubscriptionSignature(
            signature: signature.signature, publicKey: pair.publicKey, nonce: Self.nonce, timestamp: 1000,
            expiresAt: 9_000_000)
        #expect(throws: PaykitSubscriptionDefect.signature) {
            try longer.verify(subscription, by: pair.publicKey, at: 1000)
        }
        #expect(throws: PaykitSubscriptionDefect.foreignKey) {
            try PaykitSubscriptionSignature(
                of: subscription, by: PubkySamples.pair(0x33), random: SeededRandomSource(seed: 1), at: 0)
        }
    }

    @Test("A signature is good from when it was made until its end, whatever the clocks")
    func times() throws {
        let pair = try PubkySamples.pair(0x11)
        let subscription = try Self.subscription()
        let signature = try PaykitSubscriptionSignature(
            of: subscription, by: pair, nonce: Self.nonce, timestamp: 1000, expiresAt: 2000)
        func verdict(_ now: Int64) -> PaykitSubscriptionDefect? {
            do throws(PaykitSubscriptionDefect) {
                try signature.verify(subscription, by: pair.publicKey, at: now)
                return nil
            } catch { return error }
        }
        #expect(verdict(2000) == nil && verdict(700) == nil)
        #expect(verdict(2001) == .expiredSignature)
        #expect(verdict(699) == .futureSignature)
        #expect(verdict(.min) == .futureSignature && verdict(.max) == .expiredSignature)
    }

    @Test("A signature is used once; one that is over is forgotten, and refused all the same")
    func nonces() throws {
        let signature = try PaykitSubscriptionSignature(
            of: Self.subscription(), by: PubkySamples.pair(0x11), nonce: Self.nonce, timestamp: 1000, expiresAt: 2000)
        var nonces = PaykitNonces()
        try nonces.use(signature, at: 1000)
        #expect(throws: PaykitSubscriptionDefect.usedNonce) { try nonces.use(signature, at: 2000) }
        let others = try PaykitSubscriptionSignature(
            of: Self.subscription(), by: PubkySamples.pair(0x22), nonce: Self.nonce, timestamp: 1000, expiresAt: 2000)
        try nonces.use(others, at: 1000)
        var later = nonces
        try later.use(others, at: 2001)
        #expect(later != nonces)
    }

    @Test("Texts that one signature cannot tell apart are not signed")
    func metadata() throws {
        let bytes = [["a": 1], ["a": true]].map { (metadata: JSONValue) in Postcard.untagged(metadata) }
        #expect(bytes[0] == bytes[1], "the form that others sign has no types")
        #expect(
            Hex.encode(Postcard.untagged(["b": [nil, -1, "x"], "a": 300])) == "02" + "0161ac02" + "0162" + "03010178")
        #expect(throws: PaykitSubscriptionDefect.self) {
            try PaykitSubscriptionSignature(
                of: Self.subscription(metadata: ["a": 1]), by: PubkySamples.pair(0x11),
                random: SeededRandomSource(seed: 1), at: 0)
        }
    }

    @Test("Subscriptions that are none")
    func invalid() throws {
        let keys = try (PubkySamples.pair(0x11).publicKey, PubkySamples.pair(0x22).publicKey)
        func defect(
            id: String = "s", provider: PubkyKey? = nil, amount: String = "1", currency: String = "SAT",
            method: String = "lightning", most: String? = nil, description: String = "d",
            frequency: PaykitFrequency = .daily, starts: Int64 = 1, ends: Int64? = nil, metadata: JSONValue = [:]
        ) -> PaykitSubscriptionDefect? {
            do throws(PaykitSubscriptionDefect) {
                _ = try PaykitSubscription(
                    id: id, subscriber: keys.0, provider: provider ?? keys.1,
                    terms: PaykitSubscriptionTerms(
                        amount: amount, currency: currency, frequency: frequency, methodID: method,
                        maximumPerPeriod: most, description: description),
                    metadata: metadata, createdAt: 1, startsAt: starts, endsAt: ends)
                return nil
            } catch { return error }
        }
        #expect(defect() == nil && defect(amount: "1.5", currency: "EUR") == nil)
        #expect(defect(amount: "0.00000001", currency: "BTC", most: "1") == nil)
        #expect(defect(provider: keys.0) == .oneself)
        let wrong = [
            defect(id: ""), defect(id: String(repeating: "x", count: 65)), defect(amount: "0"), defect(amount: "-5"),
            defect(amount: "1.5"), defect(amount: "1e3"), defect(amount: ""), defect(amount: "01"),
            defect(amount: String(repeating: "9", count: 40)), defect(currency: ""), defect(currency: "DOGE"),
            defect(method: "noise"), defect(method: "../x"), defect(most: "0"), defect(amount: "6", most: "5"),
            defect(most: "x"), defect(description: ""), defect(frequency: .monthly(dayOfMonth: 0)),
            defect(starts: -1), defect(starts: .max), defect(starts: 5, ends: 5), defect(metadata: "x"),
        ]
        #expect(wrong.allSatisfy { if case .field? = $0 { true } else { false } }, "\(wrong)")
    }
}
