import Foundation
import PaymentCore
import PaymentTesting
import TestSupport
import Testing
import WalletConnectPaySandbox

/// Real processes that are stopped beyond their lease, that pay by wallet, or that name one payment in two ways.
@Suite("Processes that are stopped, and wallets that send")
struct StoppedProcessTests {
    private static let stops = number("PAYROUTE_STOPS", default: 8)

    private static func number(_ name: String, default number: Int) -> Int {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) } ?? number
    }

    @Test("Stopped beyond its lease while another process takes over: every moved amount is stated")
    func stopped() async throws {
        let place = try PayingPlace()
        let random = SeededRandomSource(seed: 11)
        let lease = Duration.milliseconds(250)
        var endings: [String: Int] = [:]
        for trial in 0..<Self.stops {
            let payment = await place.sandbox.createPayment(trial % 2 == 0 ? .paidAtOnce : .paidAfterPolling)
            let first = try place.process(payment.link, lease: lease)
            try await Self.stop(first, afterLines: 1 + Int(random.next() % 12))
            // Only time makes a lease expire.
            try await Task.sleep(for: lease * 2)
            let second = try place.process(payment.link, lease: lease)
            let word = await Self.word(of: second)
            first.signal(SIGCONT)
            let late = await Self.word(of: first)
            let last = await Self.word(of: try place.process(payment.link, lease: lease))

            let moved = await place.moved(payment.id, transfers: 0)
            #expect(moved <= 1, "money was taken \(moved) times")
            for (who, told) in [("the second", word), ("the stopped one", late), ("the last", last)] {
                if told == "paid" { #expect(moved == 1, "\(who) was told so") }
                if told == "not-paid" { #expect(moved == 0, "\(who) was told so") }
            }
            #expect(last == "paid")
            endings[late ?? "nothing", default: 0] += 1
        }
        print("\(Self.stops) processes stopped beyond their lease, and told in the end: \(Self.summary(endings))")
    }

    @Test("Wallets that send coins, killed at any moment: coins are sent once, and never called unpaid")
    func killedWallets() async throws {
        let place = try PayingPlace()
        let random = SeededRandomSource(seed: 12)
        var endings: [String: Int] = [:]
        for _ in 0..<Self.stops {
            let before = place.transfers.count
            let payment = await place.sandbox.createPayment(.nativeCoin)
            let killed = try place.process(payment.link)
            try await Self.stop(killed, afterLines: 1 + Int(random.next() % 14))
            killed.signal(SIGKILL)
            _ = await killed.end()

            let word = await Self.word(of: try place.process(payment.link))
            let moved = await place.moved(payment.id, transfers: place.transfers.count - before)
            #expect(moved <= 1, "coins were sent \(moved) times")
            #expect(word != "paid" || moved == 1)
            #expect(!["not-paid", "before-send", "answered"].contains(word ?? "") || moved == 0)
            endings[word ?? "nothing", default: 0] += 1

            // The service never receives some: its negative status is no evidence about the wallet's transfer.
            guard word == "unknown", moved == 1 else { continue }
            let cancel = HTTPRequest(
                .post, try HTTPURL("https://sandbox.invalid/v1/payments/\(payment.id)/cancel"),
                headers: [
                    "Api-Key": WalletConnectPaySandbox.liveKey.reveal(),
                    "Merchant-Id": WalletConnectPaySandbox.merchantID,
                ])
            _ = await place.sandbox.respond(to: cancel)
            let afterwards = await Self.word(of: try place.process(payment.link))
            #expect(afterwards == "unknown", "the coins are gone, and the payer was told \(afterwards ?? "")")
        }
        print("\(Self.stops) processes with wallets killed and resumed: \(Self.summary(endings))")
    }

    @Test("Two processes pay one payment by two spellings of its link: coins are sent once")
    func spellings() async throws {
        let place = try PayingPlace()
        for trial in 0..<Self.stops {
            let before = place.transfers.count
            let payment = await place.sandbox.createPayment(.nativeCoin)
            let host = trial % 2 == 0 ? "pay.wct.me" : "pay.walletconnect.com"
            let first = try place.process(payment.link)
            let second = try place.process("https://\(host)/\(payment.id)")
            async let one = Self.word(of: first)
            async let other = Self.word(of: second)
            let words = [await one, await other]
            let moved = await place.moved(payment.id, transfers: place.transfers.count - before)
            #expect(moved == 1, "coins were sent \(moved) times; told: \(words)")
            // A process that sent nothing, by a link under which the payment has another name, may report just that.
            #expect(words.contains("paid") && !words.contains("not-paid"), "\(words)")
        }
    }

    // MARK: Helpers

    /// Stops `program` after `count` lines, or lets it end.
    private static func stop(_ program: Program, afterLines count: Int) async throws {
        var left = count
        for await _ in program.lines {
            left -= 1
            if left == 0 { break }
        }
        program.signal(SIGSTOP)
    }

    /// The last status that a process prints; nil if it prints none.
    private static func word(of program: Program) async -> String? {
        var word: String?
        for await line in program.lines where line.hasPrefix("told ") { word = String(line.dropFirst(5)) }
        _ = await program.end()
        return word
    }

    private static func summary(_ endings: [String: Int]) -> String {
        endings.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
    }
}
