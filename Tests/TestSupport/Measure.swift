import Foundation

/// Something to measure: one call does `operations` operations.
package struct Subject {
    package let name: String
    package let operations: Int
    package let run: () -> Void

    package init(name: String, operations: Int, run: @escaping () -> Void) {
        (self.name, self.operations, self.run) = (name, operations, run)
    }
}

/// Measures subjects in turns, so that a change of the machine's load affects all of them alike.
package enum Measure {
    /// The median nanoseconds of processor time per operation of each subject, in order. Other programs on the machine
    /// disturb processor time less than wall time.
    package static func nanoseconds(_ subjects: [Subject], rounds: Int = 15, callsPerRound: Int) -> [Double] {
        var samples = subjects.map { _ in [Double]() }
        for subject in subjects { for _ in 0..<callsPerRound { subject.run() } }
        for round in 0..<rounds {
            for turn in subjects.indices {
                // Every round begins with another subject.
                let index = (turn + round) % subjects.count
                let subject = subjects[index]
                let start = clock()
                for _ in 0..<callsPerRound { subject.run() }
                let nanoseconds = Double(clock() - start) / Double(CLOCKS_PER_SEC) * 1e9
                samples[index].append(nanoseconds / Double(callsPerRound * subject.operations))
            }
        }
        return samples.map(median)
    }

    /// The middle of `values`, which must not be empty.
    package static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        return sorted[sorted.count / 2]
    }
}

/// Uses a value, so that the work to make it cannot be optimised away.
@inline(never)
@_optimize(none)
package func blackHole<Value>(_ value: borrowing Value) {}

extension String {
    /// The text with spaces before or after it, `width` characters wide.
    package func column(_ width: Int, right: Bool = false) -> String {
        let padding = String(repeating: " ", count: Swift.max(0, width - count))
        return right ? padding + self : self + padding
    }
}

extension Double {
    /// The number with `digits` digits behind the point.
    package func text(_ digits: Int = 1) -> String {
        var scale = 1.0
        for _ in 0..<digits { scale *= 10 }
        let rounded = Int((self * scale).rounded())
        guard digits > 0 else { return "\(rounded)" }
        let fraction = String(rounded % Int(scale))
        return "\(rounded / Int(scale))." + String(repeating: "0", count: digits - fraction.count) + fraction
    }
}
