/// A subscription that one side proposes, and the other accepts, by its signature.
extension PaykitSignedSubscription {
    /// The proposer's signature; nil where there is none, or both.
    var proposerSignature: PaykitSubscriptionSignature? {
        switch (subscriberSignature, providerSignature) {
        case (let signature?, nil), (nil, let signature?): signature
        default: nil
        }
    }

    func adding(_ signature: PaykitSubscriptionSignature) -> PaykitSignedSubscription {
        var signed = self
        if signature.publicKey == subscription.subscriber {
            signed.subscriberSignature = signature
        } else {
            signed.providerSignature = signature
        }
        return signed
    }

    /// Verifies that it is a proposal to `own` by the other side, and records its signature.
    func checkProposal(to own: PubkyKey, _ nonces: inout PaykitNonces, at now: Int64) throws(PaykitSubscriptionDefect) {
        guard [subscription.subscriber, subscription.provider].contains(own) else { throw .foreignKey }
        let other = subscription.subscriber == own ? subscription.provider : subscription.subscriber
        // The signature has to be in its side's place: with the provider's in place of the subscriber's, the subscriber
        // would have nothing left to sign.
        guard let signature = other == subscription.subscriber ? subscriberSignature : providerSignature,
            signature == proposerSignature
        else { throw .order("a proposal is signed by the side that proposes it, and by no other") }
        try signature.verify(subscription, by: other, at: now)
        try nonces.use(signature, at: now)
    }
}
