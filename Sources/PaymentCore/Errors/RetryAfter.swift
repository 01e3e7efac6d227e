#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

extension HTTPResponse {
    /// Returns the time for which the server asks for no further request (`Retry-After`, RFC 9110 section 10.2.3); nil
    /// when it does not state one in a readable form.
    ///
    /// - Parameter now: the time that a date is compared with; without it, the answer's own `Date`, which is the clock
    ///   that the date was made by.
    package func retryAfter(now: Date? = nil) -> Duration? {
        guard let text = headers["Retry-After"] else { return nil }
        if let seconds = Int64(text) { return seconds >= 0 ? .seconds(seconds) : nil }
        guard let now = now ?? headers["Date"].flatMap({ HTTPDate.parse($0, now: .distantPast) }),
            let date = HTTPDate.parse(text, now: now)
        else { return nil }
        return max(.zero, .seconds(date.timeIntervalSince(now)))
    }
}

extension PaymentError.RetryAdvice {
    /// Creates the advice of an answer that may be another one later.
    package init(_ answer: HTTPResponse) {
        self = answer.retryAfter().map { .after($0) } ?? .later
    }

    /// The wait that the service asks for.
    package var wait: Duration? { if case .after(let wait) = self { wait } else { nil } }
}
