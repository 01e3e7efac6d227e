import Foundation
import PaykitSandbox
import PaymentCore
import PaymentCrypto
import Synchronization
import TestSupport
import Testing

@testable import PaykitLaboratory
@testable import PaykitProvider

/// A private link, step by step (Protocol 12.8 and 12.9).
@Suite("Private links")
struct LinkFlowTests: LinkSuite {
    let world: LinkWorld

    init() async throws { world = try await LinkWorld(seed: 1, trouble: 0) }

    /// A request that the payer has read.
    private func asked() async throws -> String {
        try await rounds(3)
        let id = try await ask()
        try await deliver()
        return id
    }

    /// A paid request whose proof the payee has read.
    private func proven() async throws -> String {
        let id = try await asked()
        try await payer.flow.accept(id, asPayer)
        _ = try await payer.flow.pay(id, asPayer, with: settler, check: check)
        try await rounds(1)
        return id
    }

    private func phase(_ id: String) async throws -> RequestState.Phase? {
        try await requests().first { $0.id == id }?.state.phase
    }

    private func paths(_ participant: LinkParticipant) async -> [String] {
        await world.sandbox.paths(of: participant.key).filter { $0.contains("/messages/") }
    }

    @Test("Files lie where they belong: the handshake's in turn, then each side's messages from the third on")
    func files() async throws {
        try await rounds(3)
        #expect(try await pollPayer() == .linked)
        let id = try await ask()
        try await pollPayee()
        let names = await (paths(payer) + paths(payee)).map { String($0.split(separator: "/").last ?? "") }
        // The list comes before the request that is to be paid from it.
        #expect(names.sorted() == ["0", "1", "2", "3", "4"])
        for path in await paths(payee) {
            #expect(await world.sandbox.file(at: path, of: payee.key)?.count == PrivateLinkForm.fileLength)
        }
        try await pollPayer()
        #expect(try await phase(id) == .proposed)
    }

    @Test("Paying accepts, and what was paid is not paid again")
    func once() async throws {
        let id = try await asked()
        let proof = try await payer.flow.pay(id, asPayer, with: settler, check: check)
        #expect(try await payer.flow.pay(id, asPayer, with: settler, check: check) == proof && world.bank.payments == 1)
        try await rounds(1)
        #expect(try await ownRequests().first?.state.phase == .proven)
    }

