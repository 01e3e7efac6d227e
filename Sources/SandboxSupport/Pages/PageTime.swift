import PaymentCore

/// The form of times on pages.
package enum PageTime {
    /// Returns Unix seconds as day and time, in UTC because the sandbox knows no other zone of its visitor.
    package static func text(_ seconds: Int64) -> String {
        let text = RFC3339(seconds: seconds).text
        return "\(text.prefix(10)) \(text.dropFirst(11).prefix(8)) UTC"
    }
}
