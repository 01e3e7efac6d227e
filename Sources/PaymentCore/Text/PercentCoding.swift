/// Percent-encoding (RFC 3986 section 2.1).
public enum PercentCoding {
    /// Returns `text` with every `%XX` replaced by its byte and, if `plusIsSpace`, every `+` by a space.
    ///
    /// - Parameters:
    ///   - text: the encoded text.
    ///   - plusIsSpace: true if `+` stands for a space, as in forms.
    /// - Returns: the decoded text; nil when a `%` is not followed by two hexadecimal digits or the bytes are not
    ///   UTF-8.
    public static func decode(_ text: some StringProtocol, plusIsSpace: Bool = false) -> String? {
        guard let bytes = bytes(of: Array(text.utf8)[...], plusIsSpace: plusIsSpace) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    /// Returns the result of ``decode(_:plusIsSpace:)``, but a `%` without two digits stays as it is, and a text whose
    /// bytes would not be UTF-8 is returned unchanged, as lenient URL readers do.
    ///
    /// - Parameters:
    ///   - text: the encoded text.
    ///   - plusIsSpace: true if `+` stands for a space, as in forms.
    public static func decodeLeniently(_ text: some StringProtocol, plusIsSpace: Bool = false) -> String {
        bytes(of: Array(text.utf8)[...], plusIsSpace: plusIsSpace, isLenient: true).flatMap {
            String(validating: $0, as: UTF8.self)
        }
            ?? String(text)
    }

    /// Returns `text` with every byte except letters, digits and `-_.~` encoded, with upper-case digits.
    public static func encode(_ text: some StringProtocol) -> String {
        encode(text) { $0.isASCIILetter || $0.isASCIIDigit || "-_.~".utf8.contains($0) }
    }

    /// Returns `text` with every byte for which `keep` is false encoded, with upper-case digits.
    ///
    /// - Parameters:
    ///   - text: the text to encode.
    ///   - keep: returns true for a byte that stays as it is.
    public static func encode(_ text: some StringProtocol, keeping keep: (UInt8) -> Bool) -> String {
        func digit(_ value: UInt8) -> UInt8 { value < 10 ? value + 0x30 : value + 0x37 }
        var encoded: [UInt8] = []
        for byte in text.utf8 {
            if keep(byte) {
                encoded.append(byte)
            } else {
                encoded += [UInt8(ascii: "%"), digit(byte >> 4), digit(byte & 15)]
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    /// The bytes that `encoded` stands for, which may be no text; nil for a `%` without two digits unless `isLenient`.
    package static func bytes(
        of encoded: ArraySlice<UInt8>, plusIsSpace: Bool = false, isLenient: Bool = false
    ) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(encoded.count)
        var index = encoded.startIndex
        while index < encoded.endIndex {
            let byte = encoded[index]
            index += 1
            if byte == UInt8(ascii: "%") {
                if index + 1 < encoded.endIndex, let high = Hex.value(of: encoded[index]),
                    let low = Hex.value(of: encoded[index + 1])
                {
                    bytes.append(high << 4 | low)
                    index += 2
                    continue
                }
                guard isLenient else { return nil }
            }
            bytes.append(plusIsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
        }
        return bytes
    }
}

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
