/// Unpacks a zlib stream (RFC 1950) of deflated blocks (RFC 1951), as PNG files hold them.
struct Inflate {
    /// Why a stream cannot be unpacked.
    enum Failure: Error {
        case truncated, malformed, wrongChecksum
        /// It holds more than it may.
        case tooLong
    }

    private let input: [UInt8]
    private let limit: Int
    private var position = 0
    private var bits: UInt32 = 0
    private var bitCount: UInt32 = 0
    private var output: [UInt8] = []

    /// Unpacks `stream`, which holds at most `limit` bytes.
    static func unpack(_ stream: [UInt8], limit: Int) throws(Failure) -> [UInt8] {
        var inflate = Inflate(input: stream, limit: limit)
        return try inflate.run()
    }

    private init(input: [UInt8], limit: Int) {
        self.input = input
        self.limit = limit
    }

    private mutating func run() throws(Failure) -> [UInt8] {
        guard input.count >= 6 else { throw .truncated }
        let (method, flags) = (input[0], input[1])
        // Deflate, a window of at most 32 KiB, no preset dictionary.
        guard method & 0x0F == 8, method >> 4 <= 7, (Int(method) << 8 | Int(flags)) % 31 == 0, flags & 0x20 == 0 else {
            throw .malformed
        }
        position = 2
        var isLast = false
        while !isLast {
            isLast = try take(1) == 1
            switch try take(2) {
            case 0: try stored()
            case 1: try block(Self.fixedLiterals, Self.fixedDistances)
            case 2:
                let (literals, distances) = try tables()
                try block(literals, distances)
            default: throw .malformed
            }
        }
        position -= Int(bitCount / 8)
        guard position + 4 <= input.count else { throw .truncated }
        let sum = input[position..<position + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        guard sum == Self.adler32(output) else { throw .wrongChecksum }
        return output
    }

    private static func adler32(_ bytes: [UInt8]) -> UInt32 {
        var (one, two): (UInt32, UInt32) = (1, 0)
        for byte in bytes {
            one = (one + UInt32(byte)) % 65521
            two = (two + one) % 65521
        }
        return two << 16 | one
    }

    // MARK: Bits

    private mutating func take(_ count: UInt32) throws(Failure) -> UInt32 {
        while bitCount < count {
            guard position < input.count else { throw .truncated }
            bits |= UInt32(input[position]) << bitCount
            position += 1
            bitCount += 8
        }
        defer {
            bits >>= count
            bitCount -= count
        }
        return bits & (1 << count - 1)
    }

    // MARK: Blocks

    private mutating func stored() throws(Failure) {
        _ = try take(bitCount % 8)
        let length = try take(16)
        guard try take(16) == ~length & 0xFFFF else { throw .malformed }
        for _ in 0..<length { try add(UInt8(try take(8))) }
    }

    private mutating func add(_ byte: UInt8) throws(Failure) {
        guard output.count < limit else { throw .tooLong }
        output.append(byte)
    }

    private mutating func block(_ literals: Codes, _ distances: Codes) throws(Failure) {
        while true {
            let symbol = try next(literals)
            if symbol < 256 {
                try add(UInt8(symbol))
                continue
            }
            if symbol == 256 { return }
            let index = symbol - 257
            guard index < Self.lengths.count else { throw .malformed }
            let length = Self.lengths[index].base + Int(try take(Self.lengths[index].bits))
            let code = try next(distances)
            guard code < Self.distances.count else { throw .malformed }
            let distance = Self.distances[code].base + Int(try take(Self.distances[code].bits))
            guard distance <= output.count else { throw .malformed }
            for _ in 0..<length { try add(output[output.count - distance]) }
        }
    }

    // MARK: Huffman codes

    /// The symbols of a canonical code, by its lengths (RFC 1951, 3.2.2).
    private struct Codes {
        /// How many codes have each length.
        var counts = [Int](repeating: 0, count: 16)
        /// The symbols in the order of their codes.
        var symbols: [Int] = []

        init(_ lengths: some Collection<Int>) throws(Failure) {
            for length in lengths { counts[length] += 1 }
            counts[0] = 0
            var left = 1
            for length in 1..<16 {
                left = left * 2 - counts[length]
                guard left >= 0 else { throw .malformed }
            }
            for length in 1..<16 where counts[length] > 0 {
                symbols += lengths.enumerated().filter { $0.element == length }.map(\.offset)
            }
        }
    }

    private mutating func next(_ codes: Codes) throws(Failure) -> Int {
        var (code, first, index) = (0, 0, 0)
        for length in 1..<16 {
            code |= Int(try take(1))
            let count = codes.counts[length]
            if code - first < count { return codes.symbols[index + code - first] }
            index += count
            first = (first + count) << 1
            code <<= 1
        }
        throw .malformed
    }

    /// The codes of a block that brings its own (RFC 1951, 3.2.7).
    private mutating func tables() throws(Failure) -> (Codes, Codes) {
        let literalCount = Int(try take(5)) + 257
        let distanceCount = Int(try take(5)) + 1
        let lengthCount = Int(try take(4)) + 4
        guard literalCount <= 286, distanceCount <= 30 else { throw .malformed }
        var own = [Int](repeating: 0, count: 19)
        for index in Self.order.prefix(lengthCount) { own[index] = Int(try take(3)) }
        let codes = try Codes(own)
        var lengths: [Int] = []
        while lengths.count < literalCount + distanceCount {
            let symbol = try next(codes)
            switch symbol {
            case 0..<16: lengths.append(symbol)
            case 16:
                guard let last = lengths.last else { throw .malformed }
                lengths += repeatElement(last, count: 3 + Int(try take(2)))
            case 17: lengths += repeatElement(0, count: 3 + Int(try take(3)))
            default: lengths += repeatElement(0, count: 11 + Int(try take(7)))
            }
        }
        guard lengths.count == literalCount + distanceCount else { throw .malformed }
        return (try Codes(lengths[..<literalCount]), try Codes(Array(lengths[literalCount...])))
    }

    private static let order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]

    private static let lengths: [(base: Int, bits: UInt32)] = {
        var table: [(Int, UInt32)] = []
        var base = 3
        for index in 0..<28 {
            let bits = UInt32(max(0, index / 4 - 1))
            table.append((base, bits))
            base += 1 << bits
        }
        return table + [(258, 0)]
    }()

    private static let distances: [(base: Int, bits: UInt32)] = {
        var table: [(Int, UInt32)] = []
        var base = 1
        for index in 0..<30 {
            let bits = UInt32(max(0, index / 2 - 1))
            table.append((base, bits))
            base += 1 << bits
        }
        return table
    }()

    private static let fixedLiterals = fixed(
        (0..<288).map { $0 < 144 ? 8 : $0 < 256 ? 9 : $0 < 280 ? 7 : 8 })
    private static let fixedDistances = fixed([Int](repeating: 5, count: 30))

    private static func fixed(_ lengths: [Int]) -> Codes {
        do { return try Codes(lengths) } catch { preconditionFailure("the fixed codes are RFC 1951's own") }
    }
}
