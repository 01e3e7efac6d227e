import Foundation
import PaykitKit
import PaymentCore
import PaymentRouting
import TestSupport
import Testing

@Suite("The guide's spending limits")
struct AutoPayTests {
    private static let peer = "8pinxxgqs41n4aididenw5apqp1urfmzdztr8jt4abrkdn435ewo"
    private static let other = "4bfmrcuwfq4ksqoupn6wcfxrh5enr1izdeyszmhfrntuf1mzoh5o"

    private func autoPay(_ limits: SpendingLimits, clock: VirtualClock = VirtualClock()) throws -> PaykitAutoPay {
        try PaykitAutoPay(limits: limits, store: InMemoryJournal(), timeZone: .gmt, clock: clock)
    }

    @Test("The guide's defaults: 100,000 satoshi a day and a million a month")
    func defaults() async throws {
        let clock = VirtualClock()
        let autoPay = try autoPay(SpendingLimits(), clock: clock)
        #expect(try await autoPay.canAutoPay(toPubkey: Self.peer, amount: 100_000))
        #expect(try await !autoPay.canAutoPay(toPubkey: Self.peer, amount: 100_001))
        for day in 0..<11 {
            let isReserved = try await autoPay.reserve("\(day)", toPubkey: Self.peer, amount: 100_000)
            #expect(isReserved == (day < 10), "day \(day)")
            #expect(try await !autoPay.canAutoPay(toPubkey: Self.other, amount: 1))
            clock.advance(by: .seconds(86_400))
        }
        // The clock began on 15 January 2027; 1 February is another month.
        clock.advance(by: .seconds(7 * 86_400))
        #expect(try await autoPay.canAutoPay(toPubkey: Self.peer, amount: 100_000))
    }

    @Test("A peer's limit holds in every spelling of the key")
    func peers() async throws {
        let autoPay = try autoPay(
            SpendingLimits(globalDaily: 1000, globalMonthly: 1000, perPeer: ["pk:" + Self.peer: 10]))
        for spelling in [Self.peer, "pk:" + Self.peer, "pubky://" + Self.peer, "pubky" + Self.peer] {
            #expect(try await autoPay.canAutoPay(toPubkey: spelling, amount: 10), "\(spelling)")
            #expect(try await !autoPay.canAutoPay(toPubkey: spelling, amount: 11), "\(spelling)")
            #expect(!autoPay.canAutoPay(spelling, 11), "\(spelling)")
        }
        #expect(try await autoPay.canAutoPay(toPubkey: Self.other, amount: 11))
        await #expect(throws: PaykitError.self) { try await autoPay.canAutoPay(toPubkey: "tooshort", amount: 1) }
        #expect(!autoPay.canAutoPay("tooshort", 1))
        #expect(throws: PaykitError.self) {
            try self.autoPay(SpendingLimits(globalDaily: 1, globalMonthly: 1, perPeer: ["nobody": 1]))
        }
    }

    @Test("The days are those of one zone: another one grants nothing, and none is that of the account")
    func zones() async throws {
        let (journal, clock) = (InMemoryJournal(), VirtualClock())
        func autoPay(in zone: TimeZone?) throws -> PaykitAutoPay {
            try PaykitAutoPay(
                limits: SpendingLimits(globalDaily: 10, globalMonthly: 10), store: journal, timeZone: zone, clock: clock
            )
        }
        let far = try #require(TimeZone(identifier: "Pacific/Kiritimati"))
        #expect(try await autoPay(in: far).reserve("1", toPubkey: Self.peer, amount: 4))
        #expect(try await !autoPay(in: .gmt).reserve("2", toPubkey: Self.peer, amount: 4))
        let ours = try autoPay(in: nil)
        #expect(try await ours.reserve("3", toPubkey: Self.peer, amount: 4))
        #expect(ours.canAutoPay(Self.peer, 2) && !ours.canAutoPay(Self.peer, 3))
        let known = await journal.spendings(since: SpendingDay(number: 0))
        #expect(known.map(\.spending.timeZone) == [far.identifier, far.identifier])
    }

    @Test("No amount passes that is nothing, or more than any limit")
    func oddAmounts() async throws {
        let autoPay = try autoPay(SpendingLimits(globalDaily: .max, globalMonthly: .max))
        #expect(try await autoPay.reserve("all", toPubkey: Self.peer, amount: .max))
        #expect(try await !autoPay.reserve("more", toPubkey: Self.peer, amount: .max))
        #expect(try await !autoPay.canAutoPay(toPubkey: Self.peer, amount: 0))
        await #expect(throws: SpendingError.self) { try await autoPay.reserve("none", toPubkey: Self.peer, amount: 0) }
    }

    @Test("A reservation counts until it is released, and a paid spending permanently")
    func reservations() async throws {
        let autoPay = try autoPay(SpendingLimits(globalDaily: 100, globalMonthly: 100))
        #expect(!autoPay.canAutoPay(Self.peer, 1), "nobody has looked yet")
        for _ in 0..<2 { #expect(try await autoPay.reserve("rent", toPubkey: Self.peer, amount: 60)) }
        #expect(autoPay.canAutoPay(Self.peer, 40) && !autoPay.canAutoPay(Self.peer, 41))
        #expect(try await autoPay.reserved() == ["rent"], "whoever comes after a crash has to know")
        try await autoPay.release("rent")
        #expect(autoPay.canAutoPay(Self.peer, 100))
        #expect(try await autoPay.reserve("milk", toPubkey: Self.other, amount: 60))
        try await autoPay.commit("milk")
        #expect(try await autoPay.reserved().isEmpty)
        await #expect(throws: SpendingError.self) { try await autoPay.release("milk") }
        #expect(try await !autoPay.canAutoPay(toPubkey: Self.peer, amount: 41))
    }

    @Test("Of many who reserve at once, no more than fit are granted")
    func race() async throws {
        let autoPay = try autoPay(SpendingLimits(globalDaily: 100, globalMonthly: 1000))
        let granted = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<40 {
                group.addTask { try await autoPay.reserve("\(number)", toPubkey: Self.peer, amount: 10) }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(granted == 10)
    }

    @Test("Without limits the guide's functions pay nothing by themselves")
    func none() async throws {
        #expect(Paykit.autoPay == nil)
        #expect(try await !canAutoPay(toPubkey: Self.peer, amount: 1))
        #expect(!canAutoPay(Self.peer, 1))
    }
}
