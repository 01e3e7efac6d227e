public import PaymentCore

/// Recognises the payment standard of a text, and reads the text.
///
/// One look-up in a table finds the standards that a text may belong to, mostly one. Only those read it. A bare text
/// (an address, an account number) is claimed only if its checksum or an equally strong structure is valid.
public struct StandardsReader: InstructionReader {
    private let table: RecognitionTable
    private static let known = RecognitionTable(KnownStandards.all)

    /// Creates a reader of all standards.
    public init() { table = Self.known }

    /// Creates a reader of `standards`.
    public init(_ standards: [any PaymentStandard.Type]) { table = RecognitionTable(standards) }

    /// Returns the recognition of `link`. An Android intent is read as the link for the app that it names.
    ///
    /// - Parameter link: The scanned text.
    public func recognize(_ link: PaymentLink) -> Recognition {
        var hearing = Hearing(link)
        hear(link, &hearing)
        return hearing.recognition()
    }

    /// Returns the standard that was asked about a text of no standard, with the defect. It finds a wrong character in
    /// a bare address.
    ///
    /// - Parameter link: The scanned text.
    /// - Returns: Nil if no standard was asked, or one knows the text.
    public func nearMiss(_ link: PaymentLink) -> (standard: String, StandardDefect)? {
        var hearing = Hearing(link)
        hear(link, &hearing)
        return hearing.isOver ? nil : hearing.nearMiss
    }

    /// Asks about `link`, and about texts that it may be meant as.
    private func hear(_ link: PaymentLink, _ hearing: inout Hearing) {
        hearAsWritten(link, &hearing)
        // Invisible signs are common in pasted texts. People find them only if the defect names them.
        if !hearing.isOver, let missing = MissingScheme(in: link) {
            var address = Hearing(missing.address)
            hearAsWritten(missing.address, &address)
            hearing.nameMissingScheme(of: address)
            if hearing.isOver { return }
        }
        if !hearing.isSound, let hidden = InvisibleSign(in: link), let visible = hidden.link {
            var seen = Hearing(visible)
            hearAsWritten(visible, &seen)
            hearing.name(hidden, without: seen)
        }
    }

    private func hearAsWritten(_ link: PaymentLink, _ hearing: inout Hearing) {
        guard let intent = AndroidIntent(link) else {
            table.look(up: link, &hearing)
            return
        }
        hearing = Hearing(intent.link)
        table.look(up: intent.link, &hearing)
        hearing.place(in: intent)
    }

    /// Returns the common reading of `link`.
    ///
    /// - Parameter link: The scanned text.
    public func read(_ link: PaymentLink) -> InstructionReading {
        switch recognize(link) {
        case .none: return .none
        case .sound(let value):
            var instruction = value.instruction
            // The app that it names is not opened.
            if AndroidIntent.isOne(link) { instruction.warnings.append(.opensNothing) }
            instruction.checkNames()
            return .instruction(instruction)
        case .defective(let standard, var defect):
            defect.intended = KnownStandards.name(of: standard)
            return .defective(standard: standard, defect)
        case .ambiguous(let values): return .ambiguous(values.map(\.instruction))
        }
    }
}

/// The result of recognising a text.
@nonexhaustive
public enum Recognition: Sendable {
    /// Of no known standard.
    case none
    /// A sound text of one standard.
    case sound(Sound)
    /// Clearly meant for the standard `standard`, but not sound.
    case defective(standard: String, StandardDefect)
    /// Sound by several standards. The text does not decide between them.
    case ambiguous([Sound])

    /// The content of a text, with the parts that its standard does not know.
    public struct Sound: Sendable {
        /// The content.
        public let value: any PaymentStandard
        /// The parts of the text that are not in ``value``.
        public let unread: [UnreadPart]

        init(_ value: any PaymentStandard, _ unread: [UnreadPart]) {
            self.value = value
            self.unread = unread
        }

        /// The short name of the standard.
        public var standard: String { value.standard }

        /// The content by the standard's own names, with the ``unread`` parts as the member `unread`.
        public var fields: InstructionFields { instruction.fields }

        /// The content in the reading common to all standards.
        public var instruction: PaymentInstruction { value.instruction(leaving: unread) }
    }
}

/// The results of the standards that have read a text.
struct Hearing: ~Copyable {
    /// A defect of the text that a standard found.
    private struct Finding {
        let standard: String
        var defect: StandardDefect

        mutating func place(in intent: AndroidIntent) { defect.offset = intent.place(of: defect.offset) }
    }

