import PaymentCore
import WalletConnectPayProvider

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The actions that left a client, and what the wallet can still do with them.
///
/// Every list leaves the client through this value. While the wallet can pay with one, no other list of that payment
/// does, and no result of the payment is stated as if nothing had been sent.
///
/// Only the service resolves a short link, so a payment may have two ids here. Two payments count as one if one of the
/// ids is such a link and their times do not differ.
struct HandedOut: Sendable {
    /// The power of a list.
    enum Reach: Sendable, Hashable {
        /// The wallet itself sends the money.
        case transfer
        /// Signatures. The last one to expire pays until this date.
        case signatures(until: Date)

        /// Returns true if the wallet, or the holder of its signature, may still pay at `now`.
        func isLive(_ now: Date) -> Bool {
            switch self {
            case .transfer: true
            case .signatures(let end): now < end
            }
        }
    }

    /// One list.
    struct List: Sendable {
        /// The option as the payer saw it; nil if this client did not list it.
        let option: OptionBody?
        let optionID: String
        let calls: [JSONValue]
        let review: SigningReview?
        let reach: Reach
        /// True once the application passed the wallet's results.
        var isConfirmed = false
        /// The hash that the wallet returned, if it has the form of one.
        var transaction: String?

        /// Returns the position of this list's option among `options`: by its id, or as the same amount of the same
        /// account, since a service may draw the ids of options again.
        func index(in options: [OptionBody]) -> Int? {
            options.firstIndex { $0.id == optionID }
                ?? options.firstIndex {
                    option?.account == $0.account && option?.amount.unit == $0.amount.unit
                        && option?.amount.value == $0.amount.value
                }
        }
    }

    private struct Payment {
        var lists: [List] = []
        /// The end of the payment's time: Unix seconds; nil if it is not known.
        var expiresAt: Int64?
        var isPaid = false

        func live(_ now: Date) -> [List] { lists.filter { $0.reach.isLive(now) } }
    }

    /// The number of payments beyond which those that are neither paid nor have a live list are dropped.
    static let capacity = 256

    private var payments: [String: Payment] = [:]

    /// Returns the live lists of payments that may be `id` under another link.
    private func liveElsewhere(_ id: String, until end: Int64?, _ now: Date) -> [List] {
        payments.filter { other, payment in
            let isUnresolved = !PaymentID.isWellFormed(other) || !PaymentID.isWellFormed(id)
            return other != id && isUnresolved && !payment.isPaid
                && (end == nil || payment.expiresAt == nil || end == payment.expiresAt)
        }.values.flatMap { $0.live(now) }
    }

    // MARK: Handing out

    /// Returns the list of `option` that may be handed out again; nil if there is none yet.
    ///
    /// - Parameter end: the end of the payment's time; nil if it is not known.
    /// - Throws: ``GatewayError/invalidRequest(_:)`` while another list can pay, once coins were confirmed, and once
    ///   the payment is paid.
    func list(of option: String, of id: String, until end: Int64?, now: Date) throws(GatewayError) -> List? {
        guard payments[id]?.isPaid != true else { throw .invalidRequest("the payment is paid") }
        let live = payments[id]?.live(now) ?? []
        guard let list = live.first else {
            guard liveElsewhere(id, until: end, now).isEmpty else {
                throw .invalidRequest("actions were handed out for what may be this payment under another link")
            }
            return nil
        }
        guard live.count == 1, list.optionID == option, !list.calls.isEmpty else {
            throw .invalidRequest("actions of another option were handed out for this payment")
        }
        guard !list.isConfirmed || list.reach != .transfer else {
            throw .invalidRequest("the wallet has sent the coins of this payment")
        }
        return list
    }

    /// Records that a list leaves the client, and returns the one to hand out: the earlier one if there is one.
    ///
    /// - Throws: as ``list(of:of:until:now:)``.
    mutating func handOut(
        _ list: List, of id: String, until end: Int64?, now: Date
    ) throws(GatewayError) -> List {
        if let earlier = try self.list(of: list.optionID, of: id, until: end, now: now) { return earlier }
        var payment = payments[id] ?? Payment()
        payment.lists.append(list)
        payment.expiresAt = end ?? payment.expiresAt
        payments[id] = payment
        drop(now)
        return list
    }

    /// Returns the options to show for `options`: the one of the live list unchanged.
    func shown(_ options: [OptionBody], of id: String, now: Date) -> [OptionBody] {
        guard let list = payments[id]?.live(now).first, let option = list.option, let index = list.index(in: options)
        else { return options }
        var shown = options
        shown[index] = option
        return shown
    }

