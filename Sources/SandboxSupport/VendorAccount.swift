package import PaymentCore

/// A vendor's account at its real service, as a file of accounts states it.
package struct VendorAccount: Sendable {
    /// A statement that such an account may have.
    package struct Member: Sendable {
        package let name: String
        /// The value's meaning in a few words.
        package let words: String
        package let isRequired: Bool

        package init(_ name: String, _ words: String, isRequired: Bool = false) {
            (self.name, self.words, self.isRequired) = (name, words, isRequired)
        }

        /// True if the value is the name of a file, whose content is secret.
        package var isFile: Bool { name.hasSuffix("File") }
    }

    private let texts: [String: String]
    private let files: [String: Redacted<String>]

    /// Creates an account whose members were checked.
    package init(texts: [String: String], files: [String: Redacted<String>]) {
        (self.texts, self.files) = (texts, files)
    }

    /// Returns the value of a member that is no file.
    package subscript(name: String) -> String? { texts[name] }

    /// Returns the content of a member's file; nil where the account names none.
    package func file(_ name: String) -> Redacted<String>? { files[name] }

    /// Returns the secrets in a member's file, one on each of its lines; none where the account does not name it.
    package func secrets(_ name: String) -> [Redacted<String>] {
        files[name]?.reveal().split(whereSeparator: \.isNewline).map { Redacted(String($0)) } ?? []
    }
}