    @Test("An app that does not know whether it was paid neither pays again nor says that it was")
    func doubt() async throws {
        let id = try await asked()
        try await payer.flow.accept(id, asPayer)
        let asked = Mutex(0)
        let silent = ScriptedSettler(
            base: settler,
            order: { name, _ in
                guard asked.withLock({ $0 }) == 0 else { throw NoWord() }
                return nil
            },
            settle: { _ in
                asked.withLock { $0 += 1 }
                throw NoWord()
            })
        for _ in 0..<3 {
            #expect(
                await code { _ = try await payer.flow.pay(id, asPayer, with: silent, check: check) }
                    == .paymentInDoubt)
        }
        #expect(asked.withLock { $0 } == 1)
        try await rounds(1)
        #expect(try await ownRequests().first?.state.proofs.isEmpty == true)
    }

    @Test("A list is used up by one payment")
    func usedUp() async throws {
        let first = try await asked()
        let second = try await ask("cake", hasInvoice: false)
        try await deliver()
        for id in [first, second] { try await payer.flow.accept(id, asPayer) }
        _ = try await payer.flow.pay(first, asPayer, with: settler, check: check)
        #expect(
            await code { _ = try await payer.flow.pay(second, asPayer, with: settler, check: check) }
                == .methodNotSupported)
        try await payee.flow.offer([world.offer()], asPayee)
        try await deliver()
        _ = try await payer.flow.pay(second, asPayer, with: settler, check: check)
        #expect(world.bank.payments == 2)
    }

    @Test("Neither a receipt without a proof nor a payment of the user's own request is made")
    func roles() async throws {
        let id = try await asked()
        #expect(await code { try await payee.flow.issueReceipt(for: id, asPayee, payee.session) } == .validationFailed)
        #expect(await code { try await payer.flow.issueReceipt(for: id, asPayer, payer.session) } == .validationFailed)
        #expect(await code { try await payee.flow.accept(id, asPayee) } == .validationFailed)
        #expect(
            await code { _ = try await payee.flow.pay(id, asPayee, with: settler, check: check) }
                == .validationFailed)
    }

    @Test("What was rejected, cancelled or is over is not paid")
    func ended() async throws {
        let rejected = try await asked()
        try await payer.flow.reject(rejected, reason: "too much", asPayer)
        #expect(await code { try await payer.flow.accept(rejected, asPayer) } == .validationFailed)
        let cancelled = try await asked()
        try await payer.flow.accept(cancelled, asPayer)
        try await payee.flow.cancel(cancelled, reason: nil, asPayee)
        try await deliver()
        #expect(
            await code { _ = try await payer.flow.pay(cancelled, asPayer, with: settler, check: check) }
                == .paymentRejected)
        let past = PrivateLinkTime(seconds: Int64(world.clock.now.timeIntervalSince1970) - 1)
        let over = try await ask("late", hasInvoice: false, until: past)
        try await deliver()
        #expect(await code { try await payer.flow.accept(over, asPayer) } == .invoiceExpired)
        #expect(world.bank.payments == 0)
    }

    @Test("A file that was spoilt makes both begin anew, and nothing that was said is lost")
    func spoilt() async throws {
        try await rounds(3)
        let id = try await ask()
        try await pollPayee()
        let path = try #require(await paths(payee).last)
        var file = try #require(await world.sandbox.file(at: path, of: payee.key))
        file[40] ^= 1
        await world.sandbox.publish(file, at: path, of: payee.key)
        #expect(try await pollPayer() == .linking)
        try await rounds(4)
        #expect(try await phase(id) == .proposed)
        #expect(try await pollPayer() == .linked)
    }

    @Test("A file that has vanished is noticed by the one behind it, and the last one by who wrote it")
    func vanished() async throws {
        try await rounds(3)
        let id = try await ask()
        try await pollPayee()
        let last = try #require(await paths(payee).last)
        #expect(await world.sandbox.unpublish(last, of: payee.key))
        try await pollPayee()
        #expect(await paths(payee).contains(last))
        await world.sandbox.unpublish(String(last.dropLast()) + "3", of: payee.key)
        #expect(try await pollPayer() == .linking)
        for _ in 0..<4 { try await deliver() }
        #expect(try await phase(id) == .proposed)
    }

    @Test("An app that lost its store begins anew, receives everything again, and pays nothing twice")
    func lost() async throws {
        let id = try await asked()
        try await payer.flow.accept(id, asPayer)
        _ = try await payer.flow.pay(id, asPayer, with: settler, check: check)
        payer.disk.lose()
        try await rounds(5)
        #expect(try await phase(id) == .proposed)
        try await payer.flow.accept(id, asPayer)
        _ = try await payer.flow.pay(id, asPayer, with: settler, check: check)
        try await rounds(1)
        try await payee.flow.issueReceipt(for: id, asPayee, payee.session)
        try await deliver()
        #expect(world.bank.payments == 1)
        #expect(try await payer.flow.receipts(for: id, asPayer) == payee.flow.receipts(for: id, asPayee))
    }

    @Test("What was paid before that is proven, although the payee offers another invoice now")
    func lostBesideAnotherOffer() async throws {
        let id = try await asked()
        try await payer.flow.accept(id, asPayer)
        let proof = try await payer.flow.pay(id, asPayer, with: settler, check: check)
        payer.disk.lose()
        try await payee.flow.offer([world.offer()], asPayee)
        try await rounds(5)
        try await payer.flow.accept(id, asPayer)
        #expect(try await payer.flow.pay(id, asPayer, with: settler, check: check) == proof && world.bank.payments == 1)
    }

    @Test("A receipt that was changed on its way is none")
    func spoiltReceipt() async throws {
        let id = try await proven()
        let receipt = try await payee.flow.issueReceipt(for: id, asPayee, payee.session)
        let again = try await payee.flow.issueReceipt(for: id, asPayee, payee.session)
        #expect(receipt == again)
        let path = ReceiptAccess.location(receipt.id, payee.receiver)
        let file = try #require(await world.sandbox.file(at: path, of: payee.key))
        await world.sandbox.publish(file.dropLast(8) + Array("AAAAAA\"}".utf8), at: path, of: payee.key)
        try await deliver()
        #expect(try await payer.flow.receipts(for: id, asPayer).isEmpty)
    }

    @Test(
        "A receipt that is well sealed and says something else than what was asked for is none",
        arguments: ["amount", "identifier", "recipient"])
    func otherReceipt(_ part: String) async throws {
        let id = try await proven()
        let receipt = try await payee.flow.issueReceipt(for: id, asPayee, payee.session)
        let issued = try #require(await payee.flow.held(asPayee)?.record.requests[id]?.issued[id])
        let access = ReceiptAccess(
            eventID: issued.eventID, receiptID: issued.id, reference: receipt.reference, requestID: id,
            period: receipt.period, receiver: payee.receiver,
            key: Redacted(try #require(Base64URL.decode(issued.key))))
        let stranger = try PubkyKeyPair(seed: [UInt8](repeating: 3, count: 32)).publicKey
        let other = PrivateLinkReceipt(
            id: receipt.id, reference: receipt.reference, requestID: id,
            recipient: part == "recipient" ? stranger : receipt.recipient,
            identifier: part == "identifier" ? PaykitIdentifier("btc-bitcoin-p2wpkh") : receipt.identifier,
            amount: part == "amount" ? try PrivateLinkAmount("0.00002", "btc") : receipt.amount)
        #expect(other != receipt)
        let file = try other.sealed(access, nonce: #require(Base64URL.decode(issued.nonce)))
        await world.sandbox.publish(file, at: access.location, of: payee.key)
        try await deliver()
        #expect(try await payer.flow.receipts(for: id, asPayer).isEmpty)
    }

    @Test("What is kept can be read by this app alone, and not put in another's place")
    func sealed() async throws {
        try await rounds(3)
        let store = InMemoryRecords()
        let key = asPayer.stateKey
        let value = try #require(await payer.disk.record(key)).value
        // The same state under another number.
        try await store.change([.record(key)]) { _ in
            RecordChange([.put(key, UInt64(1).bigEndianBytes + value.dropFirst(8))], ())
        }
        let keys = try PrivateLinkKeys(secret: Redacted([UInt8](repeating: 9, count: 32)))
        for (keys, store) in [(keys, payer.disk), (payer.flow.keys, store)] as [(PrivateLinkKeys, any RecordStore)] {
            let flow = PrivateLinkFlow(
                payer.key, as: payer.receiver, keys, payer.flow.reader, store: store, clock: world.clock,
                random: payer.flow.random)
            #expect(await code { _ = try await flow.requests(with: payee.key, payee.receiver) } == .storage)
        }
    }

    @Test("A peer that publishes a newer form only needs a newer app, as the error says")
    func newer() async throws {
        let peer = await world.sandbox.createUser(.appRegistry)
        let refusal = await code { try await payer.flow.poll(peer.key, payee.receiver, payer.session) }
        #expect(refusal == .methodNotSupported)
        #expect(await code { _ = try await payer.flow.peerReceivers(of: peer.key) } == .methodNotSupported)
        #expect(await code { try await payer.flow.poll(payer.key, payee.receiver, payer.session) } == .validationFailed)
        #expect(try await payer.flow.peerReceivers(of: payee.key) == [payee.receiver])
    }
}
