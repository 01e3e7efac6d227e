import PaykitKit

// What the guide leaves to its reader.

extension PaykitGuide {
    func getSecretKeyFromKeychain() -> String { "" }
    func getHomeserverPubkey() -> String { "" }
    func getSpendingLimits() -> SpendingLimits { SpendingLimits() }
    func getTodaySpending() -> UInt64 { 0 }
    func getPeerSpending(_ pubkey: String) -> UInt64 { 0 }
    func isSubscriptionDue(_ subscription: Subscription) -> Bool { false }
    func canAutoPay(_ pubkey: String, _ amount: UInt64) -> Bool { PaykitKit.canAutoPay(pubkey, amount) }
    func executePayment(endpoint: String?, amount: UInt64) async throws {}
    func notifySubscriptionDue(_ subscription: Subscription) {}
    func requestSessionRefresh() {}
    func scheduleRetry(delay: Double) {}
    func rotateEndpoint(methodId: String) async throws {}
    func getMyPubkey() -> String { "" }
    func generateNewEndpoint(methodId: String) -> String { "" }
}

struct ReadersSession {
    var isExpired: Bool
    var willExpireSoon: Bool
}

func getStoredSession() -> ReadersSession? { nil }
func refreshSession() async throws {}
