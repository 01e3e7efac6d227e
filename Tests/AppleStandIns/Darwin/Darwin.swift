// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// A stand-in of Apple's module, so that code for Apple's systems alone is compiled here. Members of Apple's Foundation
// that Linux's lacks are here too.

import Foundation
import FoundationNetworking
@_exported import Glibc
public import Security

public enum tls_protocol_version_t: UInt16 {
    case TLSv12 = 0x0303
    case TLSv13 = 0x0304
}

extension URLSessionConfiguration {
    public var tlsMinimumSupportedProtocolVersion: tls_protocol_version_t {
        get { fatalError() }
        set { fatalError() }
    }
}

extension URLProtectionSpace {
    public var serverTrust: SecTrust? { fatalError() }
}

extension URLCredential {
    public convenience init(trust: SecTrust) { fatalError() }
}

public let NSURLAuthenticationMethodServerTrust: String = ""

/// No signal if the other side has closed (`sys/socket.h`).
public let SO_NOSIGPIPE: Int32 = 0x1022
