import Synchronization

/// The settings of the vendor's static functions for the whole process: the only state of that kind in this package,
/// and only for code written after the vendor's guides.
struct VendorState: Sendable {
    static let shared = Mutex(VendorState())

    var payClient: PayClient?
    var walletKit: WalletKitClient?
    var projectID: String?
}
