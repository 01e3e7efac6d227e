import PaymentCore
import PaymentWallet
import WalletConnectPayKit

// The parts that the guides leave to the wallet.

/// The wallet's signing.
protocol YourSignerProtocol: Sendable {
    func signTypedData(data: String, address: String) async throws -> String
}

/// Signs with the development wallet.
struct DevelopmentSigner: YourSignerProtocol {
    let wallet: DevelopmentWallet

    func signTypedData(data: String, address: String) async throws -> String {
        try wallet.respond(method: "eth_signTypedData_v4", params: [.string(address), .string(data)])
    }
}

/// The errors of a payment of this wallet.
enum PaymentError: Error {
    case noOptionsAvailable
    case invalidParams
    case paymentFailed(PaymentStatus)
}

extension PaymentError: CustomStringConvertible {
    var description: String {
        switch self {
        case .noOptionsAvailable: "no options available"
        case .invalidParams: "invalid parameters"
        case .paymentFailed(let status): "status \(status.rawValue)"
        }
    }
}

/// Returns the text that the payer would type.
func getUserInput(for field: CollectDataField) -> String {
    switch field.fieldType {
    case .text: "Ada Lovelace"
    case .date: "1990-01-15"
    }
}

/// Shows the user the effects of signing. Not in the guides.
func show(_ review: SigningReview?) {
    guard let review else { return }
    for line in review.lines { print("  \(line)") }
    if !review.warnings.isEmpty {
        print("  Take care: \(review.warnings.map(\.rawValue).joined(separator: ", "))")
    }
}
