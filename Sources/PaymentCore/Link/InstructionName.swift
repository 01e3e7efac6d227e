extension PaymentInstruction {
    /// The name of a kind of payment text, for people.
    public struct Name: Sendable, Hashable {
        /// A noun phrase with its article: `a Lightning invoice (BOLT 11)`.
        public let phrase: String
        /// The application that follows such texts, with its article: `a Lightning wallet`; nil where none does.
        public let application: String?

        /// Creates a name.
        ///
        /// - Parameters:
        ///   - phrase: A noun phrase that begins with its article.
        ///   - application: The kind of application that follows such a text.
        public init(_ phrase: String, opensIn application: String? = nil) {
            self.phrase = phrase
            self.application = application
        }

        /// The phrase without its article: `Lightning invoice (BOLT 11)`, `payee's key (Pubky)`.
        public var noun: String {
            let article = ["a ", "an ", "the "].first { phrase.hasPrefix($0) } ?? ""
            return String(phrase.dropFirst(article.count))
        }

        /// The phrase as a title: without its article, in a capital.
        public var title: String { noun.prefix(1).uppercased() + noun.dropFirst() }
    }
}
