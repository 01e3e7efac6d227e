import CPNG
import CZBar
import SandboxSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Reads QR codes from a picture file: PNG or JPEG.
enum CodeReader {
    /// The largest file: a camera's picture is a quarter of it.
    private static let maximumBytes = 64 << 20

    /// Returns the texts of the codes in the file called `name`, in the order of their discovery.
    ///
    /// - Throws: ``CommandError`` if it cannot be read, is no such picture, or has no code in it.
    static func texts(in name: String) throws -> [String] {
        try texts(of: try bytes(of: name), called: Printable.text(name))
    }

    /// Returns the same for a file in memory. `shown` is its name in errors.
    static func texts(of file: [UInt8], called shown: String) throws -> [String] {
        let texts: [String]
        if file.starts(with: PNGPicture.signature) {
            let picture: PNGPicture
            do { picture = try PNGPicture(file) } catch {
                throw CommandError(description: "\(shown) cannot be read: \(error)")
            }
            texts = try codes(in: picture)
        } else if file.starts(with: [0xFF, 0xD8, 0xFF]) {
            guard let size = jpegSize(file) else {
                throw CommandError(description: "\(shown) cannot be read: the JPEG file is damaged")
            }
            texts = try scan(file, width: size.width, height: size.height, format: "JPEG")
        } else {
            throw CommandError(
                description: "\(shown) is no PNG or JPEG file; save the picture as one, or take a screenshot of it")
        }
        guard !texts.isEmpty else {
            throw CommandError(
                description:
                    "no QR code was found in \(shown); it has to be whole, sharp and with a light edge around it")
        }
        return texts
    }

    private static func bytes(of name: String) throws -> [UInt8] {
        func failure(_ why: String) -> CommandError {
            CommandError(description: "\(Printable.text(name)) cannot be read: \(why)")
        }
        let descriptor = open(name, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(String(cString: strerror(errno))) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while bytes.count <= maximumBytes {
            let count = read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure(String(cString: strerror(errno))) }
            if count == 0 { return bytes }
            bytes += chunk[..<count]
        }
        throw failure("it is larger than \(maximumBytes >> 20) MiB")
    }

    // MARK: Looking

    private static func codes(in picture: PNGPicture) throws -> [String] {
        var picture = (width: picture.width, height: picture.height, grey: picture.grey)
        // Modules of one or two pixels are too small for the scanner.
        if max(picture.width, picture.height) < 300 { picture = enlarged(picture, 4) }
        let texts = try scan(picture.grey, width: picture.width, height: picture.height, format: "Y800")
        guard texts.isEmpty else { return texts }
        // Light on dark, as dark screens show codes.
        return try scan(picture.grey.map { 255 - $0 }, width: picture.width, height: picture.height, format: "Y800")
    }

    private static func enlarged(
        _ picture: (width: Int, height: Int, grey: [UInt8]), _ times: Int
    ) -> (width: Int, height: Int, grey: [UInt8]) {
        var grey: [UInt8] = []
        for row in 0..<picture.height {
            let line = picture.grey[row * picture.width..<(row + 1) * picture.width].flatMap {
                repeatElement($0, count: times)
            }
            for _ in 0..<times { grey += line }
        }
        return (picture.width * times, picture.height * times, grey)
    }

    private static func scan(_ bytes: [UInt8], width: Int, height: Int, format: String) throws -> [String] {
        func codes(asBytes: Bool) throws -> [[UInt8]] {
            try Self.codes(bytes, width: width, height: height, format: format, asBytes: asBytes)
        }
        var converted: [[UInt8]]?
        var texts: [String] = []
        for (index, code) in try codes(asBytes: true).enumerated() {
            var text = CodeBytes.text(code)
            if text == nil {
                // The library's conversion is a guess unless the code names its character set.
                if converted == nil { converted = try codes(asBytes: false) }
                let guess = (converted ?? []).indices.contains(index) ? converted?[index] : nil
                text = CodeBytes.text(code, convertedTo: guess.flatMap { String(validating: $0, as: UTF8.self) })
            }
            if let text, !texts.contains(text) { texts.append(text) }
        }
        return texts
    }

    /// Returns the content of each code, as its bytes or as the library converts them to UTF-8.
    private static func codes(
        _ bytes: [UInt8], width: Int, height: Int, format: String, asBytes: Bool
    ) throws -> [[UInt8]] {
        var codes: [[UInt8]] = []
        let count = withUnsafeMutablePointer(to: &codes) { codes in
            bytes.withUnsafeBytes { bytes in
                czbar_scan(
                    bytes.baseAddress, bytes.count, UInt32(width), UInt32(height), format, asBytes ? 1 : 0,
                    { context, text, length in
                        guard let codes = context?.assumingMemoryBound(to: [[UInt8]].self), let text else { return }
                        codes.pointee.append(Array(UnsafeRawBufferPointer(start: text, count: Int(length))))
                    }, codes)
            }
        }
        guard count != CZBAR_MISSING, count != CZBAR_OLD else {
            throw CommandError(
                description: "reading codes from pictures needs the library libzbar"
                    + (count == CZBAR_OLD
                        ? ", 0.23.1 or newer" : "; 'make deps' installs it (apt: libzbar0, brew: zbar)"))
        }
        guard count >= 0 else { throw CommandError(description: "the picture cannot be looked at: it is damaged") }
        return codes
    }

