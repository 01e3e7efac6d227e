package import FuzzModel

/// The fuzz targets for this plugin's parsers of untrusted bytes.
package enum PaykitFuzz {
    package static let targets: [any FuzzTarget.Type] = [
        KRPCTarget.self,
        PaykitAnswerTarget.self,
        PaykitChannelTarget.self,
        PaykitHandoffTarget.self,
        PaykitLinkTarget.self,
        PaykitMessageTarget.self,
        PaykitRequestTarget.self,
        PaykitSubscriptionTarget.self,
        PaykitGeneration3Target.self,
        PaykitWireTarget.self,
    ]
}
