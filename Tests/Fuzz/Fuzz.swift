#if !FUZZER
    import Foundation
    import FuzzModel

    /// Checks the invariants of all parsers of untrusted input, on generated inputs:
    ///
    ///     swift run -c release Fuzz [inputs] [seed] [first]
    ///     swift run -c release Fuzz only NAME [inputs] [seed] [first]
    ///     swift run -c release Fuzz standards [inputs] [seed] [first] [standard]
    ///
    /// Every target gets its share of the inputs; see ``FuzzTargets``. With `only`, just the targets with NAME in their
    /// name get them. With `standards`, every payment standard separately gets all of them, made of its vectors.
    ///
    /// Input `first` of a seed is always the same: a failure prints the arguments that repeat it.
    @main
    struct Fuzz {
        static func main() throws {
            if CommandLine.arguments.dropFirst().first == "standards" { return try eachStandard() }
            var words = CommandLine.arguments.dropFirst()
            let isChosen = words.first == "only"
            if isChosen { words = words.dropFirst() }
            let name = isChosen ? words.popFirst() : nil
            let arguments = words.map { UInt64($0) }
            guard arguments.count <= 3, !arguments.contains(nil), !isChosen || name != nil else {
                FileHandle.standardError.write(Data("usage: Fuzz [only NAME] [inputs] [seed] [first]\n".utf8))
                exit(64)
            }
            let numbers = arguments.compactMap(\.self)
            let count = numbers.first ?? defaultCount
            let seed = numbers.count > 1 ? numbers[1] : UInt64.random(in: 1...999_999)
            let first = numbers.count > 2 ? numbers[2] : 0

            var targets = try FuzzTargets(only: name)
            let start = ContinuousClock.now
            for index in first..<first + count {
                let target = targets.target(of: index)
                var generator = Generator(targets.corpus(of: target), seed: seed, index: index)
                let input = generator.input()
                guard let problem = targets.violation(of: target, input) else { continue }
                print("violation: \(problem)")
                print("input: \(String(decoding: input, as: UTF8.self).debugDescription)")
                print("repeat: Fuzz \(name.map { "only '\($0)' " } ?? "")1 \(seed) \(index)")
                exit(1)
            }
            let seconds = Double((ContinuousClock.now - start) / .seconds(1))
            print("\(count) inputs of seed \(seed) in \(Int(seconds.rounded())) s, no violation")
            for line in targets.summary { print(line) }
        }

        private static func eachStandard() throws {
            let words = CommandLine.arguments.dropFirst(2)
            let numbers = words.prefix(3).compactMap { UInt64($0) }
            let (count, first) = (numbers.first ?? 2_000_000, numbers.count > 2 ? numbers[2] : 0)
            let seed = numbers.count > 1 ? numbers[1] : UInt64.random(in: 1...999_999)
            print("\(count) inputs of seed \(seed) for each payment standard")
            if let fault = try EachStandard.run(count, seed: seed, only: words.dropFirst(3).first, first: first) {
                print("violation: \(fault)")
                exit(1)
            }
            print("no violation")
        }

        private static var defaultCount: UInt64 {
            #if DEBUG
                50_000
            #else
                5_000_000
            #endif
        }
    }
#endif
