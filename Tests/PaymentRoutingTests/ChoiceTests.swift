import Foundation
import PaymentCore
import PaymentRouting
import Synchronization
import TestSupport
import Testing

/// The sources of a choice, and that only the chosen option is paid.
@Suite("The choice")
struct ChoiceTests {
    private let world = World()
    private static let paid = ServiceReport.succeeded(PaymentReceipt(reference: ScriptedProvider.reference))

    // MARK: Ids

    static let unsound: [([String], String)] = [
        (["a", "b", "a"], "'a'"), (["a", "a"], "'a'"), ([""], "without an id"), (["a", ""], "without an id"),
    ]

    @Test("A quote whose options cannot be distinguished is refused before the choice", arguments: unsound)
    func unsoundIDs(ids: [String], word: String) async throws {
        var world = World()
        world.provider.options = ids.map { .euros($0) }
        let asked = Tally()
        let payer = Payer(chooser: { quote in
            asked.count("chooser")
            return quote.options.last?.id
        })
        let error = await #expect(throws: PaymentError.self) { try await world.pay(as: payer) }
        #expect(error?.code == .invalidResponse && error?.phase == .beforeSend)
        #expect(error?.message.contains(word) == true)
        #expect(asked["chooser"] == 0 && world.provider.calls["pay"] == 0)
        #expect(try await world.histories.isEmpty)
    }

    @Test("A quote that the application holds is refused as well when its ids are not unique")
    func unsoundHeldQuote() async throws {
        let router = try world.router
        let route = try #require(router.route(ScriptedProvider.link).route)
        var quote = try await router.quote(route, as: .careless)
        quote.options.append(PaymentMethodOption(id: "card", title: "dearer", amount: .cents(999_999)))
        let held = quote
        let error = await failure { try await router.pay(held, option: "card", as: .careless) }
        #expect(error?.code == .invalidResponse)
        #expect(world.provider.calls["pay"] == 0)
        #expect(try await world.histories.isEmpty)
    }

    // MARK: Policies

    @Test("With neither a chooser nor a policy nothing is taken, and the error says what to give")
    func nobody() async throws {
        let error = await #expect(throws: PaymentError.self) { try await world.pay(as: Payer()) }
        #expect(error?.code == .noChooser && error?.phase == .beforeSend)
        #expect(error?.message.contains("chooser") == true && error?.message.contains("policy") == true)
        #expect(world.provider.calls["pay"] == 0)
        #expect(try await world.histories.isEmpty)
    }

    @Test("What needs no choice needs no chooser")
    func nothingToChoose() async throws {
        var world = World()
        world.provider.quotedOutcome = .expired
        #expect(try await world.pay(as: Payer()) == .expired)
        world.provider.quotedOutcome = nil
        _ = try await world.crashed([.stepStarted(name: "capture", kind: .mutation(replay: .never))])
        #expect(try await world.pay(as: Payer()) == Self.paid, "it was chosen before")
    }

    @Test("An attempt whose option was chosen is resumed without a chooser")
    func resumed() async throws {
        let id = try await world.crashed([])
        #expect(try await world.router.resume(id, as: Payer()) == Self.paid)
    }

    /// A token with any amount that a service states.
    private static func token(_ units: UInt128, exponent: UInt8 = 6, name: String = "aa") throws -> Money {
        let asset = "caip19/eip155:1/erc20:0x" + String(repeating: name, count: 20)
        return try Money(minorUnits: units, currency: Currency(unit: asset), exponent: exponent)
    }

