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

        /// True if the value is the name of a file, which holds a secret on each of its lines.
        package var isSecret: Bool { name.hasSuffix("File") }
    }

    private let texts: [String: String]
    private let secrets: [String: [Redacted<String>]]

    /// Creates an account whose members were checked.
    package init(texts: [String: String], secrets: [String: [Redacted<String>]]) {
        (self.texts, self.secrets) = (texts, secrets)
    }

    /// Returns the value of a member that is no secret.
    package subscript(name: String) -> String? { texts[name] }

    /// Returns the secrets of a member's file; none where the account does not name it.
    package func secrets(_ name: String) -> [Redacted<String>] { secrets[name] ?? [] }
}
