package import PaymentStore

/// One statement and its values, which are `$1` and so on in its text.
package struct Statement: Sendable {
    package let text: String
    package let values: [Database.Value]

    package init(_ text: String, _ values: [Database.Value] = []) {
        self.text = text
        self.values = values
    }
}

/// The values of one statement as libpq sends them: binary, so that numbers and dates keep every bit and texts every
/// byte. A text is sent as its UTF-8, for columns of the types `bytea` and `text`; other numbers have eight bytes.
struct Parameters {
    private var bytes: [UInt8] = []
    /// The place of each value in `bytes`; nil for null.
    private var places: [Int?] = []
    private var lengths: [Int32] = []

    init(_ values: [Database.Value]) {
        for value in values {
            let start = bytes.count
            switch value {
            case .text(let text): bytes += text.utf8
            case .integer(let number): withUnsafeBytes(of: number.bigEndian) { bytes += $0 }
            case .real(let number): withUnsafeBytes(of: number.bitPattern.bigEndian) { bytes += $0 }
            case .null: break
            }
            if case .null = value { places.append(nil) } else { places.append(start) }
            lengths.append(Int32(clamping: bytes.count - start))
        }
        // An empty text needs an address too.
        bytes.append(0)
    }

    /// Calls `body` with the number of the values, their addresses, lengths and formats.
    func pass<Result>(
        to body: (Int32, UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>?, UnsafePointer<Int32>?) -> Result
    ) -> Result {
        bytes.withUnsafeBytes { buffer in
            let start = buffer.bindMemory(to: CChar.self).baseAddress
            let addresses: [UnsafePointer<CChar>?] = places.map { place in place.flatMap { start?.advanced(by: $0) } }
            let formats = [Int32](repeating: 1, count: places.count)
            return addresses.withUnsafeBufferPointer { addresses in
                lengths.withUnsafeBufferPointer { lengths in
                    formats.withUnsafeBufferPointer {
                        body(Int32(places.count), addresses.baseAddress, lengths.baseAddress, $0.baseAddress)
                    }
                }
            }
        }
    }
}