    @Test("A policy takes the first option within its limits, and says why it takes none")
    func limits() async throws {
        let dear = PaymentMethodOption(id: "dear", title: "", amount: .cents(1001))
        let fits = PaymentMethodOption(id: "fits", title: "", amount: .cents(1000))
        let dollars = PaymentMethodOption(id: "dollars", title: "", amount: .cents(1, .usd))
        let page = PaymentMethodOption(id: "page", title: "", amount: .cents(1), needs: [.page])
        let estimate = PaymentMethodOption(id: "estimate", title: "", amount: .cents(1), isEstimate: true)
        let token = PaymentMethodOption(id: "token", title: "", amount: try Self.token(5))
        let scaled = PaymentMethodOption(id: "scaled", title: "", amount: try Self.token(5, exponent: 0))
        let finer = PaymentMethodOption(id: "finer", title: "", amount: try Self.token(5, exponent: 18))
        let other = PaymentMethodOption(id: "other", title: "", amount: try Self.token(5, name: "bb"))
        let ten = Money.cents(1000)
        let cases: [([PaymentMethodOption], [Money], taken: String?, why: String)] = [
            ([dear, fits], [ten], "fits", ""), ([dear], [ten], nil, "'dear' costs 10.01 EUR, more than 10.00 EUR"),
            ([fits], [], nil, "a currency without a limit"), ([dollars, fits], [ten], "fits", ""),
            ([dollars], [ten], nil, "'dollars' costs 0.01 USD, a currency without a limit"),
            ([page, fits], [ten], "fits", ""), ([estimate, fits], [ten], "fits", ""),
            ([estimate], [ten], nil, "estimated"), ([fits], [ten, .cents(999)], nil, "more than 9.99 EUR"),
            ([fits, token], [.cents(1), try Self.token(5)], "token", ""),
            ([scaled], [try Self.token(5_000_000)], nil, "other decimals"),
            ([finer], [try Self.token(5_000_000)], nil, "other decimals"),
            ([other], [try Self.token(5)], nil, "without a limit"),
        ]
        for (options, limits, taken, why) in cases {
            var world = World()
            world.provider.options = options
            let outcome = try await world.pay(as: Payer(policy: .first(upTo: limits)))
            #expect(try await world.histories.map(\.attempt.option.id) == [taken].compactMap(\.self))
            guard taken == nil else { continue }
            guard case .declined(let reason) = outcome else { Issue.record("\(outcome)"); continue }
            #expect(reason.code == .outsidePolicy && reason.message.contains(why), "\(reason.message)")
        }
    }

    @Test("The policy without limits takes the first option that the payer can fulfil; a chooser comes before it")
    func order() async throws {
        var world = World()
        world.provider.options = [.euros("page", needs: [.page]), .euros("plain"), .euros("last")]
        _ = try await world.pay(as: .careless)
        #expect(try await world.histories.first?.attempt.option.id == "plain")
        var asked = World()
        asked.provider.options = world.provider.options
        _ = try await asked.pay(as: Payer(chooser: { _ in "last" }, policy: .firstWhateverItCosts))
        #expect(try await asked.histories.first?.attempt.option.id == "last")
    }

    // MARK: Invalid choices

    /// Reports a changed option `times` times, then pays; records the options of its attempts.
    private static func fickle(_ times: Int, _ ran: Tally) -> ScriptedProvider.Pay {
        { attempt, context in
            _ = try await context.step("fetch", .query) { 1 }
            ran.count(attempt.option.id)
            ran.count("all")
            if ran["all"] <= times { throw PaymentError(.optionChanged, "the price has changed", provider: "acme") }
            return .succeeded(PaymentReceipt(reference: attempt.reference))
        }
    }

    @Test("When the option has changed the payer chooses again, from a new quote")
    func changed() async throws {
        var world = World()
        let ran = Tally()
        world.provider.options = [.euros("one"), .euros("two")]
        world.provider.payBody = Self.fickle(1, ran)
        let choices = Mutex(["two", "one"])
        let payer = Payer(chooser: { _ in choices.withLock { $0.popLast() } })
        #expect(try await world.pay(as: payer) == Self.paid)
        #expect(ran["one"] == 1 && ran["two"] == 1)
        #expect(world.provider.calls["quote"] == 2)
        let histories = try await world.histories
        #expect(histories.count == 2 && histories[0].outcome == nil && histories.allSatisfy(\.isFinished))
    }

