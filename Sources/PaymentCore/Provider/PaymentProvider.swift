/// A payment service: reads its links, quotes and pays.
///
/// Five requirements with those of ``PaymentService``, one value in and one value out each. Providers hold no mutable
/// state of a payment: the state that a payment needs across a crash is in its ``PaymentAttempt`` and in durable steps
/// (``ProviderContext/step(_:_:_:)``). Effects come only from the context: no own clock, random source or network.
///
/// Merchants' operations, such as refunds, are services (``PaymentService``). A provider may be one, too.
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
    func quote(_ request: QuoteRequest, in context: ProviderContext) async throws -> ProviderQuote

    /// Carries one attempt out, in durable steps.
    ///
    /// Called again with the same attempt after an interruption: steps that ended return their stored results.
    ///
    /// When the chosen option, its preparation and the service's present demand do not agree, throw
    /// ``PaymentError/Code/optionChanged`` before asking the payer's wallet for anything: the router abandons the
    /// attempt. If it has the link, it quotes again and has the payer choose again.
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
    /// It may run concurrently with ``PaymentProvider/pay(_:in:)`` of the same attempt, and shares its steps by their
    /// names. Each receives the results of the other. A mutation that one has begun fails for the other until it has
    /// ended; the other leaves it open. Keys of requests have to be the attempt's (``PaymentAttempt/key(for:)``), never
    /// random.
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

/// A provider whose names of payments can be reused, such as with merchants that use an order's number again.
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

/// A provider with links that name a payment in a way that only its service can resolve. One payment may then have two
/// names on a device.
public protocol AliasedPaymentProvider: PaymentProvider {
    /// Returns true if `payment` has such a name: it may be the same as one with another name that expires at the same
    /// time. Pure.
    ///
    /// - Parameter payment: a payment of this provider.
    func isUnresolved(_ payment: PaymentReference) -> Bool
}

/// A provider whose payments only the payer's settler sees: no service can be asked about them.
///
/// The stored entries of the attempts are all that is known of a payment, so routers read its status from their
/// journal. An attempt whose end is not known is resumed, which asks the settler: by `resume`, `recover`, or paying the
/// link again.
public protocol SettlingProvider: PaymentProvider {
    /// Asks the payer's settler about an attempt that it was asked to pay, by the attempt's name alone. Sends nothing
    /// that could move money. `PaymentSettlement` implements it for every provider that pays by `settle(_:to:)`.
    ///
    /// - Parameters:
    ///   - attempt: the attempt.
    ///   - context: the payer, whose settler it is.
    /// - Throws: ``PaymentError``, when the settler does not say, or does not know the name.
    func settlement(of attempt: PaymentAttempt, in context: ProviderContext) async throws -> ServiceReport
}

extension SettlingProvider {
    /// Reports nothing, since no service can be asked. Routers answer from their journal instead.
    ///
    /// - Throws: nothing.
    public func status(of payment: PaymentReference, in context: ProviderContext) async throws -> ServiceReport {
        .unknown(
            UnknownOutcome(
                reference: payment,
                message: "no service knows of this payment, only the payer's settler: resume its attempt to ask it"))
    }
}

/// A provider with links that name a payee and no single payment: paying such a link again is another payment.
///
/// Such links match with ``LinkMatch/Subject/payee(_:)``. Routers give each of their payments its own id, drawn when it is
/// quoted. While a payment to a payee is open that may have moved money, no other one to the same payee begins.
public protocol PayeeProvider: PaymentProvider {
    /// Returns the payee of an option, in the form of ``LinkMatch/reference`` of the payee's links; nil if it
    /// belongs to a payment that its link names. Pure.
    ///
    /// - Parameter option: an option of this provider, as it was quoted.
    func payee(of option: PaymentMethodOption) -> String?
}

/// A provider that notifies payees of payments by a message from its own side, which can be lost after the payment.
///
/// Routers call it each time `pay` or `resume` returns to an attempt that the payer's settler has paid.
package protocol PayeeNotifyingProvider: PaymentProvider {
    /// Notifies the payee of a paid attempt, at most once. Pays nothing.
    ///
    /// - Parameters:
    ///   - receipt: the receipt of the attempt.
    ///   - attempt: the attempt.
    ///   - context: a context that permits only queries.
    /// - Throws: the error that prevents the notification now. The payment is made anyway.
    func notifyPayee(_ receipt: PaymentReceipt, of attempt: PaymentAttempt, in context: ProviderContext) async throws
}

// MARK: - Descriptor

/// The static description of a provider or a merchant's service.
public struct ProviderDescriptor: Sendable, Hashable {
    /// An ability beyond quoting and paying. Conforming to the protocol is what counts; see
    /// ``ProviderDescriptor/capabilities(of:)``.
    @nonexhaustive
    public enum Capability: String, Sendable, Hashable, CaseIterable {
        /// ``RedirectCompletingProvider``.
        case completesRedirects = "completes-redirects"
        /// ``CancellingService``.
        case cancels
        /// ``CapturingService``.
        case captures
        /// ``RefundingService``.
        case refunds
        /// ``NotificationReadingService``.
        case verifiesNotifications = "verifies-notifications"
    }

