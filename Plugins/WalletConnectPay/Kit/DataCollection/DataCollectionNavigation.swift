import PaymentCore
public import WalletConnectPayProvider

/// The navigation rules of a web view with the service's form.
public struct DataCollectionNavigation: Sendable {
    /// The frame that would show the new page.
    public enum Frame: Sendable, Hashable {
        /// The page itself.
        case main
        /// A frame inside it.
        case inner
        /// A new window.
        case new
    }

    /// The action for a navigation.
    public enum Decision: Sendable, Hashable {
        /// Load it in the web view.
        case stay
        /// Stay on the page and open the address in the system's browser.
        case openOutside
        /// Neither load nor open it.
        case block
    }

    private let origin: WebOrigin

    /// Creates the rules for `page`.
    public init(for page: DataCollectionPage) {
        origin = page.origin
    }

    /// Returns the action for a navigation to `address`.
    ///
    /// The page itself stays on its own origin. Links that the payer follows to other https pages open outside.
    /// Requests of redirects and scripts are blocked, and so is any address that is not https (`javascript:`, `data:`,
    /// `file:`, other apps) or that hides its host behind a user name. Frames inside the page may show other https
    /// pages; their messages are never accepted.
    ///
    /// - Parameters:
    ///   - address: the destination.
    ///   - frame: the frame of the page that navigates.
    ///   - isLinkFollowed: true if the payer activated a link.
    public func decide(_ address: String, in frame: Frame, isLinkFollowed: Bool) -> Decision {
        if frame == .inner, address == "about:blank" || address == "about:srcdoc" { return .stay }
        // Only text written as a web address qualifies: the strict scan would also decode an encoded one.
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
