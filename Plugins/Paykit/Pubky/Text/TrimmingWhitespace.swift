extension StringProtocol {
    /// The text without blanks and line breaks around it.
    package var trimmingWhitespace: String {
        String(drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
    }
}
