import PaymentCore

/// All patterns of all standards, compiled. Looking a link up costs the same however many standards there are.
struct RecognitionTable: Sendable {
    typealias Standard = any PaymentStandard.Type

    /// A text's beginning.
    private struct Opening: Sendable {
        let bytes: [UInt8]
        /// Whether the line must end there.
        let isLine: Bool
        let standard: Standard
    }

    /// A scheme's payload, or a bare text's shape.
    private struct Shaped: Sendable {
        let shape: BareShape
        let prefix: [UInt8]
        let standard: Standard

        func matches(_ bytes: ArraySlice<UInt8>, _ alphabet: Alphabet) -> Bool {
            shape.lengths.contains(bytes.count) && alphabet.contains(shape.alphabet)
                && (shape.ignoresCase
                    ? bytes.starts(with: prefix) { $0.lowercasedASCII == $1 } : bytes.starts(with: prefix))
        }
    }

    /// Texts by their first byte, the longest beginning first.
    private var openings: [[Opening]] = Array(repeating: [], count: 256)
    /// Bare texts by their first byte, the longest prefix first.
    private var shapes: [[Shaped]] = Array(repeating: [], count: 256)
    private var schemes: [String: [(payload: [UInt8], standard: Standard)]] = [:]
    private var otherScheme: [Standard] = []
    private var hosts: [String: [Standard]] = [:]
    private var hostSuffixes: [String: [Standard]] = [:]
    private var webParameters: [String: [Standard]] = [:]
    private var webPathSuffixes: [(suffix: [UInt8], standard: Standard)] = []
    private var mailboxes: [Standard] = []

    /// Compiles the patterns of `standards`.
    init(_ standards: [Standard]) {
        for standard in standards {
            for pattern in standard.patterns { add(pattern, standard) }
        }
        for index in openings.indices { openings[index].sort { $0.bytes.count > $1.bytes.count } }
        for index in shapes.indices { shapes[index].sort { $0.prefix.count > $1.prefix.count } }
        for key in schemes.keys { schemes[key]?.sort { $0.payload.count > $1.payload.count } }
    }

    private mutating func add(_ pattern: StandardPattern, _ standard: Standard) {
        switch pattern {
        case .firstLine(let text): addOpening(text, isLine: true, standard)
        case .prefix(let text): addOpening(text, isLine: false, standard)
        case .scheme(let scheme, let payloads):
            for payload in payloads.isEmpty ? [""] : payloads {
                schemes[scheme, default: []].append((payload.utf8.map(\.lowercasedASCII), standard))
            }
        case .otherScheme: otherScheme.append(standard)
        case .host(let host): hosts[host, default: []].append(standard)
        case .hostSuffix(let host): hostSuffixes[host, default: []].append(standard)
        case .webParameter(let name): webParameters[name, default: []].append(standard)
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

    /// Calls `ask` with groups of standards, each a level of the order of recognition, until it returns true.
    func look(up link: PaymentLink, _ ask: ([Standard]) -> Bool) {
        switch link.form {
        case .text: text(link, ask)
        case .web where link.isHTTP: web(link, ask)
        case .web, .opaque: uri(link, ask)
        }
    }

    /// Fixed beginnings, then shapes, then `user@host`.
    private func text(_ link: PaymentLink, _ ask: ([Standard]) -> Bool) {
        let whole = TextPart(link)
        guard let first = whole.bytes.first else { return }
        let opened = openings[Int(first)].filter { opening in
            guard whole.bytes.starts(with: opening.bytes) else { return false }
            let next = whole.bytes.dropFirst(opening.bytes.count).first
            return !opening.isLine || next == nil || next == 0x0A || next == 0x0D
        }
        if let longest = opened.first?.bytes.count {
            if ask(opened.filter { $0.bytes.count == longest }.map(\.standard)) { return }
            let shorter = opened.filter { $0.bytes.count < longest }
            if !shorter.isEmpty, ask(shorter.map(\.standard)) { return }
        }
        let bare = whole.trimmed
        var alphabet = Alphabet(rawValue: .max)
        for byte in bare.bytes {
            alphabet.formIntersection(Alphabet.containing(byte))
            if alphabet.isEmpty { return }
        }
        let shaped = shapes[Int(first)].filter { $0.matches(bare.bytes, alphabet) }
        if !shaped.isEmpty, ask(shaped.map(\.standard)) { return }
        guard !mailboxes.isEmpty, alphabet.contains(.visible) else { return }
        if bare.bytes.reduce(0, { $1 == UInt8(ascii: "@") ? $0 + 1 : $0 }) == 1 { _ = ask(mailboxes) }
    }

    private func uri(_ link: PaymentLink, _ ask: ([Standard]) -> Bool) {
        guard let scheme = link.scheme else { return }
        guard let entries = schemes[String(scheme)] else {
            if !otherScheme.isEmpty { _ = ask(otherScheme) }
            return
        }
        // Most schemes are of one standard.
        guard entries.count > 1 || !entries[0].payload.isEmpty else {
            _ = ask([entries[0].standard])
            return
        }
        let start = link.form == .web ? Int(link.layout.hostStart) : Int(link.layout.schemeEnd) + 1
        let payload = TextPart(link).dropFirst(start).bytes
        let fitting = entries.filter { payload.starts(with: $0.payload) { $0.lowercasedASCII == $1 } }
        var rest = fitting[...]
        while let length = rest.first?.payload.count {
            let group = rest.prefix { $0.payload.count == length }
            if ask(group.map(\.standard)) { return }
            rest = rest[group.endIndex...]
        }
    }

    /// The host decides; only on hosts that nobody names, the query and the path's end.
    private func web(_ link: PaymentLink, _ ask: ([Standard]) -> Bool) {
        guard let host = link.host else { return }
        if link.port == nil {
            if let named = hosts[String(host)] {
                _ = ask(named)
                return
            }
            if !hostSuffixes.isEmpty {
                var rest = host[...]
                while true {
                    if let named = hostSuffixes[String(rest)] {
                        _ = ask(named)
                        return
                    }
                    guard let dot = rest.utf8.firstIndex(of: UInt8(ascii: ".")) else { break }
                    rest = rest[rest.utf8.index(after: dot)...]
                }
            }
        }
        if !webParameters.isEmpty {
            for item in link.queryItems {
                if let named = webParameters[String(item.name)], ask(named) { return }
            }
        }
        let ending = webPathSuffixes.filter {
            link.path.utf8.count > $0.suffix.count && link.path.utf8.suffix($0.suffix.count).elementsEqual($0.suffix)
        }
        if !ending.isEmpty { _ = ask(ending.map(\.standard)) }
    }
}
