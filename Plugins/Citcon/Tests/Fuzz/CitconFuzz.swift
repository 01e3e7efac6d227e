package import FuzzModel

/// What reads strangers' bytes here, for the fuzzer.
package enum CitconFuzz {
    package static let targets: [any FuzzTarget.Type] = [
        CitconAnswerTarget.self,
        CitconLinkTarget.self,
        CitconNotificationTarget.self,
        CitconReturnTarget.self,
    ]
}
