extension RandomSource {
    package func bytes(_ count: Int) -> [UInt8] {
        Array((0..<(count + 7) / 8).flatMap { _ in next().bigEndianBytes }.prefix(count))
    }
}
