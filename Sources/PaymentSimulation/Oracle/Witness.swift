import PaymentCore
import PaymentTesting
import Synchronization

/// Sees everything that leaves a device and can move money: requests, and wallets' transfers. It counts moments, which
/// order statements and events.
final class Witness: Sendable {
    /// An attempt that was passed to a provider.
    struct Known: Sendable {
        let attempt: PaymentAttempt
        let device: Int
        /// The moment at which it was first seen.
        let begun: Int
    }

    /// A request that can move money, or a wallet's broadcast.
    struct Act: Sendable {
        let doer: Doer
        /// The number of the call of the router that it comes from.
        let call: Int?
        let attempt: AttemptID?
        let payment: PaymentReference
        let moment: Int
        /// The wallet's transfer; nil for a request.
        let transfer: Chain.Transfer?
        /// True if it did leave, as far as the device can know.
        var hasLeft = true
    }

    private struct State {
        var moment = 0
        var known: [AttemptID: Known] = [:]
        var order: [AttemptID] = []
        var acts: [Act] = []
        var breaches: [String] = []
        /// Payments that a router was called for under another name than their usual one.
        var renamed: Set<PaymentReference> = []
        /// The calls in which the payer was asked to choose.
        var asking: Set<Int> = []
        /// The attempts that a person has ended before anything left for them.
        var ended: Set<AttemptID> = []
        /// The payments of which a device has lost records, and the devices.
        var lost: [PaymentReference: Set<Int>] = [:]
        /// The attempts for which a settler was asked to pay.
        var settling: Set<AttemptID> = []
        /// Every refund that was asked for.
        var refunds: [RefundRequest] = []
        /// Every capture that was asked for.
        var captures: [CaptureRequest] = []
        /// The attempts that were opened without a question.
        var unasked: Set<AttemptID> = []
    }

    private let state = Mutex(State())
    private let identity: @Sendable (PaymentReference) -> PaymentReference
    /// The signatures of the payers' wallets.
    let signatures: Signatures

    /// - Parameters:
    ///   - clock: the world's clock.
    ///   - identity: the one name of a payment.
    init(clock: any PaymentClock, identity: @escaping @Sendable (PaymentReference) -> PaymentReference) {
        signatures = Signatures(clock: clock)
        self.identity = identity
    }

    /// The one name of a payment.
    func name(of payment: PaymentReference) -> PaymentReference { identity(payment) }

    /// The next moment.
    func tick() -> Int {
        state.withLock { state in
            state.moment += 1
            return state.moment
        }
    }

    /// Records an attempt that is passed to a provider.
    func sees(_ attempt: PaymentAttempt) {
        let doer = Acting.doer
        state.withLock { state in
            guard state.known[attempt.id] == nil else { return }
            state.moment += 1
            state.known[attempt.id] = Known(attempt: attempt, device: doer?.device ?? 0, begun: state.moment)
            state.order.append(attempt.id)
        }
    }

    /// Records a request that can move the money of `payment`.
    ///
    /// - Returns: its number.
    func sends(for payment: PaymentReference, by doer: Doer) -> Int {
        let number = add(payment, doer, nil)
        signatures.handIn(at: state.withLock { $0.acts[number].moment })
        return number
    }

    /// Corrects the record: the request of this number has not left.
    func hasNotLeft(_ number: Int) {
        let moment = state.withLock { state in
            state.acts[number].hasLeft = false
            return state.acts[number].moment
        }
        signatures.takeBack(moment)
    }

    /// Records a transfer of a wallet.
    func broadcast(_ transfer: Chain.Transfer) {
        guard let attempt = Acting.attempt, let doer = Acting.doer else {
            return breach("a wallet sent coins outside of any attempt")
        }
        _ = add(identity(attempt.reference), doer, transfer)
    }

    /// Records that the payer's settler is about to pay.
    func settles() {
        guard let attempt = Acting.attempt, let doer = Acting.doer else {
            return breach("a settler was asked outside of any attempt")
        }
        _ = add(identity(attempt.reference), doer, nil)
        settles(for: attempt.id)
    }

    /// Records that a payer pays for an attempt under the name that all attempts at its payment may have.
    func settles(for attempt: AttemptID) { state.withLock { _ = $0.settling.insert(attempt) } }

