// swift-format-ignore-file
// The Swift of the vendor's guide "Paykit Integration Guide", as printed: only the import differs. It need not run; it
// must compile. A comment like `Paykit 4` says which block follows.

import PaykitKit

struct PaykitGuide: Sendable {
    // Paykit 1
    func initializePaykit() async throws {
        let secretKeyHex = getSecretKeyFromKeychain()
        let homeserverPubkey = getHomeserverPubkey()

        try await paykit_initialize(
            secretKeyHex: secretKeyHex,
            homeserverPubkey: homeserverPubkey
        )
    }

    // Paykit 2
    func publishEndpoints() async throws {
        // Publish Lightning address
        try await paykit_set_endpoint(
            methodId: "lightning",
            endpoint: "lnbc1..."
        )

        // Publish Bitcoin address
        try await paykit_set_endpoint(
            methodId: "onchain",
            endpoint: "bc1q..."
        )
    }

    // Paykit 3
    func discoverPaymentMethods(forPubkey pubkey: String) async throws -> PaykitSupportedMethods {
        return try await paykit_get_supported_methods_for_key(pubkey: pubkey)
    }

    func usage() async throws {
        // Paykit 4
        func smartCheckout(recipientPubkey: String, preferredMethod: String?) async throws -> PaykitCheckoutResult {
            return try await paykit_smart_checkout(
                pubkey: recipientPubkey,
                preferredMethod: preferredMethod
            )
        }

        // Usage
        let result = try await smartCheckout(recipientPubkey: "o1gg96...", preferredMethod: "lightning")

        if result.isPrivate {
            // Private offer found - more privacy
            let endpoint = result.endpoint
        } else {
            // Public directory endpoint
            let endpoint = result.endpoint
        }
        // Paykit: end
        _ = result
    }

    // Paykit 5
    class InteractivePaymentService {
        func requestReceipt(
            fromPubkey: String,
            amount: UInt64,
            method: String
        ) async throws -> PaykitReceipt {
            // 1. Resolve peer's Noise public key
            let noiseKey = try await resolveNoiseKey(pubkey: fromPubkey)

            // 2. Establish encrypted channel
            let channel = try await establishNoiseChannel(peerKey: noiseKey)

            // 3. Send receipt request
            let request = PaykitReceiptRequest(
                amount: amount,
                method: method,
                metadata: ["description": "Payment request"]
            )

            // 4. Receive receipt with invoice
            return try await channel.requestReceipt(request)
        }
    }

    // Paykit 6
    struct SpendingLimits {
        var globalDaily: UInt64 = 100_000    // 100k sats/day
        var globalMonthly: UInt64 = 1_000_000 // 1M sats/month
        var perPeer: [String: UInt64] = [:]   // Per-peer limits
    }

    // Paykit 7
    func canAutoPay(
        toPubkey: String,
        amount: UInt64
    ) async throws -> Bool {
        let limits = getSpendingLimits()
        let todaySpent = getTodaySpending()

        // Check global limit
        if todaySpent + amount > limits.globalDaily {
            return false
        }

        // Check peer-specific limit
        if let peerLimit = limits.perPeer[toPubkey] {
            let peerSpent = getPeerSpending(toPubkey)
            if peerSpent + amount > peerLimit {
                return false
            }
        }

        return true
    }

    // Paykit 8
    struct Subscription {
        let id: String
        let recipientPubkey: String
        let amount: UInt64
        let interval: SubscriptionInterval // daily, weekly, monthly
        let methodId: String
        let autoPayEnabled: Bool
    }

    func createSubscription(_ subscription: Subscription) async throws {
        // Store subscription locally
        // Set up background task for recurring payments
    }

    // Paykit 9
    func processSubscription(_ subscription: Subscription) async throws {
        // 1. Check if due
        guard isSubscriptionDue(subscription) else { return }

        // 2. Discover endpoint
        let endpoint = try await paykit_get_endpoint_for_key_and_method(
            pubkey: subscription.recipientPubkey,
            methodId: subscription.methodId
        )

        // 3. Check auto-pay
        if subscription.autoPayEnabled && canAutoPay(subscription.recipientPubkey, subscription.amount) {
            // Auto-approve and pay
            try await executePayment(endpoint: endpoint, amount: subscription.amount)
        } else {
            // Notify user for manual approval
            notifySubscriptionDue(subscription)
        }
    }

