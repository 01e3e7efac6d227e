#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// Everything that an attempt has begun and that can move its money, from its entries in their order: requests,
/// transfers by the payer's wallet, orders to its settler, and signatures that requests have handed in.
///
/// A reservation of the attempt's amount is enough for all of them, and stays until none can move money any more.
package struct Authorities: Sendable {
    private struct Step {
        let kind: StepKind
        var isAnswered: Bool
        /// The transaction's id or the settlement's proof.
        var proof: String?
    }

    /// The steps that may have moved money: begun, and not known to have ended without effect.
    private var steps: [String: Step] = [:]
    /// The latest end of the signatures that were made.
    private var latestSignature: Date?
    /// The requests that began after a signature was made, and whose end is not known.
    private var begunWithSignature: Set<String> = []
    /// True if one of them has left, or may have.
    private var haveLeft = false
    /// True if anything that moves money ever began, whatever its end.
    private(set) package var haveBegun = false
    /// True if the payer's settler was asked to pay, and answered that it sent nothing, and never will.
    private(set) package var settlerHasRefused = false

    /// Creates the value of an attempt with these entries.
    package init(_ entries: [JournalEntry] = []) {
        for entry in entries { take(entry.event) }
    }

    /// Takes the next entry.
    package mutating func take(_ event: JournalEntry.Event) {
        switch event {
        case .stepStarted(_, .signature(let end)):
            // A wallet that is asked twice signs twice: the latest end counts.
            latestSignature = max(latestSignature ?? end, end)
        case .stepStarted(let name, let kind) where kind.movesMoney:
            haveBegun = true
            if case .settlement(let name) = kind { settler = name }
            let earlier = steps[name]
            steps[name] = Step(kind: kind, isAnswered: earlier?.isAnswered ?? false, proof: earlier?.proof)
            // If the step begins again, its request of the earlier run may have left.
            if latestSignature != nil, !begunWithSignature.insert(name).inserted { haveLeft = true }
        case .stepFinished(let name, let result):
            steps[name]?.isAnswered = true
            steps[name]?.proof = result.string
        case .stepFailed(let name, _, let wasSent):
            steps[name] = nil
            // A request that did not leave this time does not undo one that left before.
            if begunWithSignature.remove(name) != nil, wasSent { haveLeft = true }
            if name == StepKind.settlementName, wasSent { settlerHasRefused = true }
        // Only a worker that has sent nothing abandons. A person may decide that there was no effect.
        case .abandoned: steps = [:]
        case .outcome(.declined(let reason)) where reason.code == .decided: steps = [:]
        case .stepStarted, .outcome: break
        }
    }

    /// The date until which money may be taken by signatures that requests have handed in; nil while none has.
    package var signaturesEnd: Date? { haveLeft || !begunWithSignature.isEmpty ? latestSignature : nil }

    /// True if money may have moved.
    package var mayHaveMovedMoney: Bool { haveOpenSteps || signaturesEnd != nil }

    /// True if a step may have moved money.
    package var haveOpenSteps: Bool { !steps.isEmpty }

    /// Returns true if the step of this name may have moved money.
    package func isOpen(_ name: String) -> Bool { steps[name] != nil }

    /// True if a step that may have moved money has no stored end at all.
    package var areUnresolved: Bool { steps.values.contains { !$0.isAnswered } }

    /// True if a step that may have moved money ended well: the service took it.
    package var wereAccepted: Bool { steps.values.contains(where: \.isAnswered) }

    /// The proofs of the transfers that the payer's wallet or settler may have sent by itself; nil for each without a
    /// report.
    var transfers: [String?] {
        steps.keys.sorted().compactMap { steps[$0] }.filter(\.kind.movesMoneyUnseen).map(\.proof)
    }

    /// The settler that was asked to pay, by its permanent name; nil if none was.
    package private(set) var settler: String?

    /// True if the settler was asked to pay, and may have.
    package var haveSettlement: Bool {
        steps.values.contains { if case .settlement = $0.kind { true } else { false } }
    }
}
