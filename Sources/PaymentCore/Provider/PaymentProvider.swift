/// A payment service: reads its links, quotes and pays.
///
/// Five requirements with those of ``PaymentService``, one value in and one value out each. Providers hold no mutable state
/// of a payment: what a payment needs across a crash travels in its ``PaymentAttempt`` and in durable steps
/// (``ProviderContext/step(_:_:_:)``). Effects come only from the context: no own clock, random source or network.
///
/// What merchants do beside it, such as giving money back, are services (``PaymentService``); a provider may be one, too.
public protocol PaymentProvider: PaymentService {
    /// A second, pure look at a link that one of the provider's patterns matched. Nil when it is not the provider's
    /// after all. Plain `http` links are unverified whatever this returns.
    func recognize(_ link: PaymentLink) -> LinkMatch?

    /// Asks what is to be paid and how it can be paid.
    func quote(_ request: QuoteRequest, in context: ProviderContext) async throws -> PaymentQuote

    /// Carries one attempt through, in durable steps.
    ///
    /// Called again with the same attempt after an interruption: steps that ended return their stored results.
    ///
    /// When the chosen option, what was prepared for it and what the service now asks for do not agree, throw
    /// ``PaymentError/Code/optionChanged`` before the payer's wallet is asked for anything: the router gives the attempt
    /// up, and where it has the link it quotes again and has the payer choose again.
    func pay(_ attempt: PaymentAttempt, in context: ProviderContext) async throws -> PaymentOutcome
}

/// A provider whose payments leave the application and come back through a return URL.
public protocol RedirectCompletingProvider: PaymentProvider {
    /// Completes `attempt` after the payer came back through `callback`. The URL alone proves nothing: ask the service.
    ///
    /// It may run beside ``PaymentProvider/pay(_:in:)`` of the same attempt, and shares its steps by their names: what one
    /// of them has found out, the other one is given, and a mutation that one has begun fails for the other, which leaves
    /// it open, until it has ended. Keys of requests have to be the attempt's (``PaymentAttempt/key(for:)``), never drawn
    /// anew.
    ///
    /// - Throws: ``PaymentError/Code/foreignReturn`` when the URL names another payment: the router then offers it to the
    ///   next open one.
    func complete(
        _ callback: PaymentLink, for attempt: PaymentAttempt, in context: ProviderContext
    ) async throws -> PaymentOutcome
}

/// A provider at which one name of a payment can come to stand for something else, as where a merchant uses an order's
/// number again.
public protocol PaymentDistinguishingProvider: PaymentProvider {
    /// Compares what `link` asks for with an attempt at the payment of the same name that is under way or succeeded.
    ///
    /// Pure. Asked before the attempt is gone on with, or its success told, for this link.
    ///
    /// - Throws: ``PaymentError/Code/integrity``, phase `beforeSend`, when they are not about the same.
    func distinguish(_ link: PaymentLink, from attempt: PaymentAttempt) throws(PaymentError)
}

/// A provider some of whose links name a payment in a way that only its service can resolve, so that one payment may have
/// two names on a device.
public protocol UnresolvedPaymentsProvider: PaymentProvider {
    /// Whether `payment` has such a name: it may be the same as one with another name and the same end of its time.
    /// Pure.
    func isUnresolved(_ payment: PaymentReference) -> Bool
}
