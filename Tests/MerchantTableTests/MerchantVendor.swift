import CitconSandbox
import PaymentCore
import PaymentTesting
import PayrailsSandbox
import TestSupport
import WalletConnectPaySandbox

/// A vendor with a merchant's side.
enum MerchantVendor: String, Sendable, CaseIterable {
    case citcon, payrails, walletConnectPay

    /// Returns a payment in the state that `verb` needs.
    func bench(_ verb: MerchantVerb) async throws -> MerchantBench {
        let (clock, random) = (VirtualClock(), SeededRandomSource(seed: 3))
        switch self {
        case .citcon:
            let vendor = try SimulatedCitcon(clock: clock, random: random)
            return try await MerchantBench(vendor, verb, clock) { verb, faults in
                let (status, code) = verb == .refund ? (406, "4202") : (400, "4000")
                faults.inject(
                    .status(status, body: #"{"status":"fail","data":{"code":"\#(code)"}}"#), when: verb.isRequest)
            }
        case .payrails:
            let vendor = try SimulatedPayrails(clock: clock, random: random)
            var bench = try await MerchantBench(vendor, verb, clock) { verb, _ in
                await vendor.sandbox.failNext(verb.rawValue)
            }
            bench.showLate = { await vendor.sandbox.showActions(after: .seconds(30)) }
            return bench
        case .walletConnectPay:
            let vendor = try SimulatedWalletConnectPay(clock: clock, random: random)
            return try await MerchantBench(vendor, verb, clock) { verb, faults in
                let code = verb == .refund ? "payment_not_succeeded" : "invalid_state"
                faults.inject(.status(400, body: #"{"code":"\#(code)","message":"no"}"#), when: verb.isRequest)
            }
        }
    }
}
