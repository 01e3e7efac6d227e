/// A payment service: reads its links, quotes and pays.
///
/// Five requirements with those of ``PaymentService``, one value in and one value out each. Providers hold no mutable
/// state of a payment: the state that a payment needs across a crash is in its ``PaymentAttempt`` and in durable steps
/// (``ProviderContext/step(_:_:_:)``). Effects come only from the context: no own clock, random source or network.
///
/// Merchants' operations beside it, such as refunds, are services (``PaymentService``); a provider may be one, too.
///
/// Every action that moves money belongs in a durable step, and its report is the service's own status:
///
/// ```swift
/// func pay(_ attempt: PaymentAttempt, in context: ProviderContext) async throws -> ServiceReport {
///     let order = try await context.step("pay", .mutation(replay: .never)) {
///         try await gateway.pay(attempt.reference.id, key: attempt.idempotencyKey, over: context.http)
///     }
///     return order.report(of: attempt.reference)
/// }
/// ```
///
/// See <doc:Providers> for the other rules, and for the way to check a provider.
public protocol PaymentProvider: PaymentService {
    /// Takes a second, pure look at a link that one of the provider's patterns matched.
    ///
    /// - Parameter link: the link, already scanned.
    /// - Returns: the data and the trust of the link; nil when it is not the provider's after all. Plain `http` links
    ///   are unverified whatever this returns.
    func recognize(_ link: PaymentLink) -> LinkMatch?

    /// Asks for the amount to pay and the ways to pay it.
    ///
    /// - Parameters:
    ///   - request: the link and the payment that it names.
    ///   - context: network, payer, clock and the like.
    /// - Returns: payee, amount and options; without options and with a report when there is nothing left to pay.
    /// - Throws: ``PaymentError`` with phase `beforeSend` or `answered`: nothing that moves money may be sent.
    func quote(_ request: QuoteRequest, in context: ProviderContext) async throws -> PaymentQuote

    /// Carries one attempt out, in durable steps.
    ///
    /// Called again with the same attempt after an interruption: steps that ended return their stored results.
    ///
    /// When the chosen option, its preparation and the service's present demand do not agree, throw
    /// ``PaymentError/Code/optionChanged`` before asking the payer's wallet for anything: the router abandons the
    /// attempt, and where it has the link it quotes again and has the payer choose again.
    ///
    /// - Parameters:
    ///   - attempt: the option that the payer chose, with its key and its limits.
    ///   - context: network, payer, clock and durable steps.
    /// - Returns: the report of the payment. A decline is a report, not an error.
    /// - Throws: ``PaymentError``. Its phase says whether money may have moved: with `maybeSent` the router asks
    ///   ``PaymentService/status(of:in:)``, and never sends again.
    func pay(_ attempt: PaymentAttempt, in context: ProviderContext) async throws -> ServiceReport
}

/// A provider whose payments leave the application and come back through a return URL.
public protocol RedirectCompletingProvider: PaymentProvider {
    /// Completes `attempt` after the payer returned through `callback`. The URL alone proves nothing: ask the service.
    ///
    /// It may run beside ``PaymentProvider/pay(_:in:)`` of the same attempt, and shares its steps by their names: each
    /// receives the results of the other, and a mutation that one has begun fails for the other, which leaves it open,
    /// until it has ended. Keys of requests have to be the attempt's (``PaymentAttempt/key(for:)``), never drawn anew.
    ///
    /// - Parameters:
    ///   - callback: the URL by which the payer returned.
    ///   - attempt: the attempt that waits for it.
    ///   - context: network, payer, clock and durable steps.
    /// - Returns: the report of the payment, by the service's own status.
    /// - Throws: ``PaymentError/Code/foreignReturn`` when the URL names another payment: the router then offers it to
    ///   the next open one.
    func complete(
        _ callback: PaymentLink, for attempt: PaymentAttempt, in context: ProviderContext
    ) async throws -> ServiceReport
}

/// A provider at which one name of a payment can come to stand for something else, as with merchants that use an
/// order's number again.
public protocol ReusableReferenceProvider: PaymentProvider {
    /// Compares the demand of `link` with an attempt at the payment of the same name that is in progress or succeeded.
    ///
    /// Pure. Called before the attempt is resumed, or its success reported, for this link.
    ///
    /// - Parameters:
    ///   - link: the link that the payer wants to pay now.
    ///   - attempt: the attempt that began under the same name.
    /// - Throws: ``PaymentError/Code/integrity``, phase `beforeSend`, when their subjects differ.
    func distinguish(_ link: PaymentLink, from attempt: PaymentAttempt) throws(PaymentError)
}

/// A provider some of whose links name a payment in a way that only its service can resolve, so that one payment may
/// have two names on a device.
public protocol AliasedPaymentProvider: PaymentProvider {
    /// Returns true if `payment` has such a name: it may be the same as one with another name that expires at the same
    /// time. Pure.
    ///
    /// - Parameter payment: a payment of this provider.
    func isUnresolved(_ payment: PaymentReference) -> Bool
}
