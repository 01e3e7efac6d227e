import PaymentCore

/// All patterns of all standards, compiled. The cost of looking up a link does not depend on the number of standards.
struct RecognitionTable: Sendable {
    typealias Standard = any PaymentStandard.Type

    /// A text's beginning.
    private struct Opening: Sendable {
        let bytes: [UInt8]
        /// True if the line must end there.
        let isLine: Bool
        let standard: Standard

        func matches(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
            guard RecognitionTable.begins(text, bytes, ignoringCase: false) else { return false }
            guard isLine, bytes.count < text.count else { return true }
            return text[bytes.count] == 0x0A || text[bytes.count] == 0x0D
        }
    }

    /// A scheme's payload and the standard that reads it.
    private struct Payload: Sendable {
        let prefix: [UInt8]
        let standard: Standard
    }

    /// A bare text's shape.
    private struct Shaped: Sendable {
        let shape: BareShape
        let prefix: [UInt8]
        let standard: Standard

        func matches(_ text: UnsafeBufferPointer<UInt8>, _ alphabet: Alphabet) -> Bool {
            shape.lengths.contains(text.count) && alphabet.contains(shape.alphabet)
                && RecognitionTable.begins(text, prefix, ignoringCase: shape.ignoresCase)
        }
    }

    /// Returns true if `text` begins with `prefix`. If case is ignored, `prefix` is in lower case.
    private static func begins(
        _ text: some Collection<UInt8>, _ prefix: [UInt8], ignoringCase: Bool
    ) -> Bool {
        text.count >= prefix.count
            && zip(text, prefix).allSatisfy { $0 == $1 || ignoringCase && $0.lowercasedASCII == $1 }
    }

    /// Beginnings of texts by their first byte, the longest first.
    private var openings: [[Opening]] = Array(repeating: [], count: 256)
    /// Shapes of bare texts by their first byte, the longest prefix first.
    private var shapes: [[Shaped]] = Array(repeating: [], count: 256)
    /// Payloads by scheme, the longest first.
    private var schemes: [String: [Payload]] = [:]
    private var otherScheme: [Standard] = []
    private var hosts: [String: [Standard]] = [:]
    private var hostSuffixes: [String: [Standard]] = [:]
    private var webParameters: [String: [Standard]] = [:]
    private var webValues: [(prefix: [UInt8], standard: Standard)] = []
    private var webPathSuffixes: [(suffix: [UInt8], standard: Standard)] = []
    private var mailboxes: [Standard] = []

    /// Compiles the patterns of `standards`.
    init(_ standards: [Standard]) {
        for standard in standards {
            for pattern in standard.patterns { add(pattern, standard) }
        }
        for index in openings.indices { openings[index].sort { $0.bytes.count > $1.bytes.count } }
        for index in shapes.indices { shapes[index].sort { $0.prefix.count > $1.prefix.count } }
        for key in schemes.keys { schemes[key]?.sort { $0.prefix.count > $1.prefix.count } }
    }

    private mutating func add(_ pattern: StandardPattern, _ standard: Standard) {
        switch pattern {
        case .firstLine(let text): addOpening(text, isLine: true, standard)
        case .prefix(let text): addOpening(text, isLine: false, standard)
        case .scheme(let scheme, let payloads):
            for payload in payloads.isEmpty ? [""] : payloads {
                schemes[scheme, default: []]
                    .append(Payload(prefix: payload.utf8.map(\.lowercasedASCII), standard: standard))
            }
        case .otherScheme: otherScheme.append(standard)
        case .host(let host): hosts[host, default: []].append(standard)
        case .hostSuffix(let host): hostSuffixes[host, default: []].append(standard)
        case .webParameter(let name): webParameters[name, default: []].append(standard)
        case .webValue(let prefix): webValues.append((Array(prefix.utf8), standard))
        case .webPathSuffix(let suffix): webPathSuffixes.append((Array(suffix.utf8), standard))
        case .bare(let shape): addShape(shape, standard)
        case .mailbox: mailboxes.append(standard)
        }
    }

    private mutating func addOpening(_ text: String, isLine: Bool, _ standard: Standard) {
        let bytes = Array(text.utf8)
        guard let first = bytes.first else { return }
        openings[Int(first)].append(Opening(bytes: bytes, isLine: isLine, standard: standard))
    }

    private mutating func addShape(_ shape: BareShape, _ standard: Standard) {
        let prefix = shape.prefix.utf8.map { shape.ignoresCase ? $0.lowercasedASCII : $0 }
        let entry = Shaped(shape: shape, prefix: prefix, standard: standard)
        for byte in UInt8.min...UInt8.max {
            let isFirst = prefix.first.map { $0 == (shape.ignoresCase ? byte.lowercasedASCII : byte) }
            if isFirst ?? Alphabet.containing(byte).contains(shape.alphabet) { shapes[Int(byte)].append(entry) }
        }
    }

    // MARK: Looking up

