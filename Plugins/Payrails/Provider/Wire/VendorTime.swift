import PaymentCore

/// A time in the service's form, to the nanosecond: statuses of one execution follow each other closely.
package struct VendorTime: Sendable, Hashable, Comparable, Decodable {
    /// Seconds since 1970.
    package let seconds: Int64
    /// 0 to 999 999 999.
    package let nanoseconds: Int64

    init(seconds: Int64, nanoseconds: Int64) {
        self.seconds = seconds
        self.nanoseconds = nanoseconds
    }

    /// Creates a time from `2026-09-23T22:33:57.004978732Z`, or another form that the vendor's parser takes; nil for
    /// any other text.
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

    /// False for the year 1, which programs write that forget to set a time.
    package var isSet: Bool { seconds > -62_104_060_800 }

    /// Returns the time `seconds` earlier.
    package func earlier(bySeconds seconds: Int64) -> VendorTime {
        VendorTime(seconds: self.seconds - seconds, nanoseconds: nanoseconds)
    }
}