    /// The stable id.
    public let id: ProviderID
    /// The name for people.
    public let name: String
    /// The links it claims; a merchant's service claims none.
    public let patterns: [LinkPattern]
    /// Every host it may call: `host`, `host:port`, `.example.com` for all hosts below one (encrypted, on the usual
    /// port), or `*` for every host with a public domain name (encrypted). Requests elsewhere are refused before
    /// anything is sent.
    public let outboundHosts: [String]
    /// The time in which the service recognises a repeated idempotency key; zero when it does not. After that a
    /// mutation declared ``MutationReplay/sameKey`` is no longer sent again.
    public let replayWindow: Duration

    /// Creates a descriptor.
    public init(
        id: ProviderID, name: String, patterns: [LinkPattern] = [], outboundHosts: [String],
        replayWindow: Duration = .zero
    ) {
        self.id = id
        self.name = name
        self.patterns = patterns
        self.outboundHosts = outboundHosts
        self.replayWindow = replayWindow
    }

    /// Returns the capabilities of a provider or service, by its conformances: none can be claimed falsely.
    public static func capabilities(of service: any PaymentService) -> [Capability] {
        Capability.allCases.filter { capability in
            switch capability {
            case .completesRedirects: service is any RedirectCompletingProvider
            case .cancels: service is any CancellingService
            case .captures: service is any CapturingService
            case .refunds: service is any RefundingService
            case .verifiesNotifications: service is any NotificationReadingService
            }
        }
    }
}

// MARK: - Links

/// A set of links that a provider claims. Plain data: all patterns are compiled into one table.
///
/// When several patterns match a link, the most specific is asked first: by kind (return URL, exact host, host suffix,
/// scheme, text, standard), then by the host's length, then by the path's or text's.
@nonexhaustive
public enum LinkPattern: Sendable, Hashable {
    /// Every URI of a scheme, compared without regard to case. `http` and `https` cannot be claimed as a whole.
    case scheme(String)
    /// Web links (`https`, and `http` as unverified) on exactly this host and the scheme's default port.
    /// With a path: only at or below that path, compared by whole segments.
    case host(String, path: String? = nil)
    /// Web links on this host or any subdomain of it: the boundary is always a whole label.
    case hostSuffix(String, path: String? = nil)
    /// Texts that are no URI and begin with these characters, case-sensitively.
    case textPrefix(String)
    /// A return URL that the application registered: scheme, host and path equal, any query.
    case returnURL(String)
    /// Every text that the router's readers find sound by this payment standard, whatever its form. The standard is
    /// named by its id, such as `bolt11`. Asked last: a text that another pattern matches belongs to that one.
    case standard(String)
}

extension LinkPattern: CustomStringConvertible {
    /// The pattern as people write it: `wc:`, `https://pay.example/`, `https://*.pay.example/`, `pay_…`.
    public var description: String {
        switch self {
        case .scheme(let scheme): "\(scheme):"
        case .host(let host, let path): "https://\(host)\(path ?? "/")"
        case .hostSuffix(let host, let path): "https://(*.)\(host)\(path ?? "/")"
        case .textPrefix(let prefix): "\(prefix)…"
        case .returnURL(let url): "return to \(url)"
        case .standard(let id): "any \(id)"
        }
    }
}

/// The data that a provider reads from a link that its patterns claim.
public struct LinkMatch: Sendable, Hashable {
    /// The purpose of a link.
    @nonexhaustive
    public enum Role: String, Sendable, Hashable {
        /// It asks for a payment.
        case payment
        /// It returns the payer from a page or another app.
        case callback
        /// It asks for an authorisation without a payment.
        case authorization
    }

    /// The proof, in the link's own text, that it leads to the provider's real service.
    public enum Trust: Sendable, Hashable {
        /// The text proves it.
        case verified
        /// The text does not prove it; the reason is for people. Paying such a link takes the caller's explicit
        /// consent.
        case unverified(reason: String)
        /// A part of the text is not known, and could change the payment; the reason is for people. Paying it takes the
        /// consent of a person to exactly this text; no policy, limit or plan gives it.
        case unclear(reason: String)
    }

    /// The payment or the payee of a link.
    public enum Subject: Sendable, Hashable {
        /// The payment of this id, in the form the provider uses.
        case payment(String)
        /// The payee of this id, and no single payment: paying the link again is another payment. Only of a
        /// ``PayeeProvider``.
        case payee(String)
    }

    /// The payment or the payee that the link names; nil if it names neither.
    public let subject: Subject?
    /// The purpose of the link.
    public let role: Role
    /// The proof that it leads to the real service.
    public let trust: Trust
    /// True if the link's text holds a secret and must not be shown or logged: its holder could pay, or act as the
    /// merchant. Nil leaves it to ``PaymentLink/mayHoldSecret``. The subject's id is never a secret.
    public let holdsSecret: Bool?

    /// The id of the ``subject``.
    public var reference: String? {
        switch subject {
        case .payment(let id), .payee(let id): id
        case nil: nil
        }
    }

    /// The id of the payee; nil if the link names a payment, or nothing.
    package var payee: String? { if case .payee(let id) = subject { id } else { nil } }

    /// Creates a match.
    public init(
        _ subject: Subject?, role: Role = .payment, trust: Trust = .verified, holdsSecret: Bool? = nil
    ) {
        self.subject = subject
        self.role = role
        self.trust = trust
        self.holdsSecret = holdsSecret
    }
}