    @Test("A service that always changes the option is abandoned, with the payer's no and with a typed error")
    func alwaysChanging() async throws {
        var world = World()
        let ran = Tally()
        world.provider.payBody = Self.fickle(100, ran)
        let error = await #expect(throws: PaymentError.self) { try await world.pay() }
        #expect(error?.code == .optionChanged && error?.phase == .beforeSend)
        #expect(error?.message.contains("choose again") == true)
        #expect(ran["all"] == 3)
        #expect(try await world.journal.unfinished().isEmpty)
        let asked = Tally()
        let payer = Payer(chooser: { quote in
            asked.count("chooser")
            return asked["chooser"] == 1 ? quote.options.first?.id : nil
        })
        #expect(try await world.pay(as: payer) == .cancelled)
        #expect(ran["all"] == 4)
    }

    @Test("Where the link is not at hand, or another option was never agreed to, the attempt is abandoned")
    func noLink() async throws {
        var world = World()
        let ran = Tally()
        world.provider.payBody = Self.fickle(2, ran)
        let id = try await world.crashed([
            .stepStarted(name: "fetch", kind: .query), .stepFinished(name: "fetch", result: 1),
        ])
        let asked = Tally()
        let payer = Payer(
            chooser: { quote in
                asked.count("chooser")
                return quote.options.first?.id
            }, policy: .firstWhateverItCosts)
        let router = try world.router
        var error = await #expect(throws: PaymentError.self) { try await router.resume(id, as: payer) }
        #expect(error?.code == .optionChanged && error?.phase == .beforeSend)
        #expect(try await world.journal.unfinished().isEmpty)
        let route = try #require(router.route(ScriptedProvider.link).route)
        let quote = try await router.quote(route, as: payer)
        error = await #expect(throws: PaymentError.self) { try await router.pay(quote, option: "card", as: payer) }
        #expect(error?.code == .optionChanged)
        #expect(asked["chooser"] == 0)
        #expect(try await world.journal.unfinished().isEmpty)
        #expect(try await world.pay(as: payer) == Self.paid)
    }

    @Test(
        "Once something left, no option is chosen again: a failed request is reported, otherwise the status settles it")
    func changedTooLate() async throws {
        for isLost in [false, true] {
            var world = World()
            world.provider.payBody = { attempt, context in
                _ = try? await context.step("capture", .mutation(replay: .never)) { () async throws -> Bool in
                    throw TransportError(isLost ? .maybeSent : .notSent, .timedOut, origin: "https://api.acme.example")
                }
                throw PaymentError(.optionChanged, "the price has changed", provider: "acme")
            }
            if isLost {
                #expect(try await world.pay() == Self.paid)
            } else {
                let error = await #expect(throws: PaymentError.self) { try await world.pay() }
                #expect(error?.code == .optionChanged && error?.phase == .answered)
            }
            #expect(world.provider.calls["pay"] == 1 && world.provider.calls["quote"] == 1)
        }
    }

    @Test("A payer who takes no option has cancelled, but not while a signature that was handed in pays")
    func none() async throws {
        let route = try #require(try world.router.route(ScriptedProvider.link).route)
        let quote = try await world.router.quote(route, as: .careless)
        #expect(try await world.router.pay(quote, option: nil, as: .careless) == .cancelled)
        var unusable = quote
        unusable.options = []
        let reason = try #require(
            try await world.router.pay(unusable, option: nil, as: .careless).declineReason, "nothing can be paid")
        #expect(reason.code == .noUsableOption)
        #expect(world.provider.calls["pay"] == 0)

        _ = try await world.crashed([
            .stepStarted(name: "sign", kind: .signature(until: world.clock.now.addingTimeInterval(900))),
            .stepFinished(name: "sign", result: "0x51"),
            .stepStarted(name: "charge", kind: .mutation(replay: .never)), .stepFailed(name: "charge", reason: "no"),
        ])
        #expect(
            try await world.router.pay(quote, option: nil, as: .careless).unknownOutcome != nil,
            "the service can still take the money")
        #expect(try await world.histories.first?.isFinished == false)
    }
}