    private let link: PaymentLink
    /// The text that all standards read.
    private let whole: TextPart
    private var sounds: [Recognition.Sound] = []
    private var finding: Finding?
    /// The defect of the first standard that finds the text foreign.
    private var nearest: Finding?
    /// The first standard that was asked. It is mostly the only one, so the list holds only the others.
    private var asked: (any PaymentStandard.Type)?
    private var alsoAsked: [any PaymentStandard.Type] = []

    /// Creates a hearing before any standard has read `link`.
    init(_ link: PaymentLink) {
        self.link = link
        whole = TextPart(link)
    }

    /// True if a standard knows the text. No further level is asked.
    var isOver: Bool { !sounds.isEmpty || finding != nil }

    /// True if a standard finds the text sound.
    var isSound: Bool { !sounds.isEmpty && !isSecret }

    /// True if a standard found a private key.
    private var isSecret: Bool { finding?.defect.kind == .secret }

    /// The defect of the first standard that finds the text foreign.
    var nearMiss: (standard: String, StandardDefect)? { nearest.map { ($0.standard, $0.defect) } }

    /// Makes `hidden` the text's defect if a standard knows the text without it.
    ///
    /// - Parameter seen: The hearing of the text without such signs.
    mutating func name(_ hidden: InvisibleSign, without seen: borrowing Hearing) {
        guard !isSecret, seen.isSound || !isOver && seen.isOver else { return }
        let standard = seen.sounds.first?.standard ?? seen.finding?.standard ?? ""
        var error = hidden.defect
        error.holdsSecret =
            seen.sounds.first?.value.instruction.holdsSecret ?? false || seen.finding?.defect.holdsSecret ?? false
        finding = Finding(standard: standard, defect: error)
    }

    /// Makes the missing scheme the defect of an address with parameters. `address` is the hearing of the address
    /// alone.
    mutating func nameMissingScheme(of address: borrowing Hearing) {
        guard let standard = address.sounds.first?.standard, let error = MissingScheme.defect(standard) else { return }
        finding = Finding(standard: standard, defect: error)
    }

    /// Moves defects of the link inside `intent` to their places in the intent.
    mutating func place(in intent: AndroidIntent) {
        finding?.place(in: intent)
        nearest?.place(in: intent)
    }

    /// Asks `standard` unless it has already been asked: several of its patterns may match.
    mutating func ask(_ standard: any PaymentStandard.Type) {
        // A private key stays a private key, whatever other standards report.
        if isSecret { return }
        if asked == nil {
            asked = standard
        } else {
            guard asked != standard, !alsoAsked.contains(where: { $0 == standard }) else { return }
            alsoAsked.append(standard)
        }
        do throws(StandardDefect) {
            sounds.append(try PaymentText(link, whole).read(by: standard))
        } catch {
            var error = error
            if standard.isSecret { error.holdsSecret = true }
            let new = Finding(standard: standard.id, defect: error)
            switch error.kind {
            case .foreign: nearest = nearest ?? new
            case .secret: finding = new
            default: finding = finding ?? new
            }
        }
    }

    mutating func ask(_ standards: [any PaymentStandard.Type]) {
        for standard in standards { ask(standard) }
    }

    /// Asks each of `standards` without recording a near miss. They read every text that no other standard claims, so a
    /// text that is foreign to them is no near miss.
    mutating func askInPassing(_ standards: [any PaymentStandard.Type]) {
        let before = nearest
        ask(standards)
        nearest = before
    }

    consuming func recognition() -> Recognition {
        if let finding, !isSound { return .defective(standard: finding.standard, finding.defect) }
        guard sounds.count < 2, let sound = sounds.popLast() else { return sounds.isEmpty ? .none : .ambiguous(sounds) }
        return .sound(sound)
    }
}

/// The form of links that Android's browsers pass to apps: `intent://pay?pa=…#Intent;scheme=upi;package=…;end`.
///
/// The intent is read as the link that the app would receive, `upi://pay?pa=…`. Its app and fallback page are ignored:
/// the author of the text chose them. Source: Chrome for Android, "Android Intents with Chrome".
struct AndroidIntent: Sendable {
    /// The link inside.
    let link: PaymentLink
    /// The place of the link's scheme in the intent.
    private let schemeOffset: Int
    private let schemeLength: Int

    private static let scheme = "intent"

    /// Returns true if `link` begins like an intent.
    static func isOne(_ link: borrowing PaymentLink) -> Bool {
        link.form != .text && Int(link.layout.schemeEnd) == scheme.utf8.count && link.scheme == scheme[...]
    }

