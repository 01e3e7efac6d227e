import PaykitProvider
import PaykitSandbox
import PaymentCore
import PaymentCrypto
import PaymentStandards
import PaymentTesting
import TestSupport
import Testing

/// Payments to the users of the simulated network, with simulated money.
@Suite("The Pubky sandbox's settlements")
struct PubkySettlementTests {
    private let world = PubkyWorld()

    private func hash(of invoice: String) throws -> String {
        try #require(try Bolt11(PaymentLink(invoice)).fields["paymentHash"]?.string)
    }

    @Test("An invoice is paid once, and proved by what its hash is of")
    func invoice() async throws {
        let user = await world.sandbox.createUser()
        let text = try await world.endpoint("lightning", of: user)
        let hash = try hash(of: text)
        #expect(await world.sandbox.proof(ofPaying: hash) == nil)
        guard case .preimage(let preimage) = try await world.sandbox.pay(text.uppercased()) else {
            Issue.record("no preimage")
            return
        }
        #expect(Hex.encode(Digest.sha256.hash(try #require(Hex.decode(preimage)))) == hash)
        #expect(await world.sandbox.proof(ofPaying: hash) == .preimage(preimage))
        await #expect(throws: PubkySandbox.SettlementError.alreadyPaid) { try await world.sandbox.pay(text) }
        let ledger = await world.sandbox.ledger
        #expect(ledger.captures(of: user.key.text) == 1)
        #expect(
            ledger.events(of: user.key.text).last == .settled
                && ledger.events(of: user.key.text).contains(
                    .captured(option: "lightning", amount: "2100 sat", account: "sandbox payer"))
        )
    }

    @Test("What cannot be paid is refused, and nothing is taken")
    func refused() async throws {
        let user = await world.sandbox.createUser()
        let open = await world.sandbox.createUser(.openAmount)
        let late = await world.sandbox.createUser(.expiredInvoice)
        let broken = await world.sandbox.createUser(.brokenEndpoints)
        let cases: [(String, UInt64?, PubkySandbox.SettlementError)] = [
            (try await world.endpoint("lightning", of: user), 2101, .wrongAmount),
            (try await world.endpoint("lightning", of: open), nil, .wrongAmount),
            (try await world.endpoint("lightning", of: open), 0, .wrongAmount),
            (try await world.endpoint("onchain", of: user), nil, .wrongAmount),
            (try await world.endpoint("lightning", of: late), 2100, .expired),
            (try await world.endpoint("lightning", of: broken), 2100, .unknownEndpoint),
            (try await world.endpoint("onchain", of: broken), 2100, .unknownEndpoint),
            ("bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", 1, .unknownEndpoint), ("", nil, .unknownEndpoint),
        ]
        for (endpoint, amount, expected) in cases {
            await #expect(throws: expected) { try await world.sandbox.pay(endpoint, amount: amount) }
        }
        #expect(await world.sandbox.ledger.entries.allSatisfy { $0.event == .created })
    }

    @Test("Addresses take every payment, over HTTP too")
    func overHTTP() async throws {
        let user = await world.sandbox.createUser()
        let address = try await world.endpoint("onchain", of: user)
        func pay(_ body: JSONValue) async throws -> HTTPResponse {
            try await world.send("POST", "/sandbox/paykit/pay", body: body.serialized())
        }
        let first = try await pay(["endpoint": .string(address), "amount": 700])
        let second = try await pay(["endpoint": .string(address), "amount": 700])
        #expect(first.text.wholeMatch(of: /\{"transaction":"[0-9a-f]{64}"\}/) != nil)
        #expect(second.status == 200 && second.text != first.text)
        #expect(await world.sandbox.ledger.captures(of: user.key.text) == 2)
        let invoice = try await world.endpoint("lightning", of: user)
        let name = try hash(of: invoice)
        #expect(try await world.send("GET", "/sandbox/paykit/\(name)").status == 404)
        let paid = try await pay(["endpoint": .string(invoice)])
        #expect(paid.text.hasPrefix(#"{"preimage":""#))
        #expect(try await world.send("GET", "/sandbox/paykit/\(name)").text == paid.text)
        #expect(try await pay(["endpoint": .string(invoice)]).line == "409 already-paid")
        #expect(try await pay(["endpoint": "nothing"]).line == "422 unknown-endpoint")
        #expect(try await pay(["amount": 7]).status == 400)
        #expect(try await pay(["endpoint": .string(address), "amount": -7]).line == "422 wrong-amount")
        #expect(try await world.send("PUT", "/sandbox/paykit/pay").status == 405)
    }
}