    /// Width and height, from the first frame header of a JPEG file (ITU-T T.81, B.2.2).
    private static func jpegSize(_ file: [UInt8]) -> (width: Int, height: Int)? {
        var position = 2
        while position + 9 < file.count {
            guard file[position] == 0xFF else { return nil }
            let marker = file[position + 1]
            if marker == 0xFF {
                position += 1
                continue
            }
            let length = Int(file[position + 2]) << 8 | Int(file[position + 3])
            if 0xC0...0xCF ~= marker, ![0xC4, 0xC8, 0xCC].contains(marker) {
                let height = Int(file[position + 5]) << 8 | Int(file[position + 6])
                let width = Int(file[position + 7]) << 8 | Int(file[position + 8])
                guard width > 0, height > 0, width * height <= PNGPicture.maximumPixels else { return nil }
                return (width, height)
            }
            guard length >= 2 else { return nil }
            position += 2 + length
        }
        return nil
    }
}

// MARK: - PNG

/// A picture from a PNG file (ISO/IEC 15948), read by libpng, as shades of grey, for finding codes in it.
struct PNGPicture {
    let width: Int
    let height: Int
    /// One byte a pixel, row by row. 0 is black.
    let grey: [UInt8]

    /// The reason why a file is not a readable picture.
    struct PNGDefect: Error, CustomStringConvertible {
        let description: String
    }

    /// The most pixels: a scanned page is a tenth of it. A small file may declare far more.
    static let maximumPixels = 100_000_000
    static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    /// Reads a file. Transparent pixels are white, as on paper.
    init(_ file: [UInt8]) throws(PNGDefect) {
        guard file.starts(with: Self.signature) else { throw PNGDefect(description: "it is no PNG file") }
        self = try file.withUnsafeBytes { bytes in Result { () throws(PNGDefect) in try Self.read(bytes) } }.get()
    }

    private static func read(_ file: UnsafeRawBufferPointer) throws(PNGDefect) -> PNGPicture {
        var image = png_image()
        image.version = png_uint_32(PNG_IMAGE_VERSION)
        defer { png_image_free(&image) }
        guard png_image_begin_read_from_memory(&image, file.baseAddress, file.count) != 0 else { throw damaged(image) }
        let (width, height) = (Int(image.width), Int(image.height))
        guard width > 0, height > 0, width <= maximumPixels, height <= maximumPixels / width else {
            throw PNGDefect(description: "it has no pixels, or more than \(maximumPixels / 1_000_000) million")
        }
        image.format = png_uint_32(PNG_FORMAT_GRAY)
        var white = png_color(red: 255, green: 255, blue: 255)
        var grey = [UInt8](repeating: 0, count: width * height)
        guard png_image_finish_read(&image, &white, &grey, 0, nil) != 0 else { throw damaged(image) }
        return PNGPicture(width: width, height: height, grey: grey)
    }

    private init(width: Int, height: Int, grey: [UInt8]) {
        self.width = width
        self.height = height
        self.grey = grey
    }

    /// Returns the message of libpng: a few words, without any content of the file.
    private static func damaged(_ image: png_image) -> PNGDefect {
        let words = withUnsafeBytes(of: image.message) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        return PNGDefect(description: "the PNG file is damaged\(words.isEmpty ? "" : ": \(words)")")
    }
}

// MARK: - Character sets

/// The text of a QR code's bytes.
///
/// A code rarely names the character set of its bytes (ISO/IEC 18004, 7.3.2: ISO 8859-1 unless it does), and most
/// generators write UTF-8. Bytes that are UTF-8 are therefore read as UTF-8. Others are read in the set that the code's
/// own text names, then in the one that the code itself names (ECI), and at last as ISO 8859-1.
enum CodeBytes {
    /// Returns the text, or nil if neither the bytes nor the text name a character set.
    static func text(_ bytes: [UInt8]) -> String? {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        return CharacterSet.named(in: bytes).flatMap { $0.text(bytes) }
    }

    /// Returns the text of bytes for which ``text(_:)`` is nil.
    ///
    /// - Parameter guess: The scanner's conversion. It guesses none of the sets here but ISO 8859-1. If one of them
    ///   gives the same text, the code names it.
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

    /// Returns the text of `bytes`, or nil if one of them is no character of the set.
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

    /// The characters of the highest bytes, up to 255 (Unicode's mapping tables). Those below are ISO 8859-1's.
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
