import PaymentCore

/// A check for names that look like another: `Аlice` with a Cyrillic А, `xn--pypal-4ve.example`.
enum NameLetters {
    /// Returns true if a word of `text` mixes Latin letters with Greek or Cyrillic ones, or is an internationalised
    /// label of a host; and if an invisible sign turns the direction of the text, or stands where no script needs
    /// one. A name in one script is not deceptive.
    static func mayDeceive(_ text: String) -> Bool {
        guard !text.utf8.allSatisfy({ $0 < 0x80 }) || text.utf8.contains(UInt8(ascii: "-")) else { return false }
        let hidden = text.unicodeScalars.filter { $0.isInvisible && !$0.properties.isWhitespace }
        if !hidden.isEmpty {
            // Overrides, embeddings and isolates; joiners and marks belong to words of some scripts.
            let turns = hidden.contains { 0x202A...0x202E ~= $0.value || 0x2066...0x2069 ~= $0.value }
            if turns || text.unicodeScalars.allSatisfy({ $0.isASCII || $0.isInvisible }) { return true }
        }
        let words = text.unicodeScalars.split {
            !($0.properties.isAlphabetic || $0.properties.numericType != nil || $0 == "-")
        }
        return words.contains { word in
            if word.prefix(4).elementsEqual("xn--".unicodeScalars, by: { $0.properties.lowercaseMapping == String($1) })
            {
                return true
            }
            let hasLatin = word.contains { ($0.isASCII || $0.value < 0x250) && $0.properties.isAlphabetic }
            // Greek with its extension, Cyrillic with its supplement.
            return hasLatin && word.contains { 0x370...0x52F ~= $0.value || 0x1F00...0x1FFF ~= $0.value }
        }
    }
}

extension PaymentInstruction {
    /// Warns of names with letters that may be taken for others.
    mutating func checkNames() {
        let names = [payee?.name, payee?.account].compactMap(\.self)
        if names.contains(where: NameLetters.mayDeceive) { warnings.append(.homographName) }
    }
}