    // Paykit 10
    func publishProfile() async throws {
        // Profile is published to Pubky homeserver
        // Accessible at: pubky://<your-pubkey>/pub/pubky.app/profile.json
    }

    // Paykit 11
    func fetchProfile(pubkey: String) async throws -> PubkyProfile {
        return try await pubky_fetch_profile(pubkey: pubkey)
    }

    // Paykit 12
    func fetchFollows(pubkey: String) async throws -> [PubkyListItem] {
        return try await pubky_fetch_follows(pubkey: pubkey)
    }

    // Paykit 13
    func kinds(_ type: PaykitErrorType) -> String {
        switch type {
        case .notInitialized: "notInitialized"
        case .networkError: "networkError"
        case .sessionExpired: "sessionExpired"
        case .peerNotFound: "peerNotFound"
        case .methodNotSupported: "methodNotSupported"
        case .endpointUsed: "endpointUsed"
        }
    }

    // Paykit 14
    func handlePaykitError(_ error: PaykitError) {
        switch error {
        case .notInitialized:
            // Re-initialize Paykit
            Task { try await initializePaykit() }

        case .sessionExpired:
            // Refresh session via Pubky-ring
            requestSessionRefresh()

        case .networkError:
            // Retry with exponential backoff
            scheduleRetry(delay: 1.0)

        case .endpointUsed:
            // Generate and publish new endpoint
            Task { try await rotateEndpoint(methodId: error.methodId) }
        }
    }

    // Paykit 15
    func checkRotationNeeded() async throws -> [String] {
        let myPubkey = getMyPubkey()
        return try await paykit_check_rotation_needed(pubkey: myPubkey)
    }

    // Returns array of method IDs that need rotation, e.g., ["lightning", "onchain"]

    // Paykit 16
    func rotateEndpoints() async throws {
        let needsRotation = try await checkRotationNeeded()

        for methodId in needsRotation {
            let newEndpoint = generateNewEndpoint(methodId: methodId)
            try await paykit_set_endpoint(methodId: methodId, endpoint: newEndpoint)
            print("Rotated endpoint for \(methodId)")
        }
    }

    // Paykit 19
    class SessionManager {
        func hasValidSession() -> Bool {
            guard let session = getStoredSession() else { return false }
            return !session.isExpired
        }

        func refreshSessionIfNeeded() async throws {
            guard let session = getStoredSession() else {
                throw PaykitError.notAuthenticated
            }

            if session.willExpireSoon {
                try await refreshSession()
            }
        }
    }

    // Paykit 21
    class PaykitCache {
        private var methodCache: [String: PaykitSupportedMethods] = [:]
        private let cacheTimeout: TimeInterval = 300 // 5 minutes

        func getCachedMethods(for pubkey: String) -> PaykitSupportedMethods? {
            guard let entry = methodCache[pubkey],
                  Date() < entry.expiresAt else {
                return nil
            }
            return entry.methods
        }
    }

    // Paykit 22
    func discoverBatch(pubkeys: [String]) async throws -> [String: PaykitSupportedMethods] {
        return try await withThrowingTaskGroup(of: (String, PaykitSupportedMethods).self) { group in
            for pubkey in pubkeys {
                group.addTask {
                    let methods = try await paykit_get_supported_methods_for_key(pubkey: pubkey)
                    return (pubkey, methods)
                }
            }

            var results: [String: PaykitSupportedMethods] = [:]
            for try await (pubkey, methods) in group {
                results[pubkey] = methods
            }
            return results
        }
    }

    // Paykit 23
    #if DEBUG
    func logPaykitOperation(_ operation: String, _ result: Any?) {
        print("[Paykit] \(operation): \(result ?? "nil")")
    }
    #endif

    // Paykit: end
}
