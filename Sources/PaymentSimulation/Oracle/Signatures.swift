import PaymentCore
import PaymentRouting
import PaymentTesting
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The payers' signatures that move money, and those that requests have handed in: a service that has received one can
/// take the money until the signature's own deadline, whatever it answered.
final class Signatures: Sendable {
    /// A signature of a wallet.
    struct Signed: Sendable {
        let attempt: PaymentAttempt
        let doer: Doer
        /// The number of the router's call that it was made in.
        let call: Int?
        /// The nonce that it spends: two signatures of one nonce pay once.
        let nonce: String
        /// The deadline that it states, by the world's time.
        let end: Date
        /// The moment at which a request first handed it in.
        var handedIn: Int?
    }

    private let clock: any PaymentClock
    private let signed = Mutex<[Signed]>([])

    /// - Parameter clock: the world's clock.
    init(clock: any PaymentClock) { self.clock = clock }

    /// Records a signature that the wallet makes for the attempt in progress, from the call as the service made it: the
    /// oracle does not rely on the review's reading.
    func note(_ request: SigningRequest) {
        guard let attempt = Acting.attempt, let doer = Acting.doer, let terms = Self.terms(of: request, clock.now)
        else { return }
        let made = Signed(attempt: attempt, doer: doer, call: Acting.call, nonce: terms.nonce, end: terms.end)
        signed.withLock { $0.append(made) }
    }

    /// Records that a request of the attempt in progress hands in what was signed for it.
    func handIn(at moment: Int) {
        guard let attempt = Acting.attempt?.id else { return }
        signed.withLock { signed in
            for index in signed.indices where signed[index].attempt.id == attempt && signed[index].handedIn == nil {
                signed[index].handedIn = moment
            }
        }
    }

    /// Corrects the record: the request of this moment has not left.
    func takeBack(_ moment: Int) {
        signed.withLock { signed in
            for index in signed.indices where signed[index].handedIn == moment { signed[index].handedIn = nil }
        }
    }

    /// The handed-in signatures that are good now, oldest first.
    var live: [Signed] {
        let now = clock.now
        return signed.withLock { $0.filter { $0.handedIn != nil && $0.end > now } }
    }

    /// The nonce and the deadline of a call; nil if nothing is signed that moves money.
    private static func terms(of request: SigningRequest, _ now: Date) -> (nonce: String, end: Date)? {
        switch request.method {
        case "eth_signTypedData_v4":
            guard let text = request.parameters[1]?.string, let data = try? JSONValue(parsing: Array(text.utf8)),
                let message = data["message"], let nonce = message["nonce"]?.string,
                let end = (message["deadline"] ?? message["validBefore"])?.string,
                let seconds = UInt64(end.dropFirst(2), radix: 16)
            else { return nil }
            return (nonce, Date(timeIntervalSince1970: Double(seconds)))
        case "solana_signTransaction":
            // Good for 151 blocks, less than two minutes.
            return (request.parameters.text, now.addingTimeInterval(90))
        default: return nil
        }
    }
}

/// Comparison of what signatures could still take with the payers' limits and with each other.
extension Oracle {
    /// Returns the limits that a payment which was granted without a question exceeds, with all that was paid so before
    /// and all that signatures could still take.
    ///
    /// - Parameter records: the device's account of what is spent.
    func excess(of attempt: PaymentAttempt, _ records: [SpendingRecord]) async -> [String] {
        var found: [String] = []
        for limit in Allowance.limits {
            let sums = await allowance(limit, records, granted: attempt)
            for (first, units) in sums.sorted(by: { $0.key < $1.key }) where units > limit.amount.minorUnits {
                found.append(
                    "\(attempt.id) was granted without a question: with it \(units) is paid or can still be taken by "
                        + "signatures from \(first) on, beyond the limit of \(limit)")
            }
        }
        return found
    }

    /// The amounts of what was paid without a question, and what can still be, in minor units, by the first day of the
    /// period.
    func allowance(
        _ limit: SpendingLimit, _ records: [SpendingRecord], granted: PaymentAttempt? = nil
    ) async -> [SpendingDay: UInt128] {
        let live = Set(witness.signatures.live.map(\.attempt.id))
        var sums: [SpendingDay: UInt128] = [:]
        for record in records where limit.includes(record.spending) && witness.isUnasked(record.spending.attempt) {
            let id = record.spending.attempt
            // The amount is the one that left, whatever the records state.
            guard let attempt = id == granted?.id ? granted : witness.known(id)?.attempt else { continue }
            var counts = id == granted?.id || live.contains(id)
            if !counts { counts = await hasMoved(attempt) }
            guard counts,
                let units = Allowance.units(of: attempt.option.amount, countsCoins: circumstances.countsCoins)
            else { continue }
            sums[record.spending.day.first(of: limit.period), default: 0] += units
        }
        return sums
    }

    /// Checks what a request hands in. Another valid signature for the payment would pay a second time.
    func checkHandedIn(for payment: PaymentReference) async {
        guard let attempt = Acting.attempt?.id, let device = Acting.doer?.device else { return }
        let live = witness.signatures.live.filter {
            markets.identity(of: $0.attempt.reference) == payment && $0.doer.device == device
        }
        guard let own = live.last(where: { $0.attempt.id == attempt }),
            let other = live.first(where: { $0.nonce != own.nonce })
        else { return }
        // A cashed signature is spent.
        guard await !hasMoved(other.attempt) else { return }
        breach(
            payment,
            "\(payment.id): \(attempt) handed in a signature beside one of \(other.attempt.id) that is still good",
            isRemembered: true)
    }

    /// Checks a statement that no money moved: no signature for the payment is good.
    func checkSignatures(against word: Statement, _ payment: PaymentReference) async {
        // A clock that is ahead takes a signature for over: there is no other clock to ask.
        guard !circumstances.hasWrongClocks, word.isFinalNegative || word.deniesEffect else { return }
        for signed in witness.signatures.live where markets.identity(of: signed.attempt.reference) == payment {
            guard word.doer == nil || word.doer?.device == signed.doer.device else { continue }
            // Nor does a merchant's server know what a wallet of another machine has signed.
            if let server = word.merchant, server != signed.doer.device { continue }
            // An error denies only what its own call did.
            guard word.isFinalNegative || signed.call == word.begun else { continue }
            // Paid by another device's attempt, which no record here can distinguish from the one that has signed: the
            // payer is not led to pay again.
            if case .attempt(let attempt) = word.subject, attempt.id != signed.attempt.id, word.saysPaidElsewhere,
                await markets.isPaid(payment)
            {
                continue
            }
            // A cashed signature is spent. It is compared with the statement separately.
            guard await !hasMoved(signed.attempt) else { continue }
            breach(
                payment,
                "\(payment.id): \(word.description), but a signature of \(signed.attempt.id) is still good",
                isRemembered: true)
        }
    }
}
