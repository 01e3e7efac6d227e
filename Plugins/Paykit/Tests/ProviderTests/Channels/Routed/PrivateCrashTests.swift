import Foundation
import PaymentCore
import PaymentRouting
import PaymentTesting
import Testing

@testable import PaykitProvider
@testable import PaykitSandbox

/// Payments over private channels by processes that end at any moment.
@Suite("Private payments through crashes", .timeLimit(.minutes(5)))
struct PrivateCrashTests {
    @Test("A crash between any two actions: the invoice is paid once at most, and who resumes learns the truth")
    func everywhere() async throws {
        var actions = 0
        while true {
            let world = RoutedWorld()
            let peer = try await world.peer(.ready)
            let lifetime = ProcessLifetime(actions)
            let first = await (try world.process(lifetime)).pay(peer.user.link)
            guard lifetime.isOver else {
                #expect(isPaid(first))
                #expect(actions > 20, "there are that many moments")
                return
            }
            world.wait(.seconds(3600))
            let second = try world.process(seed: 3)
            _ = try await second.router.recover(as: second.payer)
            #expect(await world.journal.unfinished().isEmpty, "after \(actions) actions")
            let captures = await world.captures(peer.user.key)
            let isToldPaid = await world.attempts.contains { $0.outcome?.receipt != nil }
            #expect(captures == (isToldPaid ? 1 : 0), "after \(actions) actions: \(captures)")
            #expect(Set(world.settled).count <= 1, "no second invoice was paid in place of a first")
            let receipts = try await world.receipts.receipts(before: nil, limit: 9)
            #expect(receipts.count <= 1 && receipts.allSatisfy { ($0.stage == .paid) == isToldPaid }, "\(actions)")
            // A repeated payment pays again: it is another payment to a user.
            #expect(isPaid(await second.pay(peer.user.link)))
            #expect(await world.captures(peer.user.key) == captures + 1)
            actions += 1
        }
    }

    @Test("After a crash a payee who gives another invoice for the same receipt is paid by one of them at most")
    func anotherInvoice() async throws {
        for actions in 0..<40 {
            let world = RoutedWorld()
            let payee = try await world.liar(.another)
            let lifetime = ProcessLifetime(actions)
            // Receipts that are lost with the process: the payee is asked a second time.
            _ = await (try world.process(lifetime, store: InMemoryRecords())).pay(payee.user.link)
            world.wait(.seconds(3600))
            let second = try world.process(seed: 3, store: InMemoryRecords())
            _ = try await second.router.recover(as: second.payer)
            #expect(await world.captures(payee.user.key) <= 1)
            #expect(Set(world.settled).count <= 1, "after \(actions) actions")
            #expect(await world.journal.unfinished().isEmpty)
        }
    }

    @Test("An attempt that is resumed without the means pays the agreed invoice, or the published one")
    func withoutMeans() async throws {
        for actions in 0..<40 {
            let world = RoutedWorld()
            let peer = try await world.peer(.ready)
            _ = await (try world.process(ProcessLifetime(actions))).pay(peer.user.link)
            world.wait(.seconds(3600))
            let second = try world.process(seed: 3, isPrivate: false)
            _ = try await second.router.recover(as: second.payer)
            #expect(await world.captures(peer.user.key) <= 1)
            #expect(Set(world.settled).count <= 1, "after \(actions) actions")
            #expect(await world.journal.unfinished().isEmpty)
        }
    }

    @Test("An invoice that was agreed on and is over when it is resumed is not handed to the settler")
    func late() async throws {
        var count = 0
        for actions in 4..<40 {
            let world = RoutedWorld()
            let peer = try await world.peer(.ready)
            _ = await (try world.process(ProcessLifetime(actions), use: .only)).pay(peer.user.link)
            // Once it may have been handed over, only the settler knows the result.
            guard await !world.attempts.contains(where: \.hasBegunMutation) else { continue }
            let agreed = try await world.receipts.receipts(before: nil, limit: 9).compactMap {
                $0.metadata["invoice"]?.string
            }
            count += agreed.isEmpty ? 0 : 1
            world.wait(.seconds(366 * 86_400))
            let second = try world.process(use: .only, seed: 3)
            _ = try await second.router.recover(as: second.payer)
            #expect(Set(world.settled).isDisjoint(with: agreed), "after \(actions) actions")
            #expect(await world.journal.unfinished().isEmpty)
        }
        #expect(count > 2, "there are moments between the agreement and the payment")
    }

