/// The tokens of a Swift file, without comments and without what strings hold, and its brackets.
struct SwiftTokens {
    struct Token {
        let text: Substring
        /// The bytes of the file.
        let bytes: Range<Int>
        /// The line, from 0.
        let line: Int
        let isFirstOfLine: Bool
        /// True if white space or a bracket stands on both sides, as around an infix operator.
        let isSpaced: Bool
        /// True if white space precedes.
        let hasSpaceBefore: Bool

        var isWord: Bool { text.utf8.first.map(SwiftTokens.isWordByte) == true }
        var isOperator: Bool { text.utf8.first.map(SwiftTokens.isOperatorByte) == true }
        var isNumber: Bool { text.utf8.first.map { $0 >= 0x30 && $0 <= 0x39 } == true }
    }

    let all: [Token]
    /// The index of the other bracket of each bracket.
    let partners: [Int: Int]
    /// The index of the innermost open bracket around each token; -1 outside all.
    let openers: [Int]

    init(_ source: String) {
        let code = SwiftMask.code(of: source, keepsInterpolations: false)
        var all: [Token] = []
        var (index, line, isFirst) = (0, 0, true)
        while index < code.count {
            let byte = code[index]
            if byte == 0x0A { (line, isFirst) = (line + 1, true) }
            if byte == 0x0A || byte == 0x20 || byte == 0x09 || byte == 0x0D {
                index += 1
                continue
            }
            var end = index + 1
            if byte == 0x22 {
                // A string is one token from mark to mark.
                while end < code.count, code[end] != 0x22 { end += 1 }
                end = min(end + 1, code.count)
            } else if Self.isWordByte(byte) {
                while end < code.count, Self.isWordByte(code[end]) { end += 1 }
            } else if Self.isOperatorByte(byte) {
                while end < code.count, Self.isOperatorByte(code[end]) { end += 1 }
            }
            let (before, after) = (index > 0 ? code[index - 1] : 0x0A, end < code.count ? code[end] : 0x0A)
            let hasSpaceBefore = before == 0x20 || before == 0x0A
            all.append(
                Token(
                    text: byte == 0x22 ? "\"" : Substring(decoding: code[index..<end], as: UTF8.self),
                    bytes: index..<end, line: line, isFirstOfLine: isFirst,
                    isSpaced: hasSpaceBefore && (after == 0x20 || after == 0x0A), hasSpaceBefore: hasSpaceBefore))
            line += code[index..<end].count { $0 == 0x0A }
            isFirst = false
            index = end
        }
        self.all = all
        var partners: [Int: Int] = [:]
        var openers: [Int] = []
        var open: [Int] = []
        for (index, token) in all.enumerated() {
            if [")", "]", "}"].contains(token.text), let opener = open.popLast() {
                (partners[index], partners[opener]) = (opener, index)
            }
            openers.append(open.last ?? -1)
            if ["(", "[", "{"].contains(token.text) { open.append(index) }
        }
        (self.partners, self.openers) = (partners, openers)
    }

    /// The text of a token; nothing outside the file.
    func text(_ index: Int) -> Substring { all.indices.contains(index) ? all[index].text : "" }

    /// The index behind a token, or behind the bracket that closes what it opens.
    func next(_ index: Int) -> Int {
        ["(", "[", "{"].contains(text(index)) ? (partners[index] ?? all.count) + 1 : index + 1
    }

    /// The index before a token, or before the bracket that opens what it closes.
    func previous(_ index: Int) -> Int {
        [")", "]", "}"].contains(text(index)) ? (partners[index] ?? 0) - 1 : index - 1
    }

    /// The bytes from one token to another one.
    func bytes(_ tokens: Range<Int>) -> Range<Int> {
        all[tokens.lowerBound].bytes.lowerBound..<all[tokens.upperBound - 1].bytes.upperBound
    }

    /// Splits tokens at the commas outside their brackets.
    func parts(_ tokens: Range<Int>) -> [Range<Int>] {
        var parts: [Range<Int>] = []
        var (start, index) = (tokens.lowerBound, tokens.lowerBound)
        while index < tokens.upperBound {
            if text(index) == "," {
                if start < index { parts.append(start..<index) }
                start = index + 1
            }
            index = next(index)
        }
        if start < tokens.upperBound { parts.append(start..<tokens.upperBound) }
        return parts
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A || byte >= 0x30 && byte <= 0x39 || byte == 0x5F || byte == 0x60
            || byte == 0x24 || byte >= 0x80
    }

    private static func isOperatorByte(_ byte: UInt8) -> Bool { "/=-+!*%<>&|^~?".utf8.contains(byte) }
}
