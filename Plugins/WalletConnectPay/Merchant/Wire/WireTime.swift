#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Times in the format of lists and webhooks: ISO 8601 in UTC, with milliseconds or without.
enum WireTime {
    static func read(_ text: String) -> Date? {
        guard text.utf8.count <= 40 else { return nil }
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: text.contains("."))
        return try? Date(text, strategy: style)
    }
}
