import BitcoinSandbox
import Foundation
import PaymentCore
import PaymentCrypto
import PaymentStandards
import PaymentTesting
import Testing

@testable import BitcoinWallets

/// Offers (BOLT 12): their nodes make the invoices that the wallet pays.
@Suite("Offers paid by wallets")
struct WalletOfferTests {
    private static func settlement(
        _ offer: SimulatedOffer, _ key: String = "a", _ satoshi: UInt64 = 21
    ) throws -> Settlement {
        Settlement(
            key: key, endpoint: SettlementEndpoint(.bolt12Offer, text: offer.text),
            amount: try Money(minorUnits: UInt128(satoshi), currency: .satoshi))
    }

    @Test("An offer is paid by one invoice for each name, and the proof is that invoice's")
    func paid() async throws {
        let bench = try await WalletBench(.coreLightning)
        let settlement = try Self.settlement(bench.node.offer(nil))
        #expect(bench.settler.canSettle(.bolt12Offer, on: nil))
        guard case .settled(.preimage(let preimage)) = try await bench.settler.settle(settlement) else {
            Issue.record("it is not paid")
            return
        }
        let order = try #require(try await bench.settler.order(named: "a"))
        #expect(order.endpoint?.kind == .bolt12Invoice && order.state == .settled(.preimage(preimage)))
        #expect(order.endpoint?.paymentHash == Hex.encode(Digest.sha256.hash(try #require(Hex.decode(preimage)))))
        #expect(try await bench.another().settle(settlement) == order.state)
        #expect(bench.node.attemptCount == 1)
        #expect(try await bench.settler.settle(Self.settlement(bench.node.offer(nil), "b")).isSettled)
        #expect(bench.node.attemptCount == 2)
    }

    @Test("Only a wallet that asks offers for invoices pays them", arguments: SimulatedNode.Face.allCases)
    func others(face: SimulatedNode.Face) async throws {
        let bench = try await WalletBench(face)
        let settlement = try Self.settlement(bench.node.offer(nil))
        let isAble = face == .coreLightning
        #expect(bench.settler.canSettle(.bolt12Offer, on: nil) == isAble)
        #expect(try await bench.settler.settle(settlement).isSettled == isAble)
        #expect(bench.node.attemptCount == (isAble ? 1 : 0))
    }

    @Test("An offer of a fixed amount takes no other, and an offer that no node answers for is not paid")
    func amounts() async throws {
        let bench = try await WalletBench(.coreLightning)
        #expect(try await bench.settler.settle(Self.settlement(bench.node.offer(42_000))).hasSentNothing)
        #expect(try await bench.settler.settle(Self.settlement(bench.node.offer(42_000), "b", 42)).isSettled)
        #expect(try await bench.settler.settle(Self.settlement(SimulatedOffer(7), "c")).hasSentNothing)
        #expect(bench.node.attemptCount == 1)
    }

    @Test("A payment of an offer whose answer is lost is found by the stored invoice")
    func lost() async throws {
        let bench = try await WalletBench(.coreLightning)
        bench.faults.inject(.dropAfter, when: WalletBench.isOrder)
        let settlement = try Self.settlement(bench.node.offer(nil))
        #expect(try await bench.settler.settle(settlement).isSettled)
        #expect(bench.node.attemptCount == 1)
    }

    @Test("An offer and its invoice are of the wallet's network")
    func network() throws {
        let offer = try SimulatedOffer(nil, on: .mainnet)
        let text = try offer.invoice(over: 21_000, paymentHash: [UInt8](repeating: 7, count: 32), at: 1).text
        func check(on network: String) throws {
            _ = try OfferInvoice(text, of: offer.text, over: 21_000, on: network, feeLimit: 0, StandardsReader())
        }
        try check(on: "mainnet")
        #expect(throws: PaymentError.self) { try check(on: "regtest") }
    }

    // MARK: Invoices that are not the offer's

    private enum Lie: CaseIterable {
        case amount, description, chain, issuer, extraTerm, firstTerm, lastTerm, newTerm, signature, otherText
    }

    @Test(
        "An invoice that is not for this offer and amount, signed by its issuer, is not paid", arguments: Lie.allCases)
    private func lies(lie: Lie) throws {
        let offer = try SimulatedOffer(nil)
        let hash = [UInt8](repeating: 7, count: 32)
        func invoice(_ changes: [UInt64: [UInt8]] = [:], isForeign: Bool = false) throws -> String {
            try offer.invoice(
                over: 21_000, paymentHash: hash, at: 1_700_000_000, changes: changes, isForeign: isForeign
            ).text
        }
        let right = try invoice()
        let text =
            switch lie {
            case .amount: try invoice([170: [0x52, 0x09]])
            case .description: try invoice([10: Array("another".utf8)])
            // The offer for the main network names no chain.
            case .chain: try SimulatedOffer(nil, on: .mainnet).invoice(over: 21_000, paymentHash: hash, at: 1).text
            case .issuer: try invoice(isForeign: true)
            case .extraTerm: try invoice([20: [1]])
            case .firstTerm: try invoice([1: [1]])
            case .lastTerm: try invoice([79: [1]])
            case .newTerm: try invoice([1_999_999_999: [1]])
            case .signature: String(right.dropLast(6)) + "qqqqqq"
            case .otherText: offer.text
            }
        func check(_ text: String) throws -> OfferInvoice {
            try OfferInvoice(
                text, of: offer.text, over: 21_000, on: "regtest", feeLimit: 0, StandardsReader())
        }
        let made = try check(right)
        #expect(made.invoice.paymentHash == Hex.encode(hash) && made.invoice.isOffered)
        #expect(made.expiresAt == Date(timeIntervalSince1970: 1_700_000_600))
        #expect(throws: PaymentError.self) { try check(text) }
    }
}
