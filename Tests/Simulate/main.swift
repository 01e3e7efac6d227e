import Foundation
import PaymentSimulation
import Synchronization
import VendorSimulation

// Plays histories of payments with faults and crashes. Build for release:
//
//     swift run -c release Simulate [COUNT [FAILURES [FIRST]]]  COUNT histories on all cores, until FAILURES failed
//     swift run -c release Simulate --seed SEED   one history, with all its events
//     swift run -c release Simulate --mistakes [WORD]    the first history that finds each planted mistake
//     swift run -c release Simulate --mistakes COUNT     that, and COUNT histories of each variation without them
//     swift run -c release Simulate --controls    the histories of planted mistakes, without them
//     swift run -c release Simulate --recurring PLANS [SEED]    five years of PLANS plans that are charged repeatedly
//     swift run -c release Simulate --links COUNT [FIRST]    histories of two wallets with a private link
//     swift run -c release Simulate --wallets COUNT [FIRST]    histories of the payer's own wallet; one with its events
//     swift run -c release Simulate --serve COUNT [FIRST]    histories of a server's tenants, with and without a wallet
//     swift run -c release Simulate --mistake SEED NAME    one history with the mistake of this name, or of the control
//                                                 with this number

let arguments = Array(CommandLine.arguments.dropFirst())
switch (arguments.first, arguments.dropFirst().first.flatMap(UInt64.init)) {
case ("--seed", let seed?): exit(OneHistory.run(seed))
case ("--mistakes", let count?): exit(Mistakes.run(controls: count))
case ("--mistakes", _): exit(Mistakes.run(arguments.dropFirst().first))
case ("--controls", _): exit(Mistakes.controls() == 0 ? 0 : 1)
case ("--recurring", let plans?):
    exit(try await FiveYears.run(Int(clamping: plans), arguments.dropFirst(2).first.flatMap { UInt64($0) } ?? 7))
case ("--links", let count?):
    exit(await Links.run(count, from: arguments.dropFirst(2).first.flatMap { UInt64($0) } ?? 0))
case ("--wallets", let count?):
    let first = arguments.dropFirst(2).first.flatMap { UInt64($0) } ?? 0
    exit(count == 1 ? OneHistory.run(first, .wallets) : ManyHistories.run(count, from: first, variation: .wallets))
case ("--serve", let count?):
    let first = arguments.dropFirst(2).first.flatMap { UInt64($0) } ?? 0
    exit(
        [Variation.served, .servedFromWallet].map { variation in
            count == 1
                ? OneHistory.run(first, variation) : ManyHistories.run(count, from: first, variation: variation)
        }.max() ?? 0)
case ("--mistake", let seed?) where arguments.count == 3:
    let mistake = Mistake.all.first { $0.name == arguments[2] }
    let number = (Int(arguments[2]) ?? 0) - 1
    let control = Mistake.controls.indices.contains(number) ? Mistake.controls[number] : nil
    exit(OneHistory.run(seed, mistake?.variation ?? control ?? Mistake.controls[2]))
case (nil, _): exit(ManyHistories.run(10_000, variation: Variation()))
case (let count?, _):
    guard let count = UInt64(count), count > 0 else {
        print(
            "usage: Simulate [COUNT | --seed SEED | --mistakes | --recurring PLANS | "
                + "(--links | --wallets | --serve) COUNT]")
        exit(64)
    }
    let most = arguments.dropFirst().first.flatMap { Int($0) } ?? 3
    let first = arguments.dropFirst(2).first.flatMap { UInt64($0) } ?? 0
    exit(ManyHistories.run(count, from: first, mostFailures: most, variation: Variation()))
}
