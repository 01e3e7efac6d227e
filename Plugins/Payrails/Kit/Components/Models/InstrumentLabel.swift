import PaymentCore
import PayrailsProvider

/// Texts that name stored instruments, safe to show.
enum InstrumentLabel {
    /// The maximum number of characters of a label; the service may send text of any length.
    static let maximumLength = 120

    /// Returns the text of a row. It never has a whole card number, even if the service or the app put one into a
    /// description.
    static func text(_ instrument: any StoredInstrument, _ translations: StoredInstrumentsTranslations) -> String {
        let text = instrument.displayText(
            cardPrefix: translations.cardPrefix, paypalPrefix: translations.paypalPrefix)
        return clean(text)
    }

    /// Returns text of unknown origin in a form that is safe to show: of bounded length and without card numbers.
    static func clean(_ text: String) -> String { clipped(withoutCardNumbers(text)) }

    private static func clipped(_ text: String) -> String {
        text.count <= maximumLength ? text : text.prefix(maximumLength - 1) + "…"
    }

    /// Returns `text` with every run of 12 to 19 digits that may be a card number reduced to its last four.
    ///
    /// A run may have one space, hyphen or full stop between digits. The check digit decides (ISO/IEC 7812-1).
    static func withoutCardNumbers(_ text: String) -> String {
        var result = ""
        var run = ""
        var digits = ""
        func flush() {
            if (12...19).contains(digits.count), CardValidation.passesLuhn(digits) {
                let tail = run.last.map { $0.isASCIIDigit ? "" : String($0) } ?? ""
                result += "•••• \(digits.suffix(4))\(tail)"
            } else {
                result += run
            }
            run = ""
            digits = ""
        }
        for character in text {
            if character.isASCIIDigit {
                run.append(character)
                digits.append(character)
            } else if " -.\u{A0}".contains(character), run.last?.isASCIIDigit == true {
                run.append(character)
            } else {
                flush()
                result.append(character)
            }
        }
        flush()
        return result
    }
}

extension Character {
    fileprivate var isASCIIDigit: Bool { isASCII && isWholeNumber }
}
