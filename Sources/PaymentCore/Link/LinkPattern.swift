/// A set of links that a provider claims. Plain data, so that all patterns can be compiled into one table.
///
/// When several patterns match a link, the most specific is asked first: by kind (return URL, exact host, host suffix,
/// scheme, text, standard), then by the host's length, then by the path's or text's.
@nonexhaustive
public enum LinkPattern: Sendable, Hashable {
    /// Every URI of a scheme, compared without regard to case. `http` and `https` cannot be claimed as a whole.
    case scheme(String)
    /// Web links (`https`, and `http` as unverified) on exactly this host and the scheme's default port.
    /// With a path: only at or below that path, compared by whole segments.
    case host(String, path: String? = nil)
    /// Web links on this host or any subdomain of it: the boundary is always a whole label.
    case hostSuffix(String, path: String? = nil)
    /// Texts that are no URI and begin with these characters, case-sensitively.
    case textPrefix(String)
    /// A return URL that the application registered: scheme, host and path equal, any query.
    case returnURL(String)
    /// Every text that the router's readers find sound by this payment standard, whatever its form. The standard is
    /// named by its id, such as `bolt11`. Asked last: a text that another pattern matches belongs to that one.
    case standard(String)
}

extension LinkPattern: CustomStringConvertible {
    /// The pattern as people write it: `wc:`, `https://pay.example/`, `https://*.pay.example/`, `pay_…`.
    public var description: String {
        switch self {
        case .scheme(let scheme): "\(scheme):"
        case .host(let host, let path): "https://\(host)\(path ?? "/")"
        case .hostSuffix(let host, let path): "https://(*.)\(host)\(path ?? "/")"
        case .textPrefix(let prefix): "\(prefix)…"
        case .returnURL(let url): "return to \(url)"
        case .standard(let id): "any \(id)"
        }
    }
}
