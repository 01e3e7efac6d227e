/// The text of a QR code's bytes.
///
/// A code rarely says in which character set its bytes are (ISO/IEC 18004, 7.3.2: ISO 8859-1 unless it does), and most
/// generators write UTF-8. So bytes that are UTF-8 are read as that; others in the set that the code's own text names,
/// then in the one that the code itself names (ECI), at last as ISO 8859-1.
enum CodeBytes {
    /// Returns the text; nil where neither the bytes nor the text name a character set.
    static func text(_ bytes: [UInt8]) -> String? {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        return CharacterSet.named(in: bytes).flatMap { $0.text(bytes) }
    }

    /// Returns the text of bytes for which ``text(_:)`` is nil.
    ///
    /// - Parameter guess: The scanner's conversion. It guesses at none of the sets here but ISO 8859-1: where one of
    ///   them gives the same text, the code names it.
    static func text(_ bytes: [UInt8], convertedTo guess: String?) -> String? {
        for set in CharacterSet.allCases where guess != nil && set != .latin1 {
            if let text = set.text(bytes), text.utf8.elementsEqual((guess ?? "").utf8) { return text }
        }
        return CharacterSet.latin1.text(bytes)
    }
}

/// A character set of one byte a character.
enum CharacterSet: CaseIterable {
    case latin1, latin2, latin4, cyrillic, greek, latin6, latin9, windows1251, koi8R

    /// Returns the set that a payment text names in its first lines, which are ASCII.
    static func named(in bytes: [UInt8]) -> CharacterSet? {
        if bytes.starts(with: "UPNQR".utf8) { return .latin2 }
        if bytes.starts(with: "ST00011".utf8) { return .windows1251 }
        if bytes.starts(with: "ST00013".utf8) { return .koi8R }
        let lines = bytes.prefix(20).split(separator: 0x0A, maxSplits: 3, omittingEmptySubsequences: false)
            .map { $0.last == 0x0D ? $0.dropLast() : $0 }
        guard lines.count == 4, lines[0].elementsEqual("BCD".utf8), lines[2].count == 1 else { return nil }
        // EPC069-12, character set: 1 is UTF-8.
        return switch lines[2].first {
        case UInt8(ascii: "2"): .latin1
        case UInt8(ascii: "3"): .latin2
        case UInt8(ascii: "4"): .latin4
        case UInt8(ascii: "5"): .cyrillic
        case UInt8(ascii: "6"): .greek
        case UInt8(ascii: "7"): .latin6
        case UInt8(ascii: "8"): .latin9
        default: nil
        }
    }

    /// Returns the text of `bytes`; nil when one of them is no character of the set.
    func text(_ bytes: [UInt8]) -> String? {
        var text = String.UnicodeScalarView()
        let upper = Self.tables[self] ?? []
        let first = 256 - upper.count
        for byte in bytes {
            let scalar = Int(byte) < first ? Unicode.Scalar(byte) : upper[Int(byte) - first]
            guard scalar != "\u{FFFD}" else { return nil }
            text.append(scalar)
        }
        return String(text)
    }

    private static let tables: [CharacterSet: [Unicode.Scalar]] = Dictionary(
        uniqueKeysWithValues: allCases.map { ($0, Array($0.upper.unicodeScalars)) })

    /// The characters of the highest bytes, up to 255 (Unicode's mapping tables); those below are ISO 8859-1's.
    private var upper: String {
        switch self {
        case .latin1: ""
        case .latin2:
            "\u{A0}Ą˘Ł¤ĽŚ§¨ŠŞŤŹ\u{AD}ŽŻ°ą˛ł´ľśˇ¸šşťź˝žż"
                + "ŔÁÂĂÄĹĆÇČÉĘËĚÍÎĎĐŃŇÓÔŐÖ×ŘŮÚŰÜÝŢß"
                + "ŕáâăäĺćçčéęëěíîďđńňóôőö÷řůúűüýţ˙"
        case .latin4:
            "\u{A0}ĄĸŖ¤ĨĻ§¨ŠĒĢŦ\u{AD}Ž¯°ą˛ŗ´ĩļˇ¸šēģŧŊžŋ"
                + "ĀÁÂÃÄÅÆĮČÉĘËĖÍÎĪĐŅŌĶÔÕÖ×ØŲÚÛÜŨŪß"
                + "āáâãäåæįčéęëėíîīđņōķôõö÷øųúûüũū˙"
        case .cyrillic:
            "\u{A0}ЁЂЃЄЅІЇЈЉЊЋЌ\u{AD}ЎЏАБВГДЕЖЗИЙКЛМНОП"
                + "РСТУФХЦЧШЩЪЫЬЭЮЯабвгдежзийклмноп"
                + "рстуфхцчшщъыьэюя№ёђѓєѕіїјљњћќ§ўџ"
        case .greek:
            "\u{A0}‘’£€₯¦§¨©ͺ«¬\u{AD}\u{FFFD}―°±²³΄΅Ά·ΈΉΊ»Ό½ΎΏ"
                + "ΐΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡ\u{FFFD}ΣΤΥΦΧΨΩΪΫάέήί"
                + "ΰαβγδεζηθικλμνξοπρςστυφχψωϊϋόύώ\u{FFFD}"
        case .latin6:
            "\u{A0}ĄĒĢĪĨĶ§ĻĐŠŦŽ\u{AD}ŪŊ°ąēģīĩķ·ļđšŧž―ūŋ"
                + "ĀÁÂÃÄÅÆĮČÉĘËĖÍÎÏÐŅŌÓÔÕÖŨØŲÚÛÜÝÞß"
                + "āáâãäåæįčéęëėíîïðņōóôõöũøųúûüýþĸ"
        case .latin9:
            "\u{A0}¡¢£€¥Š§š©ª«¬\u{AD}®¯°±²³Žµ¶·ž¹º»ŒœŸ¿"
                + "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞß"
                + "àáâãäåæçèéêëìíîïðñòóôõö÷øùúûüýþÿ"
        case .windows1251:
            "ЂЃ‚ѓ„…†‡€‰Љ‹ЊЌЋЏђ‘’“”•–—\u{FFFD}™љ›њќћџ"
                + "\u{A0}ЎўЈ¤Ґ¦§Ё©Є«¬\u{AD}®Ї°±Ііґµ¶·ё№є»јЅѕї"
                + "АБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ"
                + "абвгдежзийклмнопрстуфхцчшщъыьэюя"
        case .koi8R:
            "─│┌┐└┘├┤┬┴┼▀▄█▌▐░▒▓⌠■∙√≈≤≥\u{A0}⌡°²·÷"
                + "═║╒ё╓╔╕╖╗╘╙╚╛╜╝╞╟╠╡Ё╢╣╤╥╦╧╨╩╪╫╬©"
                + "юабцдефгхийклмнопярстужвьызшэщчъ"
                + "ЮАБЦДЕФГХИЙКЛМНОПЯРСТУЖВЬЫЗШЭЩЧЪ"
        }
    }
}
