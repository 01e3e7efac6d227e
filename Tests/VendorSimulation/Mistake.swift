import BitcoinLaboratory
import PaykitLaboratory
import PaymentCore
import PaymentRouting
package import PaymentSimulation
import PaymentTesting
import SimulatedShop
import WalletConnectPayLaboratory

/// A mistake that is planted from outside, to prove that the simulator finds it.
package struct Mistake: Sendable {
    /// The faulty behaviour.
    package let name: String
    /// Histories with the mistake.
    package let variation: Variation
    /// Words that its breach must contain.
    package let symptom: String
    /// True if the histories up to the first that shows it are too many, or take too long, without the optimizer.
    package var isSlow = false

    /// The first of `seeds` whose history shows the mistake.
    package func found(in seeds: Range<UInt64>) -> UInt64? {
        seeds.first { seed in
            History(seed: seed, variation: variation).run(isTraced: false).breaches.contains { $0.contains(symptom) }
        }
    }

    /// All of them. Money taken twice is the symptom of every mistake that leads to it; the service of these histories
    /// shows a payment that it has taken, so that it is not paid again after an attempt was wrongly abandoned.
    package static let all: [Mistake] =
        [
            Mistake(
                name: "a step is sent before it is journaled", variation: planted { ForgetfulJournal(base: $0) },
                symptom: "captured 2 times", isSlow: true),
            Mistake(
                name: "the key is made anew for a retry",
                variation: keyedOnly(KeyedProvider { _, context in context.random.uuid() }), symptom: "captured 2 times"
            ),
            Mistake(
                name: "status 500 is taken for not processed", variation: trusting500,
                symptom: "was abandoned as without effect, but money was taken"),
            Mistake(
                name: "recovery sends again instead of asking", variation: withoutKeys(.sameKey),
                symptom: "captured 2 times"),
            Mistake(
                name: "the lease is not checked", variation: planted { LeaselessJournal(base: $0) },
                symptom: "captured 2 times"),
            Mistake(
                name: "the start of a mutation is not on the disk when it is sent",
                variation: planted { HastyJournal(base: $0) }, symptom: "captured 2 times", isSlow: true),
            Mistake(
                name: "a negative word is believed after the wallet has sent coins",
                variation: shop { $0.wallet = .mutation(replay: .never) }, symptom: "but money moved"),
            Mistake(
                name: "a signature that was handed in is not money", variation: unsigned(), symptom: "but money moved"),
            Mistake(
                name: "no money has moved before a signature is cashed", variation: unsigned(cashes: false),
                symptom: "is still good"),
            Mistake(
                name: "a payment is signed for again while the first signature is good",
                variation: unsigned(cashes: false), symptom: "handed in a signature beside one"),
            Mistake(
                name: "a refusal frees what a signature could still take", variation: forgiving,
                symptom: "can still be taken"),
            Mistake(
                name: "a payment is joined from inside its own callback", variation: reentrant { _ in },
                symptom: "did not return"),
            Mistake(
                name: "a person's decision is taken and not kept",
                variation: reentrant { variation in
                    variation.hidesReentries = false
                    variation.journal = { base, _ in DeafJournal(base: base) }
                }, symptom: "a person's decision was taken, and is not stored"),
            Mistake(
                name: "a refund is known by its number alone",
                variation: alike { $0.markets = [.shop(knowingByNumber)] },
                symptom: "but nothing was given back", isSlow: true),
            Mistake(
                name: "a notification of another payment's refund is taken for this one's",
                variation: alike { variation in
                    variation.taking = NumberTaking.taking
                    variation.moreRefunds = 1
                    variation.faults = { faults in
                        faults.lostBefore = 0.4
                        faults.diskFull = 0
                        faults.stopped = 0
                    }
                }, symptom: "is written as given back, but is not", isSlow: true),
            Mistake(
                name: "a late message says paid of what was refunded since",
                variation: alike { $0.taking = OldNews(believesPaid: true).taking },
                symptom: "but all of it was refunded from here before", isSlow: true),
            Mistake(
                name: "a late message denies what is paid",
                variation: alike { $0.taking = OldNews(believesPaid: false).taking }, symptom: "but money moved"),
            Mistake(
                name: "a payment is cancelled beside its capture, in one process",
                variation: cancelling { $0.cancelsWithoutJournal = true }, symptom: "was requested beside"),
            Mistake(
                name: "a rate that cannot be had lifts the limits",
                variation: unrated { journal, account in
                    LiftingAccount(base: journal, account: account)
                }, symptom: "beyond the limit"),
            Mistake(
                name: "a refund's number is drawn in the journal", variation: restoring(numberingByAttempt),
                symptom: "was given back, but only", isSlow: true),
            Mistake(
                name: "recovery waits for a wallet that never answers",
                variation: stuck { $0.recoveryBound = .seconds(1_000_000_000) },
                symptom: "recovery did not return"),
            Mistake(
                name: "a quote states the service's report as it is", variation: unjudgedQuotes,
                symptom: "quote said", isSlow: true),
            Mistake(
                name: "two spellings of a link are two payments", variation: shop { $0.foldsSpellings = false },
                symptom: "captured 2 times"),
            Mistake(
                name: "a question that is refused is taken for an answer",
                variation: shop { $0.trustsRefusedQuestions = true }, symptom: "but money moved"),
            Mistake(
                name: "a negative age counts as young", variation: unsuspecting, symptom: "captured 2 times",
                isSlow: true),
            Mistake(
                name: "a late notification ends another attempt", variation: hasty, symptom: "but money moved",
                isSlow: true),
            Mistake(
                name: "a settler knows no payment again", variation: forgetful, symptom: "captured 2 times",
                isSlow: true),
            Mistake(
                name: "a settler says no to a payee and pays all the same", variation: pretending,
                symptom: "but money moved"),
            Mistake(
                name: "the refusal of a copy is taken for one without effect",
                variation: shop { $0.trustsRefusedCopies = true }, symptom: "but money moved"),
            Mistake(
                name: "what may be spent is looked up before it is reserved",
                variation: accounting { HastyAccount(base: $0, account: $1) }, symptom: "beyond the limit",
                isSlow: true),
            Mistake(
                name: "what is reserved is given back while it may be paid",
                variation: accounting {
                    LenientAccount(base: $0, account: $1) { if case .stepStarted = $0 { true } else { false } }
                }, symptom: "beyond the limit"),
            Mistake(
                name: "what is reserved is given back while a wallet may pay it", variation: hastyWallet,
                symptom: "beyond the limit"),
            Mistake(
                name: "what is reserved is never given back",
                variation: accounting { GreedyAccount(base: $0, account: $1) }, symptom: "stays reserved"),
        ] + ShopMistake.allCases.compactMap(fromOutside) + WalletMistake.allCases.map(atWallet)
        + ServeMistake.allCases.map { Mistake(name: $0.rawValue, variation: $0.variation, symptom: $0.symptom) }

    /// The history of a mistake of the payer's own wallet, or of its settler.
    private static func atWallet(_ mistake: WalletMistake) -> Mistake {
        Mistake(
            name: mistake.rawValue, variation: .wallet(BitcoinMarket.maker(mistake)), symptom: mistake.symptom,
            isSlow: [.trustsFailures, .trustsAbsence].contains(mistake))
    }

    /// The history of a mistake with input from outside.
    private static func fromOutside(_ mistake: ShopMistake) -> Mistake? {
        let symptom: String? =
            switch mistake {
            case .believesReturns, .mixesReturns: "but it is not paid"
            case .refundsUnsent, .refundsHopefully: "but nothing was given back"
            case .refundsAnew: "was given back, but only"
            // Services of histories are not dishonest; the conformance kit's are.
            case .refundsUnchecked: nil
            case .capturesUnsent: "but it was not captured"
            case .capturesAnew: "were captured"
            // As above.
            case .capturesUnchecked: nil
            case .cancelsUnasked, .cancelsBlindly: "cancel said cancelled, but"
            case .cancelsAnew: "was cancelled 2 times"
            case .takesForgeries, .trustsTestSecret, .ignoresAge: "a forged notification was taken"
            case .refusesRepetitions: "a genuine notification was refused"
            }
        return symptom.map { symptom in
            var variation = shop { $0.mistakes = [mistake] }
            variation.merchantCalls = 1
            if mistake == .capturesUnsent || mistake == .capturesAnew { variation.captures = 1 }
            // They are repeated after a lost answer.
            if [.refundsAnew, .capturesAnew].contains(mistake) { variation.faults = { $0.lostAfter = 0.3 } }
            // A journal that knows what was paid refuses to refund more than that: one that was put back may not.
            if mistake == .refundsHopefully { variation.restores = 1 }
            if mistake == .refundsAnew || mistake == .refundsHopefully { variation.moreRefunds = 1 }
            return Mistake(name: mistake.rawValue, variation: variation, symptom: symptom)
        }
    }

    /// The variations in which the mistakes are planted: sound without them.
    package static let controls = [
        keyedOnly(), withoutKeys(.never), shop { _ in }, restless, keeping, reentrant { $0.hidesReentries = false },
        alike { _ in }, restoring(), stuck { _ in }, .wallets, cancelling { _ in }, unrated { journal, _ in journal },
        .wallet(BitcoinMarket.maker(losesOrders: true)),
    ]

    /// The first mistake, with a check of every request that leaves.
    package static var uncovered: Variation {
        var variation = Variation()
        variation.journal = { journal, _ in ForgetfulJournal(base: journal) }
        return variation
    }

    /// Payments by a settler that forgets.
    private static var forgetful: Variation {
        var variation = Variation()
        variation.markets = [PaykitMarket.maker(forgets: true)]
        return variation
    }

    /// Payments by a settler that pays although it refuses.
    private static var pretending: Variation {
        var variation = Variation()
        variation.markets = [PaykitMarket.maker(pretends: true)]
        return variation
    }

    /// Payments with signatures that count as answers of the payer, at a gateway that keeps what it refuses.
    private static func unsigned(cashes: Bool = true) -> Variation {
        var variation = Variation()
        variation.markets = [
            WalletConnectPayMarket.maker(share: 1, keeps: 0.5, cashes: cashes) { context in
                context.copy(steps: UncountedSignatures(context: context))
            }
        ]
        return variation
    }

    /// Payments at a gateway that keeps what it refuses, within limits that forget it.
    private static var forgiving: Variation {
        var variation = keeping
        variation.journal = { base, _ in
            guard let account = base as? any SpendingStore else { return base }
            return LenientAccount(base: base, account: account) { if case .stepFailed = $0 { true } else { false } }
        }
        return variation
    }

    /// Payments from the payer's own wallet, within limits that forget what is in flight.
    private static var hastyWallet: Variation {
        var variation = Variation.wallets
        variation.journal = { base, _ in
            guard let account = base as? any SpendingStore else { return base }
            return LenientAccount(base: base, account: account) { if case .stepStarted = $0 { true } else { false } }
        }
        return variation
    }

    private static var knowingByNumber: ShopHabits {
        var habits = ShopHabits()
        habits.knowsRefundsByNumber = true
        return habits
    }

    /// Two merchants' servers at a shop, which number their refunds alike.
    private static func alike(_ change: (inout Variation) -> Void) -> Variation {
        var variation = shop { _ in }
        variation.servers = 1
        variation.merchantCalls = 1
        variation.quotes = 0
        variation.keyChanges = 0
        change(&variation)
        return variation
    }

    /// Merchants who cancel and capture at the same time.
    private static func cancelling(_ change: (inout Variation) -> Void) -> Variation {
        var variation = shop { _ in }
        variation.merchantCalls = 1
        variation.captures = 1
        variation.cancelsBesideCaptures = 1
        change(&variation)
        return variation
    }

    /// Payments in tokens, whose rate cannot be had half of the time.
    private static func unrated(
        _ journal: @escaping @Sendable (any PaymentJournal, any SpendingStore) -> any PaymentJournal
    ) -> Variation {
        var variation = Variation()
        variation.markets = [WalletConnectPayMarket.maker(share: 1)]
        variation.missingRates = 0.5
        variation.journal = { base, _ in (base as? any SpendingStore).map { journal(base, $0) } ?? base }
        return variation
    }

    private static var numberingByAttempt: ShopHabits {
        var habits = ShopHabits()
        habits.numbersRefundsByAttempt = true
        return habits
    }

    /// Journals of a shop's merchant that are restored from older copies.
    private static func restoring(_ habits: ShopHabits = ShopHabits()) -> Variation {
        var variation = shop { $0 = habits }
        variation.restores = 1
        variation.merchantCalls = 1
        return variation
    }

    /// Payers whose wallet or settler never answers for one payment while everything else heals.
    private static func stuck(_ change: (inout Variation) -> Void) -> Variation {
        var variation = Variation()
        variation.stuckPayers = 1
        change(&variation)
        return variation
    }

    /// Applications that call their router from inside callbacks, and a router that does not notice it.
    private static func reentrant(_ change: (inout Variation) -> Void) -> Variation {
        var variation = Variation()
        variation.reentries = 1
        variation.hidesReentries = true
        change(&variation)
        return variation
    }

    /// Payments at a gateway that refuses half of the signatures, and keeps them.
    private static var keeping: Variation {
        var variation = Variation()
        variation.markets = [WalletConnectPayMarket.maker(share: 1, keeps: 0.5)]
        return variation
    }

    /// Coins that the wallet has sent, and quotes that are asked without the journal.
    private static var unjudgedQuotes: Variation {
        var variation = Variation()
        variation.markets = [WalletConnectPayMarket.maker(share: 1)]
        variation.quotesWithoutJournal = true
        return variation
    }

    private static func keyedOnly(_ provider: KeyedProvider = KeyedProvider()) -> Variation {
        var variation = Variation()
        variation.markets = [MarketMaker.keyed(provider)]
        variation.checksDurability = false
        return variation
    }

    /// The service with all input from outside; every promise counts, except abandonment and finality.
    private static func shop(_ mistake: (inout ShopHabits) -> Void) -> Variation {
        var habits = ShopHabits()
        mistake(&habits)
        var variation = Variation()
        variation.markets = [.shop(habits)]
        variation.promises = Set(Promise.allCases).subtracting([.abandonment, .finality])
        // The durable step is recorded under one name of the payment.
        variation.checksDurability = false
        variation.upgrades = 0
        return variation
    }

    private static var unsuspecting: Variation {
        var variation = restless
        variation.journal = { UnsuspectingJournal(base: $0, clock: $1) }
        return variation
    }

    private static var restless: Variation {
        var variation = shop { _ in }
        // Clocks that are years off, lost answers, and long breaks: by then the service has forgotten the key.
        variation.breaks = 0.7
        variation.faults = { faults in
            faults.wrongClock = 0.6
            faults.lostAfter = 0.3
            faults.questionRefused = 0.5
            faults.stopped = 0
        }
        return variation
    }

    private static var hasty: Variation {
        var variation = shop { _ in }
        variation.taking = HastyTaking.taking
        // Nothing beside it, so that it comes to the one attempt that it ends wrongly.
        variation.quotes = 0
        variation.keyChanges = 0
        variation.devices = 0
        variation.gaps = 0
        variation.merchantCalls = 1
        variation.faults = { faults in
            faults.lostAfter = 0.5
            faults.questionRefused = 0
            faults.stopped = 0
        }
        return variation
    }

    private static func planted(
        _ journal: @escaping @Sendable (any PaymentJournal) -> any PaymentJournal
    ) -> Variation {
        var variation = keyedOnly()
        variation.journal = { base, _ in journal(base) }
        return variation
    }

    private static func accounting(
        _ journal: @escaping @Sendable (any PaymentJournal, any SpendingStore) -> any PaymentJournal
    ) -> Variation {
        planted { base in (base as? any SpendingStore).map { journal(base, $0) } ?? base }
    }

    private static var trusting500: Variation {
        var variation = keyedOnly()
        variation.transport = { Trusting500(base: $0) }
        return variation
    }

    /// The service recognises nothing, and the network itself repeats nothing: the client causes every second capture.
    private static func withoutKeys(_ replay: MutationReplay) -> Variation {
        var variation = keyedOnly()
        variation.markets = [MarketMaker.keyed(KeyedProvider(replay: replay), recognizesKeys: false)]
        variation.faults = { faults in
            faults.duplicated = 0
            faults.silentReplay = 0
        }
        return variation
    }
}