    /// True if a settler, or a payer in its place, was asked to pay for an attempt.
    func wasSettled(_ attempt: AttemptID) -> Bool { state.withLock { $0.settling.contains(attempt) } }

    /// Records a call by a link under which the payment has another name.
    func renames(_ payment: PaymentReference) { state.withLock { _ = $0.renamed.insert(payment) } }

    /// True if there was a call for the payment under another name.
    func isRenamed(_ payment: PaymentReference) -> Bool { state.withLock { $0.renamed.contains(payment) } }

    /// Records that the payer is asked to choose.
    func asks() {
        guard let call = Acting.call else { return }
        state.withLock { _ = $0.asking.insert(call) }
    }

    /// Records an opened attempt: without a question, unless the payer was asked in the same call.
    func opens(_ attempt: AttemptID) {
        guard let call = Acting.call else { return }
        state.withLock { if !$0.asking.contains(call) { $0.unasked.insert(attempt) } }
    }

    /// Records that a person has ended an attempt before anything left for it.
    func ends(_ attempt: AttemptID) { state.withLock { _ = $0.ended.insert(attempt) } }

    /// Records that a device has lost records of a payment, or all that it had decided.
    func loses(_ payment: PaymentReference, on device: Int) {
        state.withLock { state in
            _ = state.lost[payment, default: []].insert(device)
            state.ended = []
        }
    }

    /// True if a device has lost records of the payment; of any payment where it is nil.
    func hasLostRecords(of payment: PaymentReference?) -> Bool {
        state.withLock { state in payment.map { state.lost[$0] != nil } ?? !state.lost.isEmpty }
    }

    /// Records that a merchant asks for a refund.
    func asks(for refund: RefundRequest) {
        state.withLock { if !$0.refunds.contains(refund) { $0.refunds.append(refund) } }
    }

    /// Records that a merchant asks for a capture.
    func asks(for capture: CaptureRequest) {
        state.withLock { if !$0.captures.contains(capture) { $0.captures.append(capture) } }
    }

    /// Every capture that was asked for, oldest first.
    var captures: [CaptureRequest] { state.withLock { $0.captures } }

    /// Every refund that was asked for, oldest first.
    var refunds: [RefundRequest] { state.withLock { $0.refunds } }

    /// True if an attempt was opened without a question.
    func isUnasked(_ attempt: AttemptID) -> Bool { state.withLock { $0.unasked.contains(attempt) } }

    func breach(_ text: String) { state.withLock { $0.breaches.append(text) } }

    private func add(_ payment: PaymentReference, _ doer: Doer, _ transfer: Chain.Transfer?) -> Int {
        let (attempt, call) = (Acting.attempt?.id, Acting.call)
        return state.withLock { state in
            state.moment += 1
            if let attempt, state.ended.contains(attempt) {
                state.breaches.append("\(attempt): something left after a person had ended it")
            }
            state.acts.append(
                Act(
                    doer: doer, call: call, attempt: attempt, payment: payment, moment: state.moment,
                    transfer: transfer))
            return state.acts.count - 1
        }
    }

    // MARK: Looking back

    var breaches: [String] { state.withLock { $0.breaches } }

    func known(_ attempt: AttemptID) -> Known? { state.withLock { $0.known[attempt] } }

    /// The attempts at a payment, oldest first.
    func attempts(at payment: PaymentReference) -> [Known] {
        state.withLock { state in
            state.order.compactMap { state.known[$0] }.filter { identity($0.attempt.reference) == payment }
        }
    }

    /// The acts for a payment, oldest first.
    func acts(for payment: PaymentReference) -> [Act] {
        state.withLock { $0.acts.filter { $0.payment == payment } }
    }

    /// The transfers of wallets, oldest first.
    var broadcasts: [Act] { state.withLock { $0.acts.filter { $0.transfer != nil } } }

    /// The acts of an attempt, oldest first.
    func acts(by attempt: AttemptID) -> [Act] { state.withLock { $0.acts.filter { $0.attempt == attempt } } }

    /// True if a wallet sent coins for this attempt.
    func hasBroadcast(_ attempt: AttemptID) -> Bool { broadcasts.contains { $0.attempt == attempt } }
}
