import WalletConnectPayKit

// What the vendor's guides leave to their reader: the wallet, its errors and its screens, as little as compiles.

/// The wallet's signing.
protocol YourSignerProtocol: Sendable {
    func signTypedData(data: String, address: String) async throws -> String
}

/// Signs nothing, but says what it was given.
struct EchoSigner: YourSignerProtocol {
    func signTypedData(data: String, address: String) async throws -> String { "\(address):\(data)" }
}

/// The wallet, as the guide's single steps call it.
struct YourWallet: Sendable {
    func signTypedData(typedData: String, address: String, chainId: String) async throws -> String { typedData }
}

/// How a payment of the reader's wallet can fail.
enum PaymentError: Error {
    case noOptionsAvailable
    case invalidParams
    case paymentFailed(PaymentStatus)
}

let yourWallet = YourWallet()
let walletAddress = "0x92abCE21234D71EC443E679f3a1feAFD3Fc830fB"
let address = walletAddress
let userInputtedValue = "Ada Lovelace"

func sign(_ call: WalletRpcAction) async throws -> String { call.params }
func getUserInput(for field: CollectDataField) -> String { field.name }
func startPaymentFlow(paymentLink: String) {}
func showWebView(url: String) {}
func showDataCollectionWebView(url: String) async throws {}

// The screens' names, on systems without them.
#if !canImport(UIKit)
    final class UIScene {}
    struct UIOpenURLContext: Hashable {
        let url: URL
    }
#endif
