package import FuzzModel

/// What reads strangers' bytes here, for the fuzzer.
package enum PayrailsFuzz {
    package static let targets: [any FuzzTarget.Type] = [
        PayrailsTarget.self
    ]
}
