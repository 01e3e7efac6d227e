public import PaymentCore

/// A payment text while a standard reads it. It hands out its parts, and records those that were not taken.
///
/// A standard cannot drop a part by ignoring it. Every part that was not taken at the end becomes
/// ``PaymentCore/PaymentInstruction/unread``, or makes the text defective.
public struct PaymentText: ~Copyable {
    /// The parts of a link that are taken one by one.
    private struct Parts: OptionSet {
        let rawValue: UInt8
        static let path = Parts(rawValue: 1)
        static let query = Parts(rawValue: 2)
        static let fragment = Parts(rawValue: 4)
        static let all: Parts = [.path, .query, .fragment]
    }

    /// The text as a link.
    public private(set) var link: PaymentLink
    private var whole: TextPart
    private var taken: Parts = []
    private var unread: [UnreadPart] = []
    /// Lists whose parts are taken one by one.
    private var lists: [any PartList] = []

    init(_ link: PaymentLink) { self.init(link, TextPart(link)) }

    /// Creates the text of `link`; `whole` is all of it.
    init(_ link: PaymentLink, _ whole: TextPart) { (self.link, self.whole) = (link, whole) }

    // MARK: Taking

    /// Takes the whole text. The standard itself accounts for each part of it.
    public mutating func takeAll() { taken = .all }

    /// States a part that the standard does not know.
    ///
    /// - Parameters:
    ///   - name: The part's name.
    ///   - value: Its value; nil if it has none.
    public mutating func leave(_ name: String, _ value: String?) {
        unread.append(UnreadPart(name, value))
    }

    /// States parts that the standard's readers skip.
    mutating func leave(_ parts: [UnreadPart]) { unread += parts }

    /// Takes and returns the whole text.
    mutating func all() -> TextPart {
        takeAll()
        return whole
    }

    /// The place after all parts.
    var end: TextPart { whole.suffix(0) }

    /// Takes and returns the text after the scheme's colon, including the query. Of a plain text, that is all of it.
    mutating func payload() -> TextPart {
        takeAll()
        return link.form == .text ? whole : whole.dropFirst(Int(link.layout.schemeEnd) + 1)
    }

    /// Adds `parts`. Each is to be taken by its name.
    mutating func named(_ parts: [NamedParts.Part]) -> NamedParts {
        let list = NamedParts(parts)
        if let account = list.account { lists.append(account) }
        return list
    }

    /// Takes the whole text as lines. Each is to be taken by its number.
    ///
    /// - Parameters:
    ///   - text: The text; nil for all of it.
    ///   - counts: The allowed numbers of lines, without empty ones at the end.
    ///   - allowsCR: True if CR alone may end lines.
    /// - Throws: ``StandardDefect`` if line ends are mixed or there are too few or too many lines.
    mutating func lines(
        _ counts: ClosedRange<Int>, of text: TextPart? = nil, allowsCR: Bool = false
    ) throws(StandardDefect) -> FixedLines {
        let whole = all()
        let list = try FixedLines(text ?? whole, counts, allowsCR: allowsCR)
        lists.append(list)
        return list
    }

    /// Takes and returns the parameters that `reader` knows. Each is to be taken by its name.
    ///
    /// - Parameters:
    ///   - reader: The names, and the rules of the query.
    ///   - part: A query that is part of the text; nil for that of the link.
    mutating func parameters(
        _ reader: QueryReader, in part: TextPart? = nil
    ) throws(StandardDefect) -> NamedParts {
        var values: [NamedParts.Part] = []
        try query(part ?? query(), reader) { key, parameter throws(StandardDefect) in
            if parameter.isKnown { values.append(.init(name: key, value: try reader.text(parameter, key))) }
        }
        return named(values)
    }

    /// The host, in lower case; nil without `//`. A standard is asked only about its own hosts.
    var authority: TextPart? {
        link.form == .web ? whole[Int(link.layout.hostStart)..<Int(link.layout.hostEnd)] : nil
    }

    /// Takes and returns the path with its leading slash. Of an opaque URI, that is the text after the scheme.
    mutating func path() -> TextPart {
        taken.insert(.path)
        return whole[Int(link.layout.pathStart)..<Int(link.layout.pathEnd)]
    }

    /// True if it has a `?`.
    var hasQuery: Bool { link.layout.queryEnd > link.layout.pathEnd }

    /// Takes and returns the text after the `?`; nil if there is none.
    private mutating func query() -> TextPart? {
        taken.insert(.query)
        let end = Int(link.layout.pathEnd)
        return hasQuery ? whole[(end + 1)..<Int(link.layout.queryEnd)] : nil
    }

