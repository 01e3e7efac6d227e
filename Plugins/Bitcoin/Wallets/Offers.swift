public import PaymentCore
import PaymentSettlement

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A wallet that asks the nodes of offers for invoices (BOLT 12).
public protocol OfferWallet: LightningWallet {
    /// Has the node of an offer make an invoice. Pays nothing.
    ///
    /// - Parameters:
    ///   - offer: the offer's text.
    ///   - amount: the amount to pay, in thousandths of a satoshi.
    /// - Returns: the invoice's text, which begins with `lni1`. The settler checks that it is the offer's.
    /// - Throws: ``PaymentError``; nothing was paid then.
    func invoice(of offer: String, over amount: UInt64) async throws(PaymentError) -> String
}

extension SettlementEndpoint.Kind {
    /// An invoice that a node made for an offer (BOLT 12): it is paid once, as one of BOLT 11 is.
    public static let bolt12Invoice = SettlementEndpoint.Kind(rawValue: "bolt12-invoice")
}

/// An invoice that was made for an offer, found to be that offer's, over the asked amount, and signed.
struct OfferInvoice {
    let invoice: WalletInvoice
    let expiresAt: Date?

    /// Checks an invoice against the offer. Source: BOLT 12, "Invoices": an invoice repeats every record of its offer,
    /// and the offer's issuer signs it.
    ///
    /// - Throws: ``PaymentError``; nothing was paid then.
    init(
        _ text: String, of offer: String, over amount: UInt64, on network: String, feeLimit: UInt64,
        _ reader: any InstructionReader
    ) throws(PaymentError) {
        guard let asked = Self.read(offer, "bolt12-offer", reader),
            let made = Self.read(text, "bolt12-invoice", reader),
            let hash = made.reference
        else { throw Self.error("malformed, or its signature is wrong") }
        guard [asked, made].allSatisfy({ $0.warnings.contains(.testNetwork) == (network != "mainnet") }) else {
            throw Self.error("not on \(network)")
        }
        let (terms, records) = (Self.records(asked), Self.records(made))
        guard records.filter({ Self.isOffered($0.key) }) == terms.filter({ Self.isOffered($0.key) }) else {
            throw Self.error("for another offer")
        }
        guard terms[Self.issuer] == nil || terms[Self.issuer] == records[Self.signer] else {
            throw Self.error("signed by another node than the offer's")
        }
        guard case .fixed(let money) = made.amount, WalletSettler.thousandths(money) == amount else {
            throw Self.error("over another amount")
        }
        invoice = WalletInvoice(
            text: text, paymentHash: hash, amount: amount, isAmountless: false, feeLimit: feeLimit)
        expiresAt = made.expiresAt
    }

    /// Returns the time that an invoice can be paid, in seconds: two hours if it does not say so.
    static func lifetime(_ instruction: PaymentInstruction) -> UInt64? {
        guard let digits = records(instruction)[expiry] else { return 7200 }
        return digits.isEmpty ? 0 : UInt64(digits, radix: 16)
    }

    private static let expiry: UInt64 = 166
    private static let issuer: UInt64 = 22
    private static let signer: UInt64 = 176

    /// True for the types of an offer's records.
    private static func isOffered(_ type: UInt64) -> Bool {
        1...79 ~= type || 1_000_000_000...1_999_999_999 ~= type
    }

    private static func read(
        _ text: String, _ standard: String, _ reader: any InstructionReader
    ) -> PaymentInstruction? {
        guard let link = try? PaymentLink("lightning:\(text)"), case .instruction(let instruction) = reader.read(link),
            instruction.standard == standard
        else { return nil }
        return instruction
    }

    private static func records(_ instruction: PaymentInstruction) -> [UInt64: String] {
        var records: [UInt64: String] = [:]
        for record in instruction.fields["fields"]?.array ?? [] {
            if let type = record["type"]?.uint64 { records[type] = record["hex"]?.string }
        }
        return records
    }

    private static func error(_ what: String) -> PaymentError {
        PaymentError(
            .invalidResponse, "the invoice that was made for the offer is \(what); nothing was paid", phase: .answered)
    }
}