    /// Lets `hearing` ask the standards whose patterns match `link`, level by level, until one of them knows it.
    func look(up link: PaymentLink, _ hearing: inout Hearing) {
        switch link.form {
        case .text:
            var text = link.text
            text.withUTF8 { self.text($0, &hearing) }
        case .web where link.isHTTP: web(link, &hearing)
        case .web, .opaque: uri(link, &hearing)
        }
    }

    /// Fixed beginnings, then shapes, then `user@host`.
    private func text(_ text: UnsafeBufferPointer<UInt8>, _ hearing: inout Hearing) {
        guard let first = text.first else { return }
        // The longest beginning is asked first, then all shorter ones.
        var longest: Int?
        for opening in openings[Int(first)] where opening.matches(text) {
            if let longest, opening.bytes.count < longest, hearing.isOver { return }
            longest = longest ?? opening.bytes.count
            hearing.ask(opening.standard)
        }
        if hearing.isOver { return }
        var end = text.count
        while end > 0, text[end - 1].isSpaceOrLineEnd { end -= 1 }
        let bare = UnsafeBufferPointer(rebasing: text[..<end])
        let alphabet = Alphabet.common(to: bare)
        if alphabet.isEmpty { return }
        for shaped in shapes[Int(first)] where shaped.matches(bare, alphabet) { hearing.ask(shaped.standard) }
        guard !hearing.isOver, !mailboxes.isEmpty, alphabet.contains(.visible) else { return }
        if bare.reduce(0, { $1 == UInt8(ascii: "@") ? $0 + 1 : $0 }) == 1 { hearing.ask(mailboxes) }
    }

    private func uri(_ link: PaymentLink, _ hearing: inout Hearing) {
        guard let scheme = link.scheme else { return }
        guard let entries = schemes[String(scheme)] else {
            hearing.askInPassing(otherScheme)
            return
        }
        // Most schemes belong to one standard.
        guard entries.count > 1 || !entries[0].prefix.isEmpty else {
            hearing.ask(entries[0].standard)
            return
        }
        let start = link.form == .web ? Int(link.layout.hostStart) : Int(link.layout.schemeEnd) + 1
        let payload = link.text.utf8.dropFirst(start)
        var level: Int?
        for entry in entries where Self.begins(payload, entry.prefix, ignoringCase: true) {
            if let level, entry.prefix.count < level, hearing.isOver { return }
            level = entry.prefix.count
            hearing.ask(entry.standard)
        }
    }

    /// Asks the standards whose ``StandardPattern/webValue(_:)`` begins a segment of the path, an item of the query or
    /// after the `#`, or an item's value.
    private func values(in text: UnsafeBufferPointer<UInt8>, _ layout: LinkLayout, _ hearing: inout Hearing) {
        let (pathEnd, queryEnd) = (Int(layout.pathEnd), Int(layout.queryEnd))
        var isInValue = false
        for index in Int(layout.pathStart)..<text.count {
            let begins =
                switch text[index] {
                case UInt8(ascii: "/"): index < pathEnd
                case UInt8(ascii: "?"): index == pathEnd
                case UInt8(ascii: "#"): index == queryEnd
                case UInt8(ascii: "&"): index > pathEnd
                case UInt8(ascii: "="): index > pathEnd && !isInValue
                default: false
                }
            guard begins else { continue }
            isInValue = text[index] == UInt8(ascii: "=")
            let rest = UnsafeBufferPointer(rebasing: text[(index + 1)...])
            for entry in webValues where Self.begins(rest, entry.prefix, ignoringCase: true) {
                hearing.ask(entry.standard)
            }
            if hearing.isOver { return }
        }
    }

    /// The host decides. On hosts that no standard names, the query and the path's end decide.
    private func web(_ link: PaymentLink, _ hearing: inout Hearing) {
        guard let host = link.host else { return }
        if link.port == nil {
            if let named = hosts[String(host)] {
                hearing.ask(named)
                return
            }
            if !hostSuffixes.isEmpty {
                var rest = host[...]
                while true {
                    if let named = hostSuffixes[String(rest)] {
                        hearing.ask(named)
                        return
                    }
                    guard let dot = rest.utf8.firstIndex(of: UInt8(ascii: ".")) else { break }
                    rest = rest[rest.utf8.index(after: dot)...]
                }
            }
        }
        if !webParameters.isEmpty {
            for item in link.queryItems {
                let name = String(decoding: item.name.utf8.map(\.lowercasedASCII), as: UTF8.self)
                guard let named = webParameters[name] else { continue }
                hearing.ask(named)
                if hearing.isOver { return }
            }
        }
        if !webValues.isEmpty {
            var text = link.text
            text.withUTF8 { values(in: $0, link.layout, &hearing) }
            if hearing.isOver { return }
        }
        for ending in webPathSuffixes
        where link.path.utf8.count > ending.suffix.count
            && link.path.utf8.suffix(ending.suffix.count).elementsEqual(ending.suffix)
        {
            hearing.ask(ending.standard)
        }
    }
}

