import PaymentCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Times in the format of lists and webhooks: ISO 8601, in UTC or with an offset, with milliseconds or without.
enum WireTime {
    static func read(_ text: String) -> Date? { RFC3339(text, .lenient)?.date }
}
