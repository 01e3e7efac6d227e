package import FuzzModel

/// The fuzz targets for this plugin's parsers of untrusted bytes.
package enum CitconFuzz {
    package static let targets: [any FuzzTarget.Type] = [
        CitconAnswerTarget.self,
        CitconLinkTarget.self,
        CitconNotificationTarget.self,
        CitconReturnTarget.self,
    ]
}