    /// Takes the text after the `?`, and calls `body` with each parameter that `reader` knows and its name as compared.
    /// The others are left.
    mutating func query(
        _ reader: QueryReader, _ body: (String, QueryParameter) throws(StandardDefect) -> Void
    ) throws(StandardDefect) {
        try query(query(), reader, body)
    }

    /// Does the same for a query that is part of the text, not of a link.
    mutating func query(
        _ part: TextPart?, _ reader: QueryReader, _ body: (String, QueryParameter) throws(StandardDefect) -> Void
    ) throws(StandardDefect) {
        try reader.read(part, leaving: { self.leave($0, $1) }, body)
    }

    /// Takes and returns the text after the `#`; nil if there is none.
    mutating func fragment() -> TextPart? {
        taken.insert(.fragment)
        return untakenFragment
    }

    private var untakenFragment: TextPart? {
        let end = Int(link.layout.queryEnd)
        return link.form != .text && whole.count > end ? whole[(end + 1)..<whole.count] : nil
    }

    /// Reads the text as it was written, with the escapes that it does not need.
    mutating func keepEscapes() {
        let written = link.asWritten
        // Few links are written with such escapes.
        guard written != link else { return }
        link = written
        whole = TextPart(link)
    }

    // MARK: The end

    /// Returns the parts that were not taken.
    ///
    /// - Throws: ``StandardDefect`` if the text was damaged by a web page.
    mutating func rest() throws(StandardDefect) -> [UnreadPart] {
        for list in lists { unread += list.untaken }
        lists = []
        guard taken != .all, link.form != .text else { return unread }
        let missing = Parts.all.subtracting(taken)
        let path = path()
        if missing.contains(.path), !path.isEmpty, !path.equals("/") { leave("path", path.text) }
        if missing.contains(.query) { try query(QueryReader.none) { _, _ in } }
        if missing.contains(.fragment), let part = untakenFragment, !part.isEmpty {
            try part.checkSeparator()
            // Parameters here are shown as such: their author forgot to encode a # before them.
            let (head, tail) = part.cut(at: "&")
            let name = head.cut(at: "=").head.text.drop { "?/#".contains($0) }
            unread.append(
                UnreadPart(
                    name: "#", value: head.text,
                    couldChangePayment: head.bytes.contains(UInt8(ascii: "="))
                        && MoneyWords.occur(in: String(name))))
            try query(tail, QueryReader.none) { _, _ in }
        }
        return unread
    }

    /// Reads the text by `standard`.
    ///
    /// - Returns: The content, and the rest of the text.
    /// - Throws: ``StandardDefect``. Unless the standard ignores unknown parts, an unknown part that could change the
    ///   payment is a defect, too. The exception is a part that looks like the amount of a text that states none.
    consuming func read(by standard: any PaymentStandard.Type) throws(StandardDefect) -> Recognition.Sound {
        let value = try standard.init(&self)
        let unread = try rest()
        let sound = Recognition.Sound(value, unread)
        guard !standard.ignoresUnknownParts, let part = unread.first(where: \.couldChangePayment) else { return sound }
        if value.instruction.amount == .open, unread.allSatisfy({ !$0.couldChangePayment || MoneyWords.isAmount($0) }) {
            return sound
        }
        throw part.defect(in: link)
    }
}

extension UnreadPart {
    /// Creates a part. It could change the payment if its name has a word of ``MoneyWords``.
    init(_ name: String, _ value: String?) {
        self.init(name: name, value: value, couldChangePayment: MoneyWords.occur(in: name))
    }

    /// The name for people. Only plain words are shown of a foreign text.
    var word: String {
        let isPlain = name.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || "-_.#".utf8.contains($0) }
        return isPlain && name.utf8.count <= 32 ? name : "(unknown)"
    }

    /// The defect of a text with this part.
    func defect(in link: PaymentLink) -> StandardDefect {
        StandardDefect(
            .unsupported, "parameter \(word)", at: link.text.utf8.count,
            "is not known, and could change coin, amount, payee or time; ask the payee for another link")
    }
}