/// The beginning or shape of the texts that a standard reads. It is plain data: all patterns are compiled into one
/// table.
@nonexhaustive
public enum StandardPattern: Sendable, Hashable {
    /// A text with this first line exactly.
    case firstLine(String)
    /// A text that begins with this, in the same case.
    case prefix(String)
    /// A URI of this scheme, given in lower case. With payloads: one whose part after the scheme (and `//`) begins with
    /// one of them, compared without regard to ASCII case. The longest payload that matches decides.
    case scheme(String, payloads: [String] = [])
    /// A URI whose scheme no other pattern names.
    case otherScheme
    /// A web link on exactly this host, the scheme's default port and any path.
    case host(String)
    /// A web link on this host or a subdomain of it.
    case hostSuffix(String)
    /// A web link on a host that no pattern names, with a query item of this name, given in lower case, in any case.
    case webParameter(String)
    /// A web link on a host that no pattern names, with a value that begins with this, given in lower case, in any
    /// case: a segment of the path, of a query item, or after the `#`; or a whole item.
    case webValue(String)
    /// A web link on a host that no pattern names, whose path ends with this.
    case webPathSuffix(String)
    /// A text without line breaks that has this shape, white space at its end aside.
    case bare(BareShape)
    /// A text with exactly one `@` and no white space, after all else: `user@host`.
    case mailbox
}

/// The shape of a bare address, number or code. A shape only narrows the choice. A checksum decides.
public struct BareShape: Sendable, Hashable {
    /// The beginning; empty for any.
    public let prefix: String
    /// True if the prefix is compared without regard to ASCII case.
    public let ignoresCase: Bool
    /// The allowed numbers of bytes.
    public let lengths: ClosedRange<Int>
    /// The characters it consists of.
    public let alphabet: Alphabet

    /// Creates a shape.
    public init(_ prefix: String = "", ignoresCase: Bool = false, lengths: ClosedRange<Int>, _ alphabet: Alphabet) {
        self.prefix = prefix
        self.ignoresCase = ignoresCase
        self.lengths = lengths
        self.alphabet = alphabet
    }
}

/// Sets of characters that texts consist of.
public struct Alphabet: OptionSet, Sendable, Hashable {
    /// One bit for each set.
    public let rawValue: UInt16

    /// Creates an alphabet of bits.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// ASCII digits.
    public static let digits = Self(rawValue: 1 << 0)
    /// Hexadecimal digits of either case and the `x` of `0x`.
    public static let hex = Self(rawValue: 1 << 1)
    /// Base58 in Bitcoin's alphabet, which has the same characters as XRP's.
    public static let base58 = Self(rawValue: 1 << 2)
    /// Base32 of RFC 4648: `A`–`Z`, `2`–`7`.
    public static let base32 = Self(rawValue: 1 << 3)
    /// Base32hex: digits, `A`–`V`.
    public static let base32hex = Self(rawValue: 1 << 4)
    /// ASCII letters and digits.
    public static let alphanumeric = Self(rawValue: 1 << 5)
    /// ASCII letters, digits and spaces.
    public static let spacedAlphanumeric = Self(rawValue: 1 << 6)
    /// Base64 of either alphabet, with padding.
    public static let base64 = Self(rawValue: 1 << 7)
    /// Printable ASCII without spaces.
    public static let visible = Self(rawValue: 1 << 8)
    /// Anything but line breaks and other control characters.
    public static let line = Self(rawValue: 1 << 9)

    /// Returns the sets that `byte` is in.
    static func containing(_ byte: UInt8) -> Alphabet { table[Int(byte)] }

    /// Returns the sets that all of `text` is in.
    static func common(to text: UnsafeBufferPointer<UInt8>) -> Alphabet {
        table.withUnsafeBufferPointer { table in
            var common = Alphabet(rawValue: .max)
            for byte in text { common.formIntersection(table[Int(byte)]) }
            return common
        }
    }

    private static let table: [Alphabet] = (0...255).map { value in
        let byte = UInt8(value)
        var sets: Alphabet = []
        let isDigit = byte &- 0x30 < 10
        let isUpper = byte &- 0x41 < 26
        let isLetter = (byte | 0x20) &- 0x61 < 26
        if isDigit { sets.insert(.digits) }
        if isDigit || (byte | 0x20) &- 0x61 < 6 || byte | 0x20 == UInt8(ascii: "x") { sets.insert(.hex) }
        if (isDigit || isLetter) && !"0OIl".utf8.contains(byte) { sets.insert(.base58) }
        if isUpper || byte &- 0x32 < 6 { sets.insert(.base32) }
        if isDigit || byte &- 0x41 < 22 { sets.insert(.base32hex) }
        if isDigit || isLetter { sets.insert(.alphanumeric) }
        if isDigit || isLetter || byte == 0x20 { sets.insert(.spacedAlphanumeric) }
        if isDigit || isLetter || "+/-_=".utf8.contains(byte) { sets.insert(.base64) }
        if byte > 0x20 && byte < 0x7F { sets.insert(.visible) }
        if byte >= 0x20 && byte != 0x7F { sets.insert(.line) }
        return sets
    }
}
