import PaymentCore

/// The results of the standards that have read a text. Mostly it is one, so lists are used only from the second on.
struct Hearing {
    private let link: PaymentLink
    /// The intent that contained ``link``.
    private let intent: AndroidIntent?
    private var sound: Recognition.Sound?
    private var alsoSound: [Recognition.Sound] = []
    private var defect: (standard: String, StandardDefect)?
    /// The defect of the first standard for which the text is foreign.
    private(set) var nearMiss: (standard: String, StandardDefect)?
    private var asked: (any PaymentStandard.Type)?
    private var alsoAsked: [any PaymentStandard.Type] = []

    /// Creates a hearing before any standard has read `link`, which may have been taken out of `intent`.
    init(_ link: PaymentLink, within intent: AndroidIntent? = nil) {
        self.link = link
        self.intent = intent
    }

    /// True if a standard knows the text, so that no further level is asked.
    var isOver: Bool { sound != nil || defect != nil }

    /// True if a standard finds the text sound.
    var isSound: Bool { sound != nil && defect?.1.kind != .secret }

    /// Returns the hearing of a text with `hidden`, which is the text's defect where a standard would know the text
    /// without it.
    ///
    /// - Parameter seen: The hearing of the text without such signs.
    func naming(_ hidden: InvisibleSign, without seen: Hearing) -> Hearing {
        guard defect?.1.kind != .secret, seen.isSound || !isOver && seen.isOver else { return self }
        var named = self
        let standard = seen.sound?.standard ?? seen.defect?.standard ?? ""
        var error = hidden.defect
        error.holdsSecret =
            seen.sound?.value.instruction.holdsSecret ?? false || seen.defect?.1.holdsSecret ?? false
        named.defect = (standard, error)
        return named
    }

    /// Returns the hearing of an address with parameters, where `address` is that of the address alone.
    func missingScheme(of address: Hearing) -> Hearing {
        guard let standard = address.sound?.standard, let error = MissingScheme.defect(standard) else { return self }
        var named = self
        named.defect = (standard, error)
        return named
    }

    /// Asks `standard`, unless it was asked already: several of its patterns may match.
    mutating func ask(_ standard: any PaymentStandard.Type) {
        // A private key stays a private key, whatever other standards report.
        if defect?.1.kind == .secret { return }
        if asked == nil {
            asked = standard
        } else {
            guard asked != standard, !alsoAsked.contains(where: { $0 == standard }) else { return }
            alsoAsked.append(standard)
        }
        do throws(StandardDefect) {
            let (value, unread) = try PaymentText.read(link, by: standard)
            let reading = Recognition.Sound(value, unread)
            if sound == nil { sound = reading } else { alsoSound.append(reading) }
        } catch {
            var error = intent?.placed(error) ?? error
            if standard.isSecret { error.holdsSecret = true }
            switch error.kind {
            case .foreign: nearMiss = nearMiss ?? (standard.id, error)
            case .secret: defect = (standard.id, error)
            default: defect = defect ?? (standard.id, error)
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
        let before = nearMiss
        ask(standards)
        nearMiss = before
    }

    /// The result.
    var recognition: Recognition {
        if let defect, sound == nil || defect.1.kind == .secret {
            return .defective(standard: defect.standard, defect.1)
        }
        guard let sound else { return .none }
        return alsoSound.isEmpty ? .sound(sound) : .ambiguous([sound] + alsoSound)
    }
}
