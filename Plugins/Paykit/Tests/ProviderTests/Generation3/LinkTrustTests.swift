import PaykitSandbox
import PaymentCore
import PaymentTesting
import TestSupport
import Testing

@testable import PaykitLaboratory
@testable import PaykitProvider

/// Attacks on a private link, and copies of it (Protocol 12.8).
@Suite("Private links whose peer or whose copy is another one")
struct LinkTrustTests: LinkSuite {
    let world: LinkWorld

    init() async throws { world = try await LinkWorld(seed: 1, trouble: 0) }

    /// A program of one of the two with its own store.
    private func program(
        _ one: LinkParticipant, _ store: any RecordStore, seed: UInt64, secret: UInt8? = nil
    ) throws -> PrivateLinkFlow {
        let keys = try secret.map { try PrivateLinkKeys(secret: Redacted([UInt8](repeating: $0, count: 32))) }
        return PrivateLinkFlow(
            one.key, as: one.receiver, keys ?? one.flow.keys, one.flow.reader, store: store, clock: world.clock,
            random: SeededRandomSource(seed: seed))
    }

    /// Has the payer pay one request and accept another.
    private func payAndAccept(_ flow: PrivateLinkFlow? = nil) async throws -> (paid: String, open: String) {
        let (flow, payer) = (flow ?? payer.flow, flow)
        try await rounds(3, payer: payer)
        let paid = try await ask("tea")
        try await rounds(2, payer: payer)
        try await flow.accept(paid, asPayer)
        _ = try await flow.pay(paid, asPayer, with: settler, check: check)
        let open = try await ask("cake")
        try await rounds(2, payer: payer)
        try await flow.accept(open, asPayer)
        return (paid, open)
    }

    // MARK: The peer's key

    @Test("A thief who may write the payee's storage gets neither a payment nor a message")
    func hijack() async throws {
        let open = try await payAndAccept().open

        let thief = try program(payee, InMemoryRecords(), seed: 9, secret: 77)
        try await thief.publishMarker(payee.session)
        for _ in 0..<6 {
            #expect(try await pollPayer() == .keyChanged(thief.keys.routing))
            try await pollPayee(thief)
        }
        #expect(try await thief.requests(with: payer.key, payer.receiver).isEmpty)
        #expect(
            await code { _ = try await payer.flow.pay(open, asPayer, with: settler, check: check) } == .paymentRejected)
        #expect(await code { _ = try await payer.flow.due(open, period: nil, asPayer, check) } == .paymentRejected)
        #expect(world.bank.payments == 1)
        let keys = try await payer.flow.peerKeys(asPayer)
        #expect(keys?.trusted == payee.flow.keys.routing && keys?.shown == thief.keys.routing)

