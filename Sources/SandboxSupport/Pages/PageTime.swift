#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The form of times on pages.
package enum PageTime {
    /// Returns Unix seconds as day and time, in UTC because the sandbox knows no other zone of its visitor.
    package static func text(_ seconds: Int64) -> String {
        let text = Date(timeIntervalSince1970: Double(seconds)).ISO8601Format()
        return "\(text.prefix(10)) \(text.dropFirst(11).prefix(8)) UTC"
    }
}