    /// Creates a value by taking the link out of `intent`; nil if it is not an intent or names no scheme.
    init?(_ intent: borrowing PaymentLink) {
        guard Self.isOne(intent) else { return nil }
        var text = PaymentText(copy intent)
        guard let fragment = text.fragment(), fragment.starts(with: "Intent;") else { return nil }
        let words = fragment.split(at: ";")
        let names = words.filter { $0.starts(with: "scheme=") }
        guard words.last?.equals("end") == true, let word = names.first, names.count == 1 else { return nil }
        let scheme = word.dropFirst("scheme=".utf8.count)
        // The host's letter case may matter in the link inside.
        let written = Array((intent.spelling ?? intent.text).utf8)
        let body = written[Self.scheme.utf8.count..<(fragment.offset - 1)]
        guard let link = try? PaymentLink(scheme.text + String(decoding: body, as: UTF8.self)), link.form != .text,
            !Self.isOne(link)
        else { return nil }
        self.link = link
        schemeOffset = scheme.offset
        schemeLength = scheme.count
    }

    /// Returns the place in the intent of `offset` in the link inside.
    func place(of offset: Int) -> Int {
        offset < schemeLength ? schemeOffset + offset : offset - schemeLength + Self.scheme.utf8.count
    }
}

/// A bare address with parameters whose scheme is missing: `bc1…?amount=0.1`.
struct MissingScheme {
    /// The address alone.
    let address: PaymentLink

    private static let schemes = [
        BitcoinAddress.id: "bitcoin", "litecoin-address": "litecoin", "dogecoin-address": "dogecoin",
        "dash-address": "dash", "tron-address": "tron", "tezos-address": "tezos", "zcash-address": "zcash",
        "cashaddr": "bitcoincash", ERC55.id: "ethereum", Monero.id: "monero", Nano.id: "nano",
    ]

    /// Takes the address out of `link`; nil for a link of another form.
    init?(in link: PaymentLink) {
        guard link.form == .text, let mark = link.text.utf8.firstIndex(where: { "?&".utf8.contains($0) }),
            link.text.utf8[mark...].contains(UInt8(ascii: "=")), !link.text.utf8.contains(UInt8(ascii: " ")),
            let address = try? PaymentLink(String(link.text[..<mark])), address.form == .text
        else { return nil }
        self.address = address
    }

    /// Returns the defect of a text whose address is of `standard`; nil for other standards.
    static func defect(_ standard: String) -> StandardDefect? {
        schemes[standard].map {
            StandardDefect(
                .missing, "scheme", at: 0,
                "is missing: \($0): must stand before an address with parameters; write it there")
        }
    }
}

/// The first invisible sign of a plain text: a byte order mark, a zero-width space, a change of direction.
struct InvisibleSign {
    private let scalar: Unicode.Scalar
    private let offset: Int
    /// The text without all such signs; nil if nothing acceptable is left.
    let link: PaymentLink?

    /// Finds the first one in `link`; nil if there is none. Other spaces are visible by their width.
    init?(in link: PaymentLink) {
        guard link.form == .text, link.text.utf8.contains(where: { $0 >= 0x80 }) else { return nil }
        let isHidden = { (scalar: Unicode.Scalar) in scalar.isInvisible && !scalar.properties.isWhitespace }
        let scalars = link.text.unicodeScalars
        guard let index = scalars.firstIndex(where: isHidden) else { return nil }
        scalar = scalars[index]
        offset = scalars[..<index].reduce(0) { $0 + UTF8.width($1) }
        self.link = try? PaymentLink(String(String.UnicodeScalarView(scalars.filter { !isHidden($0) })))
    }

    var defect: StandardDefect {
        StandardDefect(
            .malformed, "character", at: offset,
            "the invisible character \(scalar.codePoint) does not belong here; remove it, or copy the text without it")
    }
}

/// A check for names that look like another: `Аlice` with a Cyrillic А, `xn--pypal-4ve.example`.
enum NameLetters {
    /// Returns true if a word of `text` mixes Latin letters with Greek or Cyrillic ones, or is an internationalised
    /// label of a host. Also returns true if an invisible sign turns the text's direction, or stands where no script
    /// needs one. A name in one script is not deceptive.
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
    /// Warns of names with letters that look like others.
    mutating func checkNames() {
        let names = [payee?.name, payee?.account].compactMap(\.self)
        if names.contains(where: NameLetters.mayDeceive) { warnings.append(.homographName) }
    }
}
