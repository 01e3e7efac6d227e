import PaymentCore

/// A moment as the service writes it, to the nanosecond: statuses of one execution lie close together.
package struct VendorTime: Sendable, Hashable, Comparable, Decodable {
    /// Seconds since 1970.
    package let seconds: Int64
    /// 0 to 999 999 999.
    package let nanoseconds: Int64

    init(seconds: Int64, nanoseconds: Int64) {
        self.seconds = seconds
        self.nanoseconds = nanoseconds
    }

    /// Reads `2026-09-23T22:33:57.004978732Z`, and what the vendor's parser takes besides; nil for anything else.
    package init?(_ text: String) {
        guard let time = RFC3339(text, .lenient) else { return nil }
        self.init(seconds: time.seconds, nanoseconds: time.nanoseconds)
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let time = VendorTime(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a time")
        }
        self = time
    }

    package static func < (left: Self, right: Self) -> Bool {
        (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
    }

    /// The same moment `seconds` earlier.
    func earlier(bySeconds seconds: Int64) -> VendorTime {
        VendorTime(seconds: self.seconds - seconds, nanoseconds: nanoseconds)
    }
}
