package import FuzzModel

/// What reads strangers' bytes here, for the fuzzer.
package enum PaykitFuzz {
    package static let targets: [any FuzzTarget.Type] = [
        KRPCTarget.self,
        PaykitAnswerTarget.self,
        PaykitChannelTarget.self,
        PaykitGrantTarget.self,
        PaykitHandoffTarget.self,
        PaykitLinkTarget.self,
        PaykitMessageTarget.self,
        PaykitRequestTarget.self,
        PaykitSubscriptionTarget.self,
        PaykitGeneration3Target.self,
        PaykitWireTarget.self,
    ]
}
