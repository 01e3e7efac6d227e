import PaykitKit
import PaykitSandbox
import PaymentCore
import PaymentStandards
import TestSupport
import Testing

@testable import PaykitProvider

/// Endpoints are judged by their payment texts, down to the last character (Protocol 4.6).
@Suite("Paykit's endpoints, checked")
struct EndpointCheckTests: NetworkSuite {
    let network = TestNetwork()

    private func check(
        _ method: String, _ text: String, _ network: PaykitEndpointCheck.Network = .regtest, amount: Money? = nil
    ) -> PaykitNetworkError? {
        do throws(PaykitNetworkError) {
            try PaykitEndpointCheck(StandardsReader(), network: network)
                .check(PaykitEndpoint(methodID: method, endpoint: text), amount: amount, at: clock.now)
            return nil
        } catch { return error }
    }

    private func sat(_ count: UInt64) throws -> Money { try Money(minorUnits: UInt128(count), currency: .satoshi) }

    private static let mainnet = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"
    private static let testnet = "tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx"
    private static let older = "1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2"

    @Test("What is sound, of the right network and still good passes")
    func sound() async throws {
        let user = await sandbox.createUser()
        let invoice = await sandbox.createInvoice(1000, for: user.key)
        #expect(check("lightning", invoice) == nil)
        #expect(check("lightning", invoice.uppercased()) == nil)
        #expect(check("lightning", "anna@pay.example") == nil)
        #expect(check("lightning", "anna@pay.example", .mainnet) == nil)
        #expect(check("onchain", Self.mainnet, .mainnet) == nil)
        #expect(check("onchain", Self.older, .mainnet) == nil)
        #expect(check("onchain", "bitcoin:\(Self.mainnet)?amount=0.1", .mainnet) == nil)
        #expect(check("onchain", Self.testnet, .testnet) == nil)
        // The texts of both chains are the same.
        #expect(check("onchain", Self.testnet, .signet) == nil)
        // An undescribed method is not judged.
        #expect(check("paypal", "whatever it is", .mainnet) == nil)
    }

    @Test("A character that is wrong, another network and another kind of text are refused, without being repeated")
    func unsound() async throws {
        let user = await sandbox.createUser()
        let invoice = await sandbox.createInvoice(1000, for: user.key)
        for (method, text, network) in [
            ("lightning", String(invoice.dropLast()) + (invoice.hasSuffix("q") ? "p" : "q"), .regtest),
            ("lightning", String(invoice.dropLast(10)), .regtest), ("lightning", invoice, .mainnet),
            ("lightning", invoice, .testnet), ("lightning", Self.mainnet, .mainnet),
            ("lightning", "lnbc1...", .mainnet),
            ("lightning", "", .mainnet), ("lightning", "hello you", .mainnet),
            ("onchain", String(Self.mainnet.dropLast()) + "5", .mainnet), ("onchain", Self.testnet, .mainnet),
            ("onchain", Self.mainnet, .testnet), ("onchain", Self.mainnet, .regtest),
            ("onchain", Self.testnet, .regtest),
            ("onchain", String(Self.older.dropLast()) + "3", .mainnet), ("onchain", invoice, .regtest),
            ("onchain", "bc1q...", .mainnet), ("onchain", "anna@pay.example", .mainnet),
            // A private key.
            ("onchain", "5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ", .mainnet),
        ] as [(String, String, PaykitEndpointCheck.Network)] {
            let failure = check(method, text, network)
            #expect(failure?.code == .invalidData && failure?.methodID == method, "\(method) \(text)")
            #expect(text.count < 3 || failure?.message.contains(text) == false)
        }
    }

    @Test("An invoice that is over cannot be paid, from the second of its end on")
    func expired() async throws {
        let user = await sandbox.createUser()
        let invoice = await sandbox.createInvoice(1000, for: user.key)
        clock.advance(by: .seconds(24 * 3600 - 1))
        #expect(check("lightning", invoice) == nil)
        clock.advance(by: .seconds(1))
        #expect(check("lightning", invoice)?.code == .invoiceExpired)
    }

    @Test("An invoice is for its amount, however finely that is counted, and one without is for any")
    func amounts() async throws {
        let user = await sandbox.createUser()
        let (fixed, open) = (
            await sandbox.createInvoice(1000, for: user.key), await sandbox.createInvoice(nil, for: user.key)
        )
        #expect(check("lightning", fixed, amount: try sat(1000)) == nil)
        let fine = try Money(minorUnits: 1_000_000, currency: .satoshi, exponent: 11)
        #expect(check("lightning", fixed, amount: fine) == nil)
        #expect(check("lightning", open, amount: try sat(1)) == nil)
        let wrong = try [sat(999), sat(1001), Money(minorUnits: 1_000_001, currency: .satoshi, exponent: 11)]
        for amount in wrong + [try Money(decimal: "10", currency: .fiat(FiatCurrency("EUR")))] {
            #expect(check("lightning", fixed, amount: amount)?.code == .validationFailed, "\(amount)")
        }
        let uri = "bitcoin:\(Self.mainnet)?amount=0.00001"
        #expect(check("onchain", uri, .mainnet, amount: try sat(1000)) == nil)
        #expect(check("onchain", uri, .mainnet, amount: try sat(1001))?.code == .validationFailed)
    }

    // MARK: The client

    private func client() async throws -> PaykitClient {
        try await sandbox.client(clock: clock) {
            $0.endpointCheck = PaykitEndpointCheck(StandardsReader(), network: .regtest)
        }
    }

    @Test("The client publishes no endpoint that cannot be paid")
    func publishing() async throws {
        let client = try await client()
        let me = try #require(await client.user)
        for (method, text) in [("lightning", "lnbc1..."), ("onchain", Self.mainnet)] {
            #expect(await code { try await client.setEndpoint(methodId: method, endpoint: text) } == .invalidData)
        }
        #expect(await sandbox.file(at: "/pub/paykit.app/v0/onchain", of: me) == nil)
        try await client.setEndpoint(methodId: "lightning", endpoint: "anna@pay.example")
    }

    @Test("The client chooses what can be paid, and says why where nothing can")
    func choosing() async throws {
        let client = try await client()
        let expired = await sandbox.createUser(.expiredInvoice)
        // A published invoice expires while a client looks at it.
        clock.advance(by: .seconds(24 * 3600))
        #expect(try await client.smartCheckout(pubkey: expired.key.text).methodId == "onchain")
        #expect(
            try await client.smartCheckout(pubkey: expired.key.text, preferredMethod: "lightning").methodId == "onchain"
        )
        let broken = await sandbox.createUser(.brokenEndpoints)
        #expect(await code { _ = try await client.smartCheckout(pubkey: broken.key.text) } == .invalidData)
        let user = await sandbox.createUser(.emptyDirectory)
        let invoice = await sandbox.createInvoice(1000, for: user.key)
        await sandbox.publish(Array(invoice.utf8), at: "/pub/paykit.app/v0/lightning", of: user.key)
        #expect(try await client.smartCheckout(pubkey: user.key.text, amount: try sat(1000)).methodId == "lightning")
        #expect(
            await code { _ = try await client.smartCheckout(pubkey: user.key.text, amount: try sat(1)) }
                == .validationFailed)
        // An offer to this device alone is no better.
        let offer = PaykitChannelOffer(PaykitEndpoint(methodID: "onchain", endpoint: Self.mainnet))
        await client.keep(offer, of: user.key)
        #expect(try await !client.smartCheckout(pubkey: user.key.text, preferredMethod: "onchain").isPrivate)
    }
}
