import Foundation
import PaykitSandbox
import PaymentCore
import PaymentStandards
import Synchronization
import TestSupport
import Testing

@testable import PaykitProvider

/// The limits of payments and of disclosure over a private link (Protocol 11.3 and 12.9).
@Suite("Limits and proofs of private links")
struct LinkMoneyTests {
    private func endpoint(_ least: String?, _ most: String?) -> PaykitEndpoint {
        PaykitEndpoint(methodID: "btc-lightning-bolt11", endpoint: "lnbc1", least: least, most: most)
    }

    @Test(
        "An amount is within its owner's limits or refused, to the last decimal",
        arguments: [
            ("0.00001", nil, true), ("0.000021", "0.000021", true), (nil, "0.000020999999999999", false),
            ("0.0000210000000000001", nil, false), (nil, "21", true), ("21", nil, false), ("00.000021000", nil, true),
            (".000021", ".000021", true), (nil, "0", false), ("0", "340282366920938463463374607431768211456", true),
            ("1.", nil, false),
        ] as [(String?, String?, Bool)])
    func limits(_ least: String?, _ most: String?, _ isTaken: Bool) throws {
        let amount = try Money(minorUnits: 2100, currency: .satoshi)
        let endpoint = endpoint(least, most)
        if isTaken {
            try endpoint.take(amount)
        } else {
            #expect { try endpoint.take(amount) } throws: {
                guard let failure = $0 as? PaykitNetworkError else { return false }
                return failure.code == .validationFailed && failure.methodID == "btc-lightning-bolt11"
            }
        }
        try endpoint.take(nil)
        let other = PaykitEndpoint(methodID: "other", endpoint: "x", least: least, most: most)
        let check = PaykitEndpointCheck(StandardsReader())
        #expect((try? check.check(other, amount: amount, at: Date())) == .some(nil) || !isTaken)
        #expect(isTaken || (try? check.check(other, amount: amount, at: Date())) == nil)
    }

    @Test("A request is not paid where its payee takes no such amount, by a router or without one")
    func request() async throws {
        let world = try await RequestWorld()
        let id = try await world.ask(at: [await world.invoice(nil)])
        for limit in [#""min":"0.000022""#, #""max":"0.00002""#] {
            let invoice = await world.invoice(nil).endpoint
            try await world.payee.flow.change(world.asPayee) { record throws(PaykitNetworkError) in
                let list = [RequestWorld.bolt11: #"{"value":"\#(invoice)",\#(limit)}"#]
                do { try record.say(.paymentList(list)) } catch {
                    throw PaykitNetworkError(.validationFailed, "\(error)")
                }
            }
            try await world.deliver()
            let error = await #expect(throws: PaymentError.self) {
                try await world.process().pay(world.link(id)).get()
            }
            #expect(error?.code == .unusableOption && error?.message.contains("takes no ") == true)
        }
        try await world.payer.flow.accept(id, world.asPayer)
        #expect(await code { try await world.payDirectly(id) } == .validationFailed)
        #expect(await world.captures == 0 && world.settled.isEmpty)
        try await world.offer(await world.invoice(nil))
        #expect(isPaid(await (try world.process()).pay(try world.link(id))))
        #expect(await world.captures == 1)
    }

    // MARK: Proofs

    @Test("A settler's proof of another payment is sent to no peer, and the request stays in doubt")
    func lyingSettler() async throws {
        let (world, id, _) = try await RequestWorld.asked()
        let other = SettlementState.settled(.preimage(String(repeating: "07", count: 32)))
        let chain = SettlementState.settled(.transaction(String(repeating: "07", count: 32)))
        let settlers = [
            ScriptedSettler(base: world.node, settle: { _ in other }),
            ScriptedSettler(base: world.node, settle: { _ in chain }),
            ScriptedSettler(
                base: world.node,
                order: { name, _ in SettlementOrder(name: name, endpoint: nil, amount: nil, state: other) }),
        ]
        for settler in settlers {
            #expect(await code { try await world.payDirectly(id, with: settler) } == .paymentInDoubt)
        }
        #expect(try await world.proofs(id).isEmpty)
        #expect(try await world.phase(id) == .accepted)
    }

    @Test("Without a router, too, a request that is cancelled after a silent settler is abandoned there, or proven")
    func cancelled() async throws {
        for isSent in [false, true] {
            let world = try await RequestWorld()
            let node = world.node
            let id = try await world.ask()
            let silent = ScriptedSettler(
                base: node,
                settle: {
                    if isSent { _ = try await node.settle($0) }
                    throw NoWord()
                })
            await #expect(throws: PaykitNetworkError.self) { try await world.payDirectly(id, with: silent) }
            try await world.cancel(id)
            if isSent {
                try await world.payDirectly(id)
                #expect(try await world.proofs(id).count == 1)
            } else {
                for _ in 0..<2 { #expect(await code { try await world.payDirectly(id) } == .paymentRejected) }
                let claim = PrivateLinkClaim(
                    party: try world.asPayer, requestID: id, period: nil,
                    amount: try Money(minorUnits: 1, currency: .satoshi),
                    endpoint: PaykitEndpoint(methodID: "", endpoint: ""), number: 0, isOpen: false)
                #expect(try await node.order(named: claim.name)?.state == .nothingSent(reason: "abandoned"))
            }
            #expect(await world.captures == (isSent ? 1 : 0))
        }
    }

    @Test("An attempt in which nothing was sent is followed by another, under another name")
    func again() async throws {
        let (world, id, _) = try await RequestWorld.asked()
        let names = Mutex<[String]>([])
        let settler = ScriptedSettler(
            base: world.node,
            settle: { settlement in
                let count = names.withLock {
                    $0.append(settlement.key)
                    return $0.count
                }
                return count == 1 ? .nothingSent(reason: "no route") : nil
            })
        await #expect(throws: PaykitNetworkError.self) { try await world.payDirectly(id, with: settler) }
        try await world.payDirectly(id, with: settler)
        #expect(Set(names.withLock { $0 }).count == 2)
        #expect(await world.captures == 1)
    }

    /// Reads an invoice, but not its payment hash.
    private struct HashlessReader: InstructionReader {
        func read(_ link: PaymentLink) -> InstructionReading {
            guard case .instruction(let found) = StandardsReader().read(link) else { return .none }
            var fields = found.fields
            fields["paymentHash"] = nil
            var read = PaymentInstruction(standard: found.standard, fields: fields)
            (read.amount, read.warnings, read.expiresAt) = (found.amount, found.warnings, found.expiresAt)
            return .instruction(read)
        }
    }

    @Test("An invoice of which no payment hash is known is not paid: no proof would show its payment")
    func hashless() async throws {
        let (world, id, _) = try await RequestWorld.asked()
        let check = PaykitEndpointCheck(HashlessReader(), network: .regtest)
        #expect(
            await code { _ = try await world.payer.flow.pay(id, world.asPayer, with: world.node, check: check) }
                == .invalidData)
        #expect(await world.captures == 0)
        try await world.payDirectly(id)
        #expect(await world.captures == 1)
    }
}
