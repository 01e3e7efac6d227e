import PaykitKit

// Written after the guide, snippet by snippet; only the import differs.

struct Keychain: Sendable {
    let secretKeyHex: String
    let homeserverPubkey: String
}

func initializePaykit(_ keychain: Keychain) async throws {
    try await paykit_initialize(
        secretKeyHex: keychain.secretKeyHex,
        homeserverPubkey: keychain.homeserverPubkey
    )
}

func publishEndpoints() async throws {
    try await paykit_set_endpoint(
        methodId: "lightning",
        endpoint: "mina@paykit-sandbox.example"
    )
    try await paykit_set_endpoint(
        methodId: "onchain",
        endpoint: "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq"
    )
}

func discoverPaymentMethods(forPubkey pubkey: String) async throws -> PaykitSupportedMethods {
    return try await paykit_get_supported_methods_for_key(pubkey: pubkey)
}

func smartCheckout(recipientPubkey: String, preferredMethod: String?) async throws -> PaykitCheckoutResult {
    return try await paykit_smart_checkout(
        pubkey: recipientPubkey,
        preferredMethod: preferredMethod
    )
}

func payInteractively(_ pubkey: String) async throws -> PaykitReceipt {
    // 1. Resolve peer's Noise public key
    let noiseKey = try await resolveNoiseKey(pubkey: pubkey)

    // 2. Establish encrypted channel
    let channel = try await establishNoiseChannel(peerKey: noiseKey)

    // 3. Send receipt request
    let request = PaykitReceiptRequest(
        amount: 2100,
        method: "lightning",
        metadata: ["description": "Payment request"]
    )

    // 4. Receive receipt with invoice
    return try await channel.requestReceipt(request)
}

func fetchProfile(pubkey: String) async throws -> PubkyProfile {
    return try await pubky_fetch_profile(pubkey: pubkey)
}

func fetchFollows(pubkey: String) async throws -> [PubkyListItem] {
    return try await pubky_fetch_follows(pubkey: pubkey)
}

func rotateEndpoints(_ myPubkey: String) async throws {
    let needsRotation = try await paykit_check_rotation_needed(pubkey: myPubkey)

    for methodId in needsRotation {
        let newEndpoint = "mina+2@paykit-sandbox.example"
        try await paykit_set_endpoint(methodId: methodId, endpoint: newEndpoint)
        print("Rotated endpoint for \(methodId)")
    }
}

func handlePaykitError(_ error: PaykitError) {
    switch error {
    case .notInitialized:
        print("  initialise Paykit first")
    case .sessionExpired:
        print("  sign in again")
    case .networkError:
        print("  \(error.type): \(error)")
    case .endpointUsed:
        print("  publish a new endpoint for \(error.methodId)")
    }
}
