import PaymentCore

extension PaymentError {
    /// Creates the router's error whose cause is `error`.
    ///
    /// - Parameter isMutation: true if the call could have moved money.
    init(_ error: PayrailsError, isMutation: Bool, at provider: ProviderID = PayrailsProvider.id) {
        let open: Phase = isMutation ? .maybeSent : .beforeSend
        func make(_ code: Code, _ phase: Phase, retry: RetryAdvice = .never, vendorCode: String? = nil) -> PaymentError
        {
            PaymentError(
                code, error.description, provider: provider, phase: phase, retry: retry, vendorCode: vendorCode)
        }
        switch error {
        case .authenticationError: self = make(.unauthorized, .answered)
        case .unsupportedPayment, .incorrectPaymentSetup: self = make(.unusableOption, .beforeSend)
        case .invalidCardData: self = make(.payer, .beforeSend)
        case .pollingFailed, .failedToDerivePaymentStatus, .finalStatusNotFoundAfterLongPoll, .longPollingFailed,
            .paymentPending:
            self = make(.network, open, retry: .later)
        case .sdkNotInitialized, .missingData, .invalidDataFormat: self = make(.invalidResponse, .beforeSend)
        case .unknown(let cause as PayrailsUnderlyingError):
            self = Self.fault(cause, open, isMutation: isMutation, at: provider, make)
        case .unknown: self = make(.providerFault, .beforeSend)
        }
        cause = error
    }

    private static func fault(
        _ fault: PayrailsUnderlyingError, _ open: Phase, isMutation: Bool, at provider: ProviderID,
        _ make: (Code, Phase, RetryAdvice, String?) -> PaymentError
    ) -> PaymentError {
        switch fault {
        case .transport(let error): PaymentError(error, provider: provider, isMutation: isMutation)
        case .service(let answer) where answer.status == 429:
            make(.rateLimited, isMutation ? .maybeSent : .answered, answer.retry, answer.code)
        case .service(let answer) where answer.status == 404: make(.notFound, .answered, .never, answer.code)
        case .service(let answer) where answer.mayFollowAnEffect:
            make(.requestRefused, isMutation ? .maybeSent : .answered, isMutation ? .later : .never, answer.code)
        case .service(let answer) where fault.leavesFateOpen: make(.serviceFailure, open, answer.retry, answer.code)
        case .service(let answer): make(.requestRefused, .answered, .never, answer.code)
        case .unusableAnswer: make(.invalidResponse, open, .later, nil)
        case .unusableInitData, .untrustedAddress, .insecureAddress, .unusableID:
            make(.integrity, .beforeSend, .never, nil)
        case .foreignReturn: make(.foreignReturn, .maybeSent, .later, nil)
        case .noPresenter, .presenterFailed: make(.payer, open, .later, nil)
        case .paymentInProgress: make(.inUse, .beforeSend, .later, nil)
        }
    }
}