/// Words that show, in a part's name, that the part could change the payment.
enum MoneyWords {
    /// Words that count anywhere in a name: hardly another word contains them.
    private static let anywhere = WordTable([
        "token", "asset", "currency", "contract", "jetton", "issuer", "amount", "value", "expir", "recipient",
        "destination", "address", "payee", "receiver", "beneficiary", "decimals", "quantity", "price", "deadline",
        "validuntil", "account", "iban",
    ])
    /// Words that are parts of others. They count only alone, or between marks and changes of case.
    private static let whole = WordTable([
        "unit", "units", "mint", "coin", "coins", "tag", "memo", "amt", "am", "cur", "curr", "ccy", "cu", "dt", "exp",
        "until", "to", "total", "sum", "chain", "network", "ttl", "timeout", "spl", "erc20", "symbol", "ticker",
        "denom", "qty", "fiat", "sat", "sats", "msat", "wei", "due", "duedate", "validto", "validity", "notafter",
        // In other languages.
        "betrag", "montant", "monto", "importe", "importo", "kwota", "castka", "suma", "devise", "moneda", "valuta",
        "waehrung", "waluta", "mena",
    ])
    /// Those of an amount.
    private static let amounts = WordTable(["amount", "value", "price", "quantity"])
    private static let wholeAmounts = WordTable(["amt", "am", "total", "sum", "qty", "sats", "sat", "msat", "wei"])

    /// Returns true if `name` has such a word, in any spelling: `splToken`, `SPL_TOKEN`, `spl-token`.
    static func occur(in name: String) -> Bool { has(name, anywhere, whole) }

    /// Returns true if the part can only be an amount.
    static func isAmount(_ part: UnreadPart) -> Bool {
        has(part.name, amounts, wholeAmounts) && part.value?.utf8.allSatisfy(\.isAmountCharacter) == true
    }

    /// Returns true if a word of `inside` stands anywhere among the letters and digits of `name`, or one of `whole` is
    /// all of them, or all between marks and changes from small letters to capitals.
    private static func has(_ name: String, _ inside: WordTable, _ whole: WordTable) -> Bool {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: name.utf8.count) { plain in
            var (start, end) = (0, 0)
            var before: UInt8 = 0
            for byte in name.utf8 {
                let isLetterOrDigit = byte.isASCIILetter || byte.isASCIIDigit
                if !isLetterOrDigit || byte &- 0x41 < 26 && before &- 0x61 < 26 {
                    if whole.contains(plain[start..<end]) { return true }
                    start = end
                }
                if isLetterOrDigit {
                    plain.initializeElement(at: end, to: byte.lowercasedASCII)
                    end += 1
                }
                before = byte
            }
            return whole.contains(plain[start..<end]) || whole.contains(plain[..<end])
                || (0..<end).contains { inside.beginsOne(in: plain[$0..<end]) }
        }
    }
}

/// Words by their first two letters. A look-up needs no hash and no string, and mostly one comparison.
private struct WordTable: Sendable {
    typealias Text = Slice<UnsafeMutableBufferPointer<UInt8>>

    private var words: [[[UInt8]]] = Array(repeating: [], count: 1 << 10)

    /// Creates a table of `words`, each of two letters or more.
    init(_ words: [String]) {
        for word in words { self.words[Self.place(word.utf8)].append(Array(word.utf8)) }
    }

    private static func place(_ text: some Collection<UInt8>) -> Int {
        text.prefix(2).reduce(0) { $0 << 5 | Int($1 & 31) }
    }

    /// Returns true if `text` is one of the words.
    func contains(_ text: Text) -> Bool {
        text.count > 1 && words[Self.place(text)].contains { $0.count == text.count && text.starts(with: $0) }
    }

    /// Returns true if `text` begins with one of the words.
    func beginsOne(in text: Text) -> Bool {
        text.count > 1 && words[Self.place(text)].contains { text.starts(with: $0) }
    }
}

extension UInt8 {
    fileprivate var isAmountCharacter: Bool { isASCIIDigit || ".,eE+".utf8.contains(self) }
}

extension TextPart {
    /// Throws if a web page's `&amp;` or `&#038;` replaces a `&`. The part follows that `&` or a `#`.
    func checkSeparator() throws(StandardDefect) {
        // Most names begin with another letter.
        switch bytes.first {
        case UInt8(ascii: "a"), UInt8(ascii: "A"):
            guard startsIgnoringCase("amp;") else { return }
        case UInt8(ascii: "#"), UInt8(ascii: "0"), UInt8(ascii: "3"), UInt8(ascii: "x"), UInt8(ascii: "X"):
            let entities: [StaticString] = ["#038;", "#38;", "#x26;", "038;", "38;", "x26;"]
            guard entities.contains(where: { startsIgnoringCase($0) }) else { return }
        default: return
        }
        throw defect(
            .malformed, "separator",
            "was copied out of a web page: &amp; must be &; copy the link itself, or replace it")
    }
}