    // MARK: Histories

    /// One history: payees of all manners, payments, crashes, within a limit. Its seed decides everything except the
    /// order of concurrent calls.
    private static func history(_ seed: UInt64) async throws {
        let random = SeededRandomSource(seed: seed)
        func below(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }
        let world = RoutedWorld(seed: seed)
        var links: [String] = []
        var payees: [PubkyKey] = []
        for _ in 0...below(3) {
            if below(2) == 0 {
                let payee = try await world.liar(LyingPayee.Lie.allCases[below(LyingPayee.Lie.allCases.count)])
                links.append(payee.user.link)
                payees.append(payee.user.key)
            } else {
                let peer = try await world.peer(manners[below(manners.count)])
                links.append(peer.user.link)
                payees.append(peer.user.key)
            }
        }
        let limit = try SpendingLimit(
            Money(minorUnits: UInt128(2100 * (1 + below(4))), currency: .satoshi), per: .month,
            on: below(2) == 0 ? .everything : .method("lightning"))
        let before = await world.total
        let isLimited = below(2) == 0
        for round in 0...below(5) {
            let lifetime = below(3) == 0 ? ProcessLifetime() : ProcessLifetime(below(45))
            let process = try world.process(
                lifetime, use: below(4) == 0 ? .only : .preferred,
                autoPay: isLimited ? AutoPay(within: [limit], timeZone: .gmt) : nil, seed: seed &* 100 &+ UInt64(round))
            let link = links[below(links.count)]
            if below(4) == 0 { _ = try? await process.router.recover(as: process.payer) }
            // Twice at once is one payment; two payees at once are two.
            let other = below(3) == 0 ? links[below(links.count)] : nil
            await withTaskGroup(of: Void.self) { group in
                for link in [link, other].compactMap(\.self) { group.addTask { _ = await process.pay(link) } }
            }
            world.wait(.seconds(3600))
        }
        let last = try world.process(seed: seed &* 100 &+ 99)
        _ = try await last.router.recover(as: last.payer)
        #expect(await world.journal.unfinished().isEmpty, "seed \(seed)")
        let proofs = Set(await world.attempts.compactMap(\.outcome?.receipt).map { $0.transactionID ?? "" })
        let paid = await world.total - before
        #expect(proofs.count == paid, "seed \(seed): \(paid) paid, \(proofs.count) told")
        if isLimited {
            #expect(UInt128(paid) * 2100 <= limit.amount.minorUnits, "seed \(seed)")
        }
        // No invoice is handed to the settler by two attempts.
        let kept = try await world.receipts.receipts(before: nil, limit: 1000).filter { $0.stage >= .paying }
        let invoices = kept.compactMap { $0.metadata["invoice"]?.string }
        #expect(Set(invoices).count == invoices.count, "seed \(seed)")
    }

    /// The manners that answer in time, or not at all: no clock advances.
    private static let manners = PubkySandbox.PeerManner.allCases.filter { ![.silent, .late, .slow].contains($0) }

    /// The number of histories: 60, or the value of PRIVATE_HISTORIES.
    private static let histories =
        ProcessInfo.processInfo.environment["PRIVATE_HISTORIES"].flatMap { UInt64($0) } ?? 60

    @Test("Whatever happens: every invoice is paid once, every paid one is reported as paid, and limits are kept")
    func seeds() async throws {
        let first = ProcessInfo.processInfo.environment["PRIVATE_FIRST"].flatMap { UInt64($0) } ?? 1
        for seed in first..<first + Self.histories { try await Self.history(seed) }
    }
}