        // The payee's own marker again: the payment that was stopped is made.
        try await payee.flow.publishMarker(payee.session)
        #expect(try await pollPayer() == .linked)
        _ = try await payer.flow.pay(open, asPayer, with: settler, check: check)
        #expect(world.bank.payments == 2)
    }

    @Test("A key that the user has compared is trusted, and receives the open payments and nothing else")
    func confirmed() async throws {
        let open = try await payAndAccept().open

        let phone = try program(payee, InMemoryRecords(), seed: 9, secret: 77)
        try await phone.publishMarker(payee.session)
        #expect(try await pollPayer() == .keyChanged(phone.keys.routing))
        #expect(
            payer.flow.safetyNumber(with: phone.keys.routing, asPayer)
                == phone.safetyNumber(with: payer.flow.keys.routing, asPayee))
        #expect(
            payer.flow.safetyNumber(with: payee.flow.keys.routing, asPayer)
                != payer.flow.safetyNumber(with: phone.keys.routing, asPayer))
        #expect(await code { try await payer.flow.trust(payer.flow.keys.routing, asPayer) } == .notFound)
        try await payer.flow.trust(phone.keys.routing, asPayer)
        let repeated = try #require(await payer.flow.held(asPayer)).record.channel.outbox
        #expect(Set(repeated.compactMap { MessageIntake.known($0)?.requestID }) == [open])
        // The list of the old key is not paid any more.
        #expect(
            await code { _ = try await payer.flow.pay(open, asPayer, with: settler, check: check) }
                == .methodNotSupported)
        try await rounds(4, payee: phone)
        #expect(try await pollPayer() == .linked)
        let said = try await phone.held(asPayee)?.record
        #expect(said?.skipped == 0)
    }

    // MARK: Copies

    @Test("A store that was put back from a backup encrypts nothing under a number that was used")
    func restored() async throws {
        let store = InMemoryRecords()
        let flow = try program(payer, store, seed: 5)
        try await rounds(3, payer: flow)
        let id = try await ask("tea")
        try await rounds(1, payer: flow)
        try await pollPayer(flow)
        let backup = store.content
        try await flow.reject(id, reason: "too much", asPayer)
        try await pollPayer(flow)
        let before = await files(of: payer)
        store.content = backup
        try await flow.accept(id, asPayer)
        #expect(try await pollPayer(flow) == .linking)
        for (path, content) in await files(of: payer) { #expect(before[path] ?? content == content, "\(path)") }
        try await rounds(6, payer: flow)
        #expect(try await pollPayer(flow) == .linked)
    }

    @Test(
        "A backup from before the link was begun anew is noticed at the first look of a program, and costs one handshake"
    )
    func restoredLater() async throws {
        let store = InMemoryRecords()
        let flow = try program(payer, store, seed: 5)
        try await rounds(3, payer: flow)
        let first = try await ask("tea")
        try await rounds(2, payer: flow)
        let backup = store.content
        try await flow.accept(first, asPayer)
        try await rounds(1, payer: flow)
        // What lies at the next place of the backup is gone: the payer's app has begun anew since.
        var held = try #require(await flow.held(asPayer))
        try await flow.recover(&held)
        try await rounds(4, payer: flow)
        #expect(try await pollPayer(flow) == .linked)
        let begun = try #require(await payee.flow.held(asPayee)).record.channel.recovery.begun

        store.content = backup
        let restarted = try program(payer, store, seed: 6)
        try await restarted.accept(first, asPayer)
        #expect(try await pollPayer(restarted) != .linked)
        try await rounds(5, payer: restarted)
        #expect(try await pollPayer(restarted) == .linked)
        #expect(try #require(await payee.flow.held(asPayee)).record.channel.recovery.begun == begun + 1)
        #expect(try await ownRequests().first?.state.isAccepted == true)
    }

    @Test("So it is where the app had only just begun anew, and its folder is empty")
    func restoredInBetween() async throws {
        let store = InMemoryRecords()
        let flow = try program(payer, store, seed: 5)
        try await rounds(3, payer: flow)
        let id = try await ask("tea")
        try await rounds(2, payer: flow)
        let backup = store.content
        var held = try #require(await flow.held(asPayer))
        try await flow.recover(&held)
        try await pollPayer(flow)
        store.content = backup
        let restarted = try program(payer, store, seed: 6)
        try await restarted.accept(id, asPayer)
        #expect(try await pollPayer(restarted) != .linked)
        try await rounds(6, payer: restarted)
        #expect(try await pollPayer(restarted) == .linked)
        #expect(try await ownRequests().first?.state.isAccepted == true)
    }

    enum Damage: CaseIterable {
        case missing, unreadable, older
    }

    @Test(
        "A channel that is missing, damaged or older than the rest costs one handshake, and neither trust nor a payment",
        arguments: Damage.allCases)
    func channelAlone(_ damage: Damage) async throws {
        let store = InMemoryRecords()
        let flow = try program(payer, store, seed: 5)
        let (paid, open) = try await payAndAccept(flow)
        let proof = try await flow.pay(paid, asPayer, with: settler, check: check)
        let key = asPayer.channelKey
        let old = try #require(await store.record(key)).value
        try await pollPayer(flow)
        try await flow.cancel(open, reason: nil, asPayer)
        let before = try #require(await flow.held(asPayer)).record
        let begun = try #require(await payee.flow.held(asPayee)).record.channel.recovery.begun
        try await store.change([.record(key)]) { found in
            switch damage {
            case .missing: RecordChange([.remove(key)], ())
            case .unreadable: RecordChange([.put(key, found[0][0].value.map { $0 ^ 1 })], ())
            case .older: RecordChange([.put(key, old)], ())
            }
        }
        let after = try #require(await flow.held(asPayer)).record
        #expect(after.requests == before.requests && after.peerKey == before.peerKey)
        #expect(after.peerStatic == before.peerStatic && after.channel.phase == .clearing)
        // All that was said is said again, and what was not sent yet.
        #expect(after.channel.outbox.compactMap { MessageIntake.known($0)?.requestID } == [paid, paid, open, open])
        #expect(try await flow.pay(paid, asPayer, with: settler, check: check) == proof)
        #expect(world.bank.payments == 1)
        let written = await files(of: payer)
        try await rounds(5, payer: flow)
        #expect(try await pollPayer(flow) == .linked)
        #expect(try #require(await payee.flow.held(asPayee)).record.channel.recovery.begun == begun + 1)
        let states = try await ownRequests().map(\.state.phase)
        #expect(states == [.proven, .cancelled])
        // Nothing was written over a file of the channel before.
        for (path, content) in await files(of: payer) { #expect(written[path] != content, "\(path)") }
    }

    @Test("Of two devices with one secret the one that has started last sends, and the other reports that")
    func twins() async throws {
        let (first, second) = (
            try program(payer, InMemoryRecords(), seed: 5), try program(payer, InMemoryRecords(), seed: 6)
        )
        try await rounds(3, payer: first)
        #expect(try await pollPayer(first) == .linked)
        let id = try await ask("tea")
        world.clock.advance(by: .seconds(60))
        try await rounds(6, payer: second)
        #expect(try await pollPayer(second) == .linked)
        for _ in 0..<3 {
            let files = await files(of: payer)
            #expect(try await pollPayer(first) == .takenOver)
            #expect(await self.files(of: payer) == files)
            try await rounds(1, payer: second)
        }
        try await second.accept(id, asPayer)
        try await rounds(1, payer: second)
        #expect(try await ownRequests().first?.state.isAccepted == true)
    }

    @Test("A request to begin anew that an earlier program of this app wrote is not another copy's, however late")
    func lateRequest() async throws {
        let store = InMemoryRecords()
        try await rounds(3, payer: try program(payer, store, seed: 5))
        world.clock.advance(by: .seconds(60))
        let marker = RecoveryMarker(attemptID: EventID.draw(SeededRandomSource(seed: 7)), createdAt: payer.flow.moment)
        world.clock.advance(by: .seconds(60))
        let restarted = try program(payer, store, seed: 6)
        try await rounds(1, payer: restarted)
        let key = try #require(try await restarted.peerKeys(asPayer)).trusted
        let files = try PrivateLinkFiles(
            asPayer, restarted.keys, peerKey: key, restarted.agreement(with: key, of: asPayer))
        await world.sandbox.publish(marker.bytes, at: files.ownMarker.path, of: payer.key)
        for _ in 0..<12 {
            #expect(try await pollPayer(restarted) != .takenOver)
            try await pollPayee()
        }
        #expect(try await pollPayer(restarted) == .linked)
    }

    // MARK: What is withheld

    @Test("Files that are lost or withheld are noticed by any that is behind them", arguments: [1, 2, 3, 4])
    func withheld(count: Int) async throws {
        try await rounds(3)
        for reference in ["a", "b", "c", "d"] { _ = try await ask(reference) }
        try await pollPayee()
        let paths = await files(of: payee).keys.sorted()
        let messages = paths.filter { (Int($0.split(separator: "/").last ?? "") ?? 0) >= 3 }
        #expect(messages.count == 5)
        for path in messages.prefix(count) { #expect(await world.sandbox.unpublish(path, of: payee.key)) }
        try await rounds(6)
        #expect(try await requests().map(\.terms.reference) == ["a", "b", "c", "d"])
    }

    @Test("A number with more digits is behind one with fewer", arguments: [(9, 10), (10, 9), (57, 100), (100, 99)])
    func digits(missing: UInt32, there: UInt32) async throws {
        let folder = try PubkyAddress(payee.key, path: "/pub/paykit/v0/private/\(payee.receiver)/messages/x/")
        await world.sandbox.publish([1], at: folder.path + "\(there)", of: payee.key)
        for number in 3..<7 { await world.sandbox.publish([1], at: folder.path + "\(number)", of: payee.key) }
        let server = try await payer.flow.reader.homeserver(of: payee.key)
        #expect(try await PrivateLinkFiles.has(from: missing, in: folder, at: server) == (there >= missing))
    }

    // MARK: What a peer may say

    @Test("Another amount under the name of a request that was paid is not stated as paid")
    func otherTerms() async throws {
        try await rounds(3)
        let id = try await ask("tea")
        try await rounds(1)
        try await pollPayer()
        try await payer.flow.change(asPayer) { record throws(PaykitNetworkError) in
            record[payment: id] = PrivateLinkPayment(
                stage: .paid, identifier: "btc-lightning-bolt11", endpoint: "lnbc1", satoshis: "5", list: nil,
                proof: PaykitProof.transaction(String(repeating: "ab", count: 32)).json.text)
        }
        #expect(await code { _ = try await payer.flow.due(id, period: nil, asPayer, check) } == .paymentRejected)
        #expect(
            await code { _ = try await payer.flow.pay(id, asPayer, with: settler, check: check) } == .paymentRejected)
    }

    /// Announces a receipt for a request, paid or not.
    private func announce(_ id: String, _ number: Int, padding: Int = 0) async throws {
        let request = try #require(await requests().first { $0.id == id })
        let event = "66666666-6666-4666-8666-00000000000\(number)"
        let access = ReceiptAccess(
            eventID: event, receiptID: event.replacing("6666-", with: "7777-"), reference: request.terms.reference,
            requestID: id, period: nil, receiver: payee.receiver, key: Redacted([UInt8](repeating: 1, count: 32)))
        let receipt = PrivateLinkReceipt(
            id: access.receiptID, reference: request.terms.reference, requestID: id, recipient: payer.key,
            identifier: request.terms.identifiers.first, amount: request.terms.amount)
        let file = try receipt.sealed(access, nonce: [UInt8](repeating: UInt8(number), count: 24))
        await world.sandbox.publish(
            file + [UInt8](repeating: UInt8(ascii: " "), count: padding), at: access.location, of: payee.key)
        try await payee.flow.change(asPayee) { record throws(PaykitNetworkError) in
            do { try record.say(.receiptAccess(access)) } catch { throw PaykitNetworkError(.invalidData, "\(error)") }
        }
    }

    @Test("Receipts are kept for payments that this side has made, one for each, and none that is long")
    func receipts() async throws {
        try await rounds(3)
        let id = try await ask("tea")
        try await rounds(1)
        try await pollPayer()
        try await announce(id, 1, padding: 5000)
        for number in 2..<5 { try await announce(id, number) }
        try await rounds(3)
        #expect(try await payer.flow.receipts(for: id, asPayer).isEmpty, "nothing was paid")
        try await payer.flow.accept(id, asPayer)
        _ = try await payer.flow.pay(id, asPayer, with: settler, check: check)
        try await rounds(4)
        #expect(try await payer.flow.receipts(for: id, asPayer).map(\.id).count == 1)
        #expect(try #require(await payer.flow.held(asPayer)).record.requests[id]?.spoilt.count == 1)
    }
}
