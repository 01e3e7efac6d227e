import Foundation
import PaymentCore
import PaymentRouting
import TestSupport

/// A merchant's provider whose service is a few closures.
struct Shop: ForwardingProvider, CancellingService, RefundingService, NotificationReadingService {
    typealias Refund = @Sendable (RefundRequest, ProviderContext) async throws -> ServiceReport

    var base = ScriptedProvider()
    var refundBody: Refund = { request, _ in .succeeded(PaymentReceipt(reference: request.reference)) }
    var refundStatus: Refund = { request, _ in .succeeded(PaymentReceipt(reference: request.reference)) }
    var cancelBody: @Sendable () async throws -> ServiceReport = { .cancelled }
    var calls: Tally { base.calls }

    func cancel(_ payment: PaymentReference, in context: ProviderContext) async throws -> ServiceReport {
        try await context.step("cancel", .mutation(replay: .never)) {
            calls.count("cancel")
            return try await cancelBody()
        }
    }
    func refund(_ request: RefundRequest, in context: ProviderContext) async throws -> ServiceReport {
        try await context.step("refund", .mutation(replay: .never)) {
            calls.count("refund")
            return try await refundBody(request, context)
        }
    }
    func status(of refund: RefundRequest, in context: ProviderContext) async throws -> ServiceReport {
        calls.count("refund status")
        return try await refundStatus(refund, context)
    }
    func verify(_ notification: IncomingNotification) throws -> PaymentNotification {
        guard notification.headers["Signature"] == "good" else {
            throw PaymentError(.untrustedNotification, "the signature does not match")
        }
        let id = String(decoding: notification.body, as: UTF8.self)
        guard let payment = notification.headers["Refund-Of"] else {
            let reference = PaymentReference(provider: "acme", id: id)
            return PaymentNotification(
                reference: reference,
                report: .succeeded(PaymentReceipt(reference: reference, transactionID: "notified")))
        }
        let reference = PaymentReference(
            provider: "acme", id: id, subject: .refund(of: payment.isEmpty ? nil : payment))
        let cents = notification.headers["Cents"].flatMap { UInt128($0) }
        return PaymentNotification(
            reference: reference,
            report: .succeeded(PaymentReceipt(reference: reference, amount: cents.map { .cents($0) })))
    }
}

extension Shop {
    /// Creates a shop that makes one refund only once the test lets it go on.
    init(holding slow: RefundRequest, at pause: Pause) {
        refundBody = { request, _ in
            if request == slow { await pause.hold() }
            return .succeeded(PaymentReceipt(reference: request.reference))
        }
    }
}

/// Returns the claim that a refund was made.
func made(_ refund: RefundRequest) -> ServiceReport { .succeeded(PaymentReceipt(reference: refund.reference)) }

extension PaymentAttempt {
    /// Creates an attempt at a refund that an earlier process began at `date`.
    init(_ id: String = "att_crashed", of refund: RefundRequest, from date: Date) {
        let option = PaymentMethodOption(id: "refund", title: "Refund", amount: refund.amount)
        self.init(id, at: refund.reference, option: option, from: date)
    }
}

/// A shop that captures, by closures.
struct CapturingShop: CapturingService, RefundingService, CancellingService, NotificationReadingService {
    typealias Capture = @Sendable (CaptureRequest, ProviderContext) async throws -> ServiceReport

    var shop = Shop()
    var captureBody: Capture = { request, _ in CapturingShop.receipt(request) }
    var captureStatus: Capture = { request, _ in
        .unknown(UnknownOutcome(reference: request.reference, message: "no capture shows"))
    }
    /// True if something is in progress, so that a cancellation requests nothing.
    var cancelsOnlyAsking = false
    /// The reports of notifications, by their bodies.
    var messages: [String: PaymentNotification] = [:]
    var calls: Tally { shop.calls }

    let descriptor = ProviderDescriptor(id: "acme", name: "Acme", outboundHosts: ["api.acme.example"])
    func status(of payment: PaymentReference, in context: ProviderContext) async throws -> ServiceReport {
        try await shop.status(of: payment, in: context)
    }
    func cancel(_ payment: PaymentReference, in context: ProviderContext) async throws -> ServiceReport {
        if cancelsOnlyAsking { return .pending(retryAfter: nil) }
        return try await shop.cancel(payment, in: context)
    }
    func refund(_ request: RefundRequest, in context: ProviderContext) async throws -> ServiceReport {
        try await shop.refund(request, in: context)
    }
    func status(of refund: RefundRequest, in context: ProviderContext) async throws -> ServiceReport {
        try await shop.status(of: refund, in: context)
    }
    func capture(_ request: CaptureRequest, in context: ProviderContext) async throws -> ServiceReport {
        try await context.step("capture", .mutation(replay: .never)) {
            calls.count("capture")
            return try await captureBody(request, context)
        }
    }
    func status(of capture: CaptureRequest, in context: ProviderContext) async throws -> ServiceReport {
        calls.count("capture status")
        return try await captureStatus(capture, context)
    }
    func verify(_ notification: IncomingNotification) throws -> PaymentNotification {
        guard let message = messages[String(decoding: notification.body, as: UTF8.self)] else {
            throw PaymentError(.untrustedNotification, "there is no such message")
        }
        return message
    }

    static func receipt(_ request: CaptureRequest) -> ServiceReport {
        .succeeded(PaymentReceipt(reference: request.reference, amount: request.amount))
    }
}

extension CapturingShop {
    /// Creates a shop that captures only once the test lets it go on.
    init(holdingAt pause: Pause) {
        captureBody = { request, _ in
            await pause.hold()
            return Self.receipt(request)
        }
    }
}
