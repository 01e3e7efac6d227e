import PaymentCore
import PaymentTesting

/// Checks every statement against the money, at once and again at the end: a statement that was true when it was made
/// may concern a request that is still in flight.
actor Oracle {
    let markets: Markets
    let witness: Witness
    /// Payments with circumstances that other promises cover.
    let circumstances: Circumstances
    private var words: [Statement] = []
    private var found: [Breach] = []
    private var texts: Set<String> = []

    init(_ markets: Markets, _ witness: Witness, _ circumstances: Circumstances) {
        self.markets = markets
        self.witness = witness
        self.circumstances = circumstances
    }

    /// Records a statement.
    func hear(_ word: Statement) async {
        words.append(word)
        await check(word, isEnd: false)
    }

    /// The number of recorded statements.
    var count: Int { words.count }

    /// Checks every statement again.
    ///
    /// - Returns: all findings, in order.
    func finish() async -> [Breach] {
        for word in words {
            await check(word, isEnd: true)
            await checkFinality(of: word)
        }
        return found
    }

    /// - Parameter isRemembered: true if only records could have prevented it: it is not a breach if they were lost.
    func breach(
        _ payment: PaymentReference?, _ text: String, _ promise: Promise? = nil, isRemembered: Bool = false
    ) {
        if isRemembered, witness.hasLostRecords(of: payment) { return }
        // A breach that was found at once is not reported again at the end.
        guard texts.insert(text).inserted else { return }
        found.append(Breach(promise: promise ?? circumstances.promise(about: payment, witness), text: text))
    }

    // MARK: Checking

    private func check(_ word: Statement, isEnd: Bool) async {
        switch word.subject {
        case .payment(let payment): await check(word, payment)
        case .attempt(let attempt) where attempt.refund != nil: await checkRefund(word, attempt.refund, isEnd: isEnd)
        case .attempt(let attempt) where attempt.capture != nil: await checkCapture(word, attempt.capture, isEnd: isEnd)
        case .attempt(let attempt) where attempt.reference.cancelledPayment != nil:
            await checkCancellation(word, markets.identity(of: attempt.reference))
        case .attempt(let attempt): await check(word, attempt)
        }
    }

    private func check(_ word: Statement, _ payment: PaymentReference) async {
        await checkSignatures(against: word, payment)
        if let receipt = word.receipt { return await check(receipt, word, payment) }
        if word.saysPaidElsewhere { return await checkElsewhere(word, payment) }
        if word.saysRefunded { return await checkRefunded(word, payment) }
        var accused: [Witness.Known] = []
        if word.isFinalNegative, !markets.isPayee(payment) {
            // The answer to a request states what it has found or done. Another request may begin before the answer is
            // heard.
            let own = word.name == nil ? [] : witness.acts(for: payment).filter { $0.call == word.begun }
            let end = word.earliest ?? (word.name == nil ? word.told : word.begun)
            accused = witness.attempts(at: payment).filter { known in
                (known.begun < end || own.contains { $0.attempt == known.attempt.id })
                    && (word.doer == nil || word.doer?.device == known.device)
            }
        } else if case .notBegun = word.content {
            // An attempt that had begun here before the question, and is not over, contradicts it.
            accused = witness.attempts(at: payment).filter { known in
                known.attempt.reference == word.name && known.begun < word.begun
                    && (word.doer == nil || word.doer?.device == known.device)
            }
        } else if word.isFinalNegative || word.deniesEffect {
            // Nothing that this very call did may have moved money.
            let acts = witness.acts(for: payment).filter { $0.call == word.begun }
            accused = acts.compactMap(\.attempt).compactMap { witness.known($0) }
        }
        for known in accused where await hasMoved(known.attempt) {
            // A merchant's server knows the service: coins that a wallet of another machine has sent are not seen
            // there.
            if let server = word.merchant, known.device != server, await !markets.wasCaptured(known.attempt) {
                continue
            }
            // A bare query is answered with the service's status, whatever the journal has; a message asks it.
            if word.call == "status" || word.call == "notification" {
                breach(
                    payment, "\(payment.id): \(word.description), but money moved by \(known.attempt.id)", .questions,
                    isRemembered: true)
                continue
            }
            let hasLeft = !word.deniesEffect || hasLeft(known.attempt, in: word)
            breach(
                payment, "\(payment.id): \(word.description), but money moved by \(known.attempt.id)",
                hasLeft ? nil : .abandonment, isRemembered: true)
        }
    }

    private func check(_ word: Statement, _ attempt: PaymentAttempt) async {
        let payment = markets.identity(of: attempt.reference)
        await checkSignatures(against: word, payment)
        if let receipt = word.receipt { return await check(receipt, word, payment) }
        // A transfer that left later, from another caller, is not denied.
        let isDenied = word.deniesEffect && hasLeft(attempt, in: word)
        guard word.isFinalNegative || isDenied, await hasMoved(attempt) else { return }
        breach(
            payment, "\(payment.id): \(word.description), but money moved by \(attempt.id)", isRemembered: true)
    }

    /// A `paidElsewhere` statement must concern a paid payment.
    private func checkElsewhere(_ word: Statement, _ payment: PaymentReference) async {
        guard await !markets.isPaid(payment) else { return }
        breach(payment, "\(payment.id): \(word.description), but it is not paid")
    }

    /// A payment that is stated to be refunded was refunded.
    private func checkRefunded(_ word: Statement, _ payment: PaymentReference) async {
        guard await markets[payment.provider]?.givenBack(of: payment).isEmpty ?? true else { return }
        breach(payment, "\(payment.id): \(word.description), but nothing was refunded")
    }

    /// A cancellation that is stated to be done leaves nothing paid.
    private func checkCancellation(_ word: Statement, _ payment: PaymentReference) async {
        guard word.receipt != nil, await markets.isPaid(payment) else { return }
        breach(payment, "\(payment.id): \(word.description), but it is paid")
    }

    /// A merchant that heard of refunds over all of a payment does not hear any more that it is paid.
    private func checkReturned(_ receipt: PaymentReceipt, _ word: Statement, _ payment: PaymentReference) {
        // Messages do not state how much it was: an attempt does.
        let agreed = witness.attempts(at: payment).last?.attempt.option.amount
        guard let merchant = word.merchant, let paid = (receipt.amount ?? agreed)?.minorUnits else { return }
        var returned: [PaymentReference: UInt128] = [:]
        for earlier in words where earlier.merchant == merchant && earlier.told < word.begun && earlier.receipt != nil {
            guard case .attempt(let attempt) = earlier.subject, let refund = attempt.refund,
                markets.identity(of: refund.payment) == payment
            else { continue }
            returned[refund.reference] = refund.amount.minorUnits
        }
        guard !returned.isEmpty, returned.values.reduce(0, +) >= paid else { return }
        breach(
            payment, "\(payment.id): \(word.description), but all of it was refunded from here before",
            isRemembered: true)
    }

    private func hasLeft(_ attempt: PaymentAttempt, in word: Statement) -> Bool {
        witness.acts(by: attempt.id).contains { $0.hasLeft && $0.moment < word.told }
    }

    private func check(_ receipt: PaymentReceipt, _ word: Statement, _ payment: PaymentReference) async {
        guard await markets.isPaid(payment) else {
            return breach(payment, "\(payment.id): \(word.description), but it is not paid")
        }
        checkReturned(receipt, word, payment)
        if markets.identity(of: receipt.reference) != payment {
            breach(payment, "\(payment.id): the receipt of \(word.call) is for \(receipt.reference.id)")
        }
        if let untruth = await markets.untruth(in: receipt, of: payment) {
            breach(payment, "\(payment.id): the receipt of \(word.call) \(untruth)")
        }
    }

    private func checkRefund(_ word: Statement, _ refund: RefundRequest?, isEnd: Bool) async {
        guard let refund, let market = markets[refund.payment.provider] else { return }
        let count = await market.givenBack(refund)
        if word.receipt != nil, count == 0 {
            breach(nil, "\(refund.id): \(word.description), but nothing was given back")
        }
        // A refused refund may be requested again.
        if word.isFinalNegative, count > 0, !isEnd {
            breach(nil, "\(refund.id): \(word.description), but it was given back")
        }
    }

    private func checkCapture(_ word: Statement, _ capture: CaptureRequest?, isEnd: Bool) async {
        guard let capture, let market = markets[capture.payment.provider] else { return }
        let name = "\(capture.amount) of \(capture.payment.id)"
        let isDone = await market.collections(of: capture.payment).contains(capture.amount.minorUnits)
        if let receipt = word.receipt, !isDone || receipt.amount != capture.amount {
            breach(capture.payment, "\(name): \(word.description), but it was not captured")
        }
        // A refused capture may be requested again.
        if word.isFinalNegative, isDone, !isEnd {
            breach(capture.payment, "\(name): \(word.description), but it was captured")
        }
    }

    /// A payment that a statement called final must not be paid afterwards.
    private func checkFinality(of word: Statement) async {
        guard case .payment(let payment) = word.subject, word.isFinalNegative else { return }
        for known in witness.attempts(at: payment) where known.begun > word.told {
            guard await hasMoved(known.attempt) else { continue }
            let isRepayable = markets[payment.provider]?.canBePaidAfterRefusal ?? false
            if case .outcome(.declined(let reason)) = word.content {
                // A refusal of the payer concerns these accounts, and the present; a person's decision, what was begun.
                if isRepayable || [.compliance, .decided].contains(reason.code) { continue }
            }
            breach(
                payment, "\(payment.id): \(word.description), but it was paid later", .finality, isRemembered: true)
        }
    }

    /// True if money moved by an attempt and was not returned.
    func hasMoved(_ attempt: PaymentAttempt) async -> Bool {
        if witness.hasBroadcast(attempt.id) { return true }
        // Until a settler has refused, all attempts at a payment have one name there.
        if markets.isSettledByPayer(attempt.reference), !witness.wasSettled(attempt.id) { return false }
        return await markets.wasCaptured(attempt)
    }
}

/// The circumstances of a history or a payment, which decide the promise that a breach concerns.
struct Circumstances: Sendable {
    /// True if an upgrade renamed steps.
    let isUpgraded: Bool
    /// True if processes have wrong clocks.
    let hasWrongClocks: Bool
    /// True if copies of requests are refused.
    let hasRefusedCopies: Bool
    /// True if the limits for payments without a question count bitcoin.
    var countsCoins = false

    func promise(about payment: PaymentReference?, _ witness: Witness) -> Promise {
        if let payment, witness.hasLostRecords(of: payment) { return .restored }
        if let payment, witness.isRenamed(payment) { return .spellings }
        if isUpgraded { return .renamedSteps }
        if let payment {
            if witness.acts(for: payment).contains(where: { $0.transfer != nil }) { return .walletActs }
            if hasRefusedCopies { return .refusedCopies }
        }
        return hasWrongClocks ? .clocks : .money
    }
}
