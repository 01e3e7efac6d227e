// One import gives followers of the vendor's guides everything those guides use.
@_exported public import WalletConnectPayProvider