    /// Returns the calls to show as a preview of `option`; nil if nothing was handed out and any may be shown.
    func preview(of option: String, of id: String, until end: Int64?, now: Date) -> [JSONValue]? {
        do throws(GatewayError) { return try list(of: option, of: id, until: end, now: now)?.calls } catch { return [] }
    }

    /// Returns the review of the latest list of an option.
    func review(of option: String, of id: String) -> SigningReview? {
        payments[id]?.lists.last { $0.optionID == option }?.review
    }

    // MARK: Results

    /// Records that the application passes the wallet's results for an option.
    ///
    /// - Parameter preview: the list of that option, if only its preview was shown.
    mutating func confirm(_ option: String, of id: String, results: [String], preview: List?, now: Date) {
        let hash = results.count == 1 ? results.first.flatMap { Self.isHash($0) ? $0 : nil } : nil
        var payment = payments[id] ?? Payment()
        if !payment.lists.contains(where: { $0.optionID == option }) {
            // Without a list, only the form of the result shows that the wallet sent a transaction.
            guard
                let list = preview
                    ?? hash.map({ _ in List(option: nil, optionID: option, calls: [], review: nil, reach: .transfer) })
            else { return }
            payment.lists.append(list)
        }
        for index in payment.lists.indices where payment.lists[index].optionID == option {
            payment.lists[index].isConfirmed = true
            payment.lists[index].transaction = hash ?? payment.lists[index].transaction
        }
        payments[id] = payment
        drop(now)
    }

    /// Records that the service reports the payment as paid.
    mutating func pay(_ id: String) { payments[id]?.isPaid = true }

    /// Withdraws the lists of a payment that the wallet did not act on.
    ///
    /// - Throws: ``GatewayError/invalidRequest(_:)`` if the application has passed results of one.
    mutating func withdraw(_ id: String, now: Date) throws(GatewayError) {
        guard let payment = payments[id] else { return }
        guard !payment.live(now).contains(where: \.isConfirmed) else {
            throw .invalidRequest("results of the wallet were confirmed for this payment")
        }
        payments[id]?.lists.removeAll()
    }

    /// Returns the warning about a payment that is not known to be paid; nil if nothing can pay it.
    func warning(of id: String, until end: Int64?, now: Date) -> Warning? {
        guard payments[id]?.isPaid != true else { return nil }
        let live = (payments[id]?.live(now) ?? []) + liveElsewhere(id, until: end, now)
        if let list = live.first(where: { $0.reach == .transfer }) { return .transfer(list.transaction) }
        let ends = live.compactMap { list -> Date? in
            if case .signatures(let end) = list.reach { end } else { nil }
        }
        return ends.max().map { .signature($0) }
    }

    /// The power of the actions of a payment that is not known to be paid.
    enum Warning: Sendable, Hashable {
        /// The wallet may have sent coins, with this hash if it is known.
        case transfer(String?)
        /// A signature pays until this date.
        case signature(Date)

        /// One human-readable sentence.
        var text: String {
            switch self {
            case .transfer(let hash):
                "the wallet may have sent the coins" + (hash.map { " (transaction \($0))" } ?? "")
                    + ": do not pay this again, and look for their transaction"
            case .signature(let end):
                "a signature that was handed out may pay until \(RFC3339(end).text): do not pay this again before"
            }
        }
    }

    private static func isHash(_ text: String) -> Bool {
        text.hasPrefix("0x") && Hex.decode(text.dropFirst(2))?.count == 32
    }

    private mutating func drop(_ now: Date) {
        guard payments.count > Self.capacity else { return }
        payments = payments.filter { $0.value.isPaid || !$0.value.live(now).isEmpty }
    }
}

extension HandedOut.Reach {
    /// Creates the power of `calls`, as reviewed at `now`. A call that was not reviewed may send money.
    init(_ calls: [JSONValue], _ review: SigningReview, now: Date) {
        let bodies = calls.compactMap { try? $0.decode(WalletCallBody.self) }
        let isTransfer = bodies.contains { OptionActions.isTransfer($0, among: calls.count) }
        guard !isTransfer, !review.warnings.contains(.unreviewed) else {
            self = .transfer
            return
        }
        let ends = bodies.indices.filter { bodies[$0].method != OptionActions.sendTransaction }
            .map { OptionActions.signatureEnd(review, of: $0, now: now) }
        self = .signatures(until: ends.max() ?? now)
    }
}
