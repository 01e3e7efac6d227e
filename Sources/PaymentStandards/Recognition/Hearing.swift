import PaymentCore

/// The results of the standards that have read a text.
struct Hearing: ~Copyable {
    /// A defect of the text, as a standard found it.
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
    /// The defect of the first standard for which the text is foreign.
    private var nearest: Finding?
    /// The first standard that was asked. Mostly it is the only one, so a list is used only from the second on.
    private var asked: (any PaymentStandard.Type)?
    private var alsoAsked: [any PaymentStandard.Type] = []

    /// Creates a hearing before any standard has read `link`.
    init(_ link: PaymentLink) {
        self.link = link
        whole = TextPart(link)
    }

    /// True if a standard knows the text, so that no further level is asked.
    var isOver: Bool { !sounds.isEmpty || finding != nil }

    /// True if a standard finds the text sound.
    var isSound: Bool { !sounds.isEmpty && !isSecret }

    /// True if a standard found a private key.
    private var isSecret: Bool { finding?.defect.kind == .secret }

    /// The defect of the first standard for which the text is foreign.
    var nearMiss: (standard: String, StandardDefect)? { nearest.map { ($0.standard, $0.defect) } }

    /// Makes `hidden` the text's defect where a standard would know the text without it.
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

    /// Makes the missing scheme the defect of an address with parameters, where `address` is the hearing of the address
    /// alone.
    mutating func nameMissingScheme(of address: borrowing Hearing) {
        guard let standard = address.sounds.first?.standard, let error = MissingScheme.defect(standard) else { return }
        finding = Finding(standard: standard, defect: error)
    }

    /// Gives defects of the link inside `intent` their places in the intent.
    mutating func place(in intent: AndroidIntent) {
        finding?.place(in: intent)
        nearest?.place(in: intent)
    }

    /// Asks `standard`, unless it was asked already: several of its patterns may match.
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

    /// Asks each of `standards`.
    mutating func ask(_ standards: [any PaymentStandard.Type]) {
        for standard in standards { ask(standard) }
    }

    /// Asks each of `standards`, which read every text that no other standard claims: that a text is foreign to them
    /// carries no information.
    mutating func askInPassing(_ standards: [any PaymentStandard.Type]) {
        let before = nearest
        ask(standards)
        nearest = before
    }

    /// Returns the result.
    consuming func recognition() -> Recognition {
        if let finding, !isSound { return .defective(standard: finding.standard, finding.defect) }
        guard sounds.count < 2, let sound = sounds.popLast() else { return sounds.isEmpty ? .none : .ambiguous(sounds) }
        return .sound(sound)
    }
}
