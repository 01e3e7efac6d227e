/// Ids that come from links and answers and become one segment of a request's path.
public enum PathSegment {
    /// Returns true if `text` can stand in a path without leading to another one, however often it is decoded on its
    /// way: not empty, no `..`, none of the characters that divide an address (`/ \ ? # ;`), no `%`, no invisible
    /// characters.
    ///
    /// - Parameter text: one segment, not yet encoded.
    public static func isSafe(_ text: some StringProtocol) -> Bool {
        guard !text.isEmpty, text != ".", !text.contains("..") else { return false }
        return text.unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
            default: !"/\\?#;%".unicodeScalars.contains(scalar)
            }
        }
    }
}
