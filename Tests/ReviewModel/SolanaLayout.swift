/// The positions of the parts of a serialized transaction of Solana, to change one and keep the rest readable.
package struct SolanaLayout {
    /// The start of the header: signers, read-only signers, read-only others.
    package let header: Int
    /// The start of the keys.
    package let keys: Int
    package let keyCount: Int
    /// The position of the number of instructions, which takes one byte.
    package let count: Int
    /// The instructions: program, accounts and data with their numbers.
    package private(set) var instructions: [Range<Int>] = []

    /// Nil for an unusual layout, with numbers from 128.
    package init?(_ bytes: [UInt8]) {
        guard let signatures = bytes.first, signatures < 0x80 else { return nil }
        var place = 1 + 64 * Int(signatures)
        guard place < bytes.count else { return nil }
        if bytes[place] == 0x80 { place += 1 }
        header = place
        keys = place + 4
        guard keys < bytes.count, bytes[place + 3] < 0x80 else { return nil }
        keyCount = Int(bytes[place + 3])
        count = keys + 32 * keyCount + 32
        guard count < bytes.count else { return nil }
        place = count + 1
        for _ in 0..<bytes[count] {
            let start = place
            place += 1
            for _ in 0..<2 {
                guard place < bytes.count, bytes[place] < 0x80 else { return nil }
                place += 1 + Int(bytes[place])
            }
            guard place <= bytes.count else { return nil }
            instructions.append(start..<place)
        }
    }

    /// The positions of the numbers of an instruction's accounts, and of its data.
    func parts(_ instruction: Range<Int>, of bytes: [UInt8]) -> (accounts: Range<Int>, data: Range<Int>) {
        let first = instruction.lowerBound + 2
        let accounts = first..<first + Int(bytes[first - 1])
        return (accounts, accounts.upperBound + 1..<instruction.upperBound)
    }
}
