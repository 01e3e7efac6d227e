import PaymentCore

/// What the standards that were asked about a text have said. Mostly it is one, so nothing is kept in lists before
/// there are two.
struct Hearing {
    private let link: PaymentLink
    /// The intent that ``link`` was taken out of.
    private let intent: AndroidIntent?
    private var sound: (any PaymentStandard)?
    private var alsoSound: [any PaymentStandard] = []
    private var defect: (standard: String, StandardDefect)?
    /// What the first one says for whom the text is foreign.
    private(set) var nearMiss: (standard: String, StandardDefect)?
    private var asked: (any PaymentStandard.Type)?
    private var alsoAsked: [any PaymentStandard.Type] = []

    /// Nobody has been asked about `link` yet, which may have been taken out of `intent`.
    init(_ link: PaymentLink, within intent: AndroidIntent? = nil) {
        self.link = link
        self.intent = intent
    }

    /// Whether somebody knows the text, so that no further level is asked.
    var isOver: Bool { sound != nil || defect != nil }

    /// Asks `standard`, unless it has been: several of its patterns may match.
    mutating func ask(_ standard: any PaymentStandard.Type) {
        // A private key is one, whatever others think of it.
        if defect?.1.kind == .secret { return }
        if asked == nil {
            asked = standard
        } else {
            guard asked != standard, !alsoAsked.contains(where: { $0 == standard }) else { return }
            alsoAsked.append(standard)
        }
        do throws(StandardDefect) {
            let value = try standard.init(link)
            if sound == nil { sound = value } else { alsoSound.append(value) }
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

    /// Asks each of `standards`, who are asked about everything that nobody claims: that a text is none of theirs says
    /// nothing about it.
    mutating func askInPassing(_ standards: [any PaymentStandard.Type]) {
        let before = nearMiss
        ask(standards)
        nearMiss = before
    }

    /// What came out.
    var recognition: Recognition {
        if let defect, sound == nil || defect.1.kind == .secret {
            return .defective(standard: defect.standard, defect.1)
        }
        guard let sound else { return .none }
        return alsoSound.isEmpty ? .sound(sound) : .ambiguous([sound] + alsoSound)
    }
}
