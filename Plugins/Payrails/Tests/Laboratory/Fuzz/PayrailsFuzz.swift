package import FuzzModel

/// The fuzz targets for this plugin's parsers of untrusted bytes.
package enum PayrailsFuzz {
    package static let targets: [any FuzzTarget.Type] = [
        PayrailsTarget.self
    ]
}
