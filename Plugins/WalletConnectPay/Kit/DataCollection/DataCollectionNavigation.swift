import PaymentCore
public import WalletConnectPayProvider

/// Where a web view with the service's form may go.
public struct DataCollectionNavigation: Sendable {
    /// Which frame would show the new page.
    public enum Frame: Sendable, Hashable {
        /// The page itself.
        case main
        /// A frame inside it.
        case inner
        /// A new window.
        case new
    }

    /// What to do.
    public enum Decision: Sendable, Hashable {
        /// Load it in the web view.
        case stay
        /// Leave the web view where it is and open the address in the system's browser.
        case openOutside
        /// Do neither.
        case block
    }

    private let origin: WebOrigin

    /// Creates the rules for `page`.
    public init(for page: DataCollectionPage) {
        origin = page.origin
    }

    /// Returns what to do about a wish to go to `address`.
    ///
    /// The page itself stays on its own origin. Links that the payer follows to other https pages open outside; what
    /// redirects and scripts ask for does not, and neither does anything that is not https (`javascript:`, `data:`,
    /// `file:`, other apps) or hides its host behind a user name. Frames inside the page may show other https pages;
    /// their messages are never believed.
    ///
    /// - Parameters:
    ///   - address: where to.
    ///   - frame: which frame of the page wishes to.
    ///   - isLinkFollowed: Whether the payer activated a link.
    public func decide(_ address: String, in frame: Frame, isLinkFollowed: Bool) -> Decision {
        if frame == .inner, address == "about:blank" || address == "about:srcdoc" { return .stay }
        // Only what was written as a web address: the strict scan would also decode an encoded one.
        guard let colon = address.utf8.firstIndex(of: UInt8(ascii: ":")),
            ["https", "http"].contains(where: { address[..<colon].equalsIgnoringASCIICase($0) }),
            let url = try? HTTPURL(address)
        else { return .block }
        let isOwn = WebOrigin(url) == origin
        return switch frame {
        case .main where isOwn: .stay
        case .inner: isOwn || url.isSecure ? .stay : .block
        case .main, .new: isLinkFollowed && url.isSecure ? .openOutside : .block
        }
    }
}
