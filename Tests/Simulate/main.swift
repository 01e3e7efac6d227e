import Foundation
import Simulation
import Synchronization

// Plays histories of payments with faults and crashes. Build for release:
//
//     swift run -c release Simulate [COUNT]       histories 0..<COUNT on all cores, with progress and totals
//     swift run -c release Simulate --seed SEED   one history, with everything that happens in it
//     swift run -c release Simulate --mistakes    how soon the planted mistakes are found

let arguments = Array(CommandLine.arguments.dropFirst())
switch (arguments.first, arguments.dropFirst().first.flatMap(UInt64.init)) {
case ("--seed", let seed?): exit(OneHistory.run(seed))
case ("--mistakes", _): exit(Mistakes.run())
case (nil, _): exit(ManyHistories.run(10_000))
case (let count?, _):
    guard let count = UInt64(count), count > 0 else {
        print("usage: Simulate [COUNT | --seed SEED | --mistakes]")
        exit(64)
    }
    exit(ManyHistories.run(count))
}
